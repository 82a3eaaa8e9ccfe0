"""Runs as tables: the same for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.experiments.differences import difference_table
from constraintsuite.experiments.experiment import NothingToCompareError, compare_experiments
from constraintsuite.experiments.groupings import OVERALL
from constraintsuite.memory.runs.experiment import BASELINE, memory_experiment
from constraintsuite.memory.runs.record import MemoryRun
from constraintsuite.memory.runs.table import BUDGET, SIZES
from constraintsuite.records.scores import Interval
from constraintsuite.records.tables import Column, Table

_MOST_GROUPS = 12


def score_table(run: MemoryRun, budget: int) -> Table:
    """One row a mode with the figures that matter most."""
    metrics = run.table.headlines(budget)
    rows = tuple((mode, *(_figure(run, mode, budget, metric) for metric in metrics)) for mode in run.summary.modes)
    columns = (Column("mode"), *(Column(metric, run.table.metric(metric).kind) for metric in metrics))
    clusters = f"{run.summary.clusters:,} cluster" + ("" if run.summary.clusters == 1 else "s")
    items = f"{run.summary.items:,} questions in {clusters}, which the 95 % intervals resample"
    caption = f"{run.summary.benchmark}: every mode returns at most {budget} units. {items}."
    return Table(f"scores_at_{budget}", caption, columns, rows)


def size_table(run: MemoryRun) -> Table:
    """What each mode returned: so that equal budgets can be seen to be equal."""
    rows = tuple(
        (mode, budget, *(_figure(run, mode, budget, size) for size in SIZES))
        for budget in run.summary.budgets
        for mode in run.summary.modes
    )
    columns = (Column("mode"), Column("budget", "count"), *(Column(f"{size} a question", "number") for size in SIZES))
    return Table("returned", "What was returned on average: units, and words and marks in them.", columns, rows)


def group_tables(run: MemoryRun, budget: int) -> Iterator[Table]:
    """The first figures by every grouping that the benchmark has."""
    groupings = sorted({figure.group.partition("=")[0] for figure in run.summary.figures} - {OVERALL})
    for grouping in groupings:
        groups = _groups(run, grouping)
        for metric in run.table.headlines(budget)[:2] if 1 < len(groups) <= _MOST_GROUPS else ():
            kind = run.table.metric(metric).kind
            rows = tuple((mode, *(_figure(run, mode, budget, metric, g) for g in groups)) for mode in run.summary.modes)
            columns = (Column("mode"), *(Column(group.partition("=")[2] or "none", kind) for group in groups))
            name = f"{metric.replace('@', '_at_')}_by_{grouping}_{budget}"
            yield Table(name, f"{metric}, by {grouping}, at a budget of {budget}.", columns, rows)


def baseline_tables(run: MemoryRun) -> dict[int, Table]:
    """By budget every mode against the baseline, tested as `csuite compare` does; empty where there is nothing to compare."""
    if BASELINE not in run.table.systems:
        return {}
    metrics = dict.fromkeys(name for budget in run.summary.budgets for name in run.table.headlines(budget)[:2])
    try:
        found = compare_experiments([memory_experiment(run)], list(metrics))
    except NothingToCompareError:
        return {}
    caption = f"Every mode (second) against {BASELINE} (first) on the same questions, at a budget of {{}}."
    tests = {n: [test for test in found.tests if test.group == f"{BUDGET}={n}"] for n in run.summary.budgets}
    return {
        budget: difference_table(
            f"against_{BASELINE}_at_{budget}", caption.format(budget), own, ("system", "metric"), found.titles
        )
        for budget, own in tests.items()
        if own
    }


def time_table(run: MemoryRun) -> Table | None:
    """How long searches took; None where none was timed."""
    if run.timing is None or not run.timing.speeds:
        return None
    columns = (
        Column("mode"),
        Column("budget", "count"),
        Column("p50, ms", "number"),
        Column("p95, ms", "number"),
        Column("first search, median ms", "number"),
        Column("questions", "count"),
        Column("searched again", "count"),
    )
    rows = tuple(
        (s.system, int(s.group.partition("=")[2]), s.p50_ms, s.p95_ms, s.cold_ms, s.items, s.repetitions)
        for s in run.timing.speeds
    )
    caption = (
        f"{_timed(run)} Vectors of questions were ready, and so were scores of models that rerank where the cache has them; "
        "reading documents into a memory is in no time. Figures of another machine compare only by the calibration: fixed "
        f"work that took {run.timing.calibration_ms:.3g} ms here."
    )
    return Table("times", caption, columns, rows)


def _timed(run: MemoryRun) -> str:
    """What kind of searches p50 and p95 are of."""
    if run.timing is None or not any(speed.repetitions for speed in run.timing.speeds):
        return "First searches: what a mode builds for a memory is in the first one of each memory."
    if run.table.is_structured:
        return "Further passes over all cases: each memory was searched before with other questions."
    return "Warm searches: each memory was searched before with the same question."


def _groups(run: MemoryRun, grouping: str) -> list[str]:
    return list(dict.fromkeys(f.group for f in run.summary.figures if f.group.partition("=")[0] == grouping))


def _figure(run: MemoryRun, mode: str, budget: int, metric: str, group: str = OVERALL) -> Interval | None:
    found = run.summary.figure(mode, budget, metric, group)
    return None if found is None else found.figure
