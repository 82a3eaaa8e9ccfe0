"""Runs of memory benchmarks as tables, which the terminal prints too, and as the sections of a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from constraintsuite.app.pages.drawings.bars import bar_chart
from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.views.display import Display, ShowOptions, show_each
from constraintsuite.app.views.memory.verdicts import ablation_tables, claim_tables, replay_tables, rewording_tables
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.sections import Charts, Remarks, Section
from constraintsuite.core.records.tables import Column, ItemColumns, Table, columns, tabulate
from constraintsuite.experiments.differences import LEGEND, difference_table
from constraintsuite.experiments.experiment import NothingToCompareError, SystemSpeed, compare_experiments
from constraintsuite.experiments.outcome_table import OVERALL
from constraintsuite.memory.cases.files import FIXTURES
from constraintsuite.memory.cases.model import CONTEXT
from constraintsuite.memory.results import ItemResult
from constraintsuite.memory.runs.experiment import BASELINE, MemoryRun, load_memory_run, memory_experiment
from constraintsuite.memory.runs.table import BUDGET, SIZES

_MOST_GROUPS = 12
_ABOUT_SCORES = (
    "All modes get the same questions and may return the same number of units, so no mode wins by returning more. Every "
    "figure is a mean with its 95 % interval."
)
_ABOUT_TESTS = (
    f"Whether a mode is better than plain BM25 on the same questions, or the difference could be chance. {LEGEND}"
)
_ABOUT_GROUPS = "The same figures by kind of question."
_ABOUT_CLAIMS = (
    "What each part of a memory contributes, and the hypotheses of the benchmark, each judged on this run: supported, not "
    "supported, or undecided. A hypothesis is not judged if the run lacks the modes for it."
)


def score_table(run: MemoryRun, budget: int) -> Table:
    """One row per mode, with the headline metrics at one budget."""
    metrics = run.table.headlines(budget)
    rows = tuple((mode, *(_figure(run, mode, budget, metric) for metric in metrics)) for mode in run.summary.modes)
    heads = (Column("mode"), *(Column(metric, run.table.metric(metric).kind) for metric in metrics))
    clusters = f"{run.summary.clusters:,} cluster" + ("" if run.summary.clusters == 1 else "s")
    items = f"{run.summary.items:,} questions in {clusters}, which the 95 % intervals resample"
    caption = f"{run.summary.benchmark}: every mode returns at most {budget} units. {items}."
    return Table(f"scores_at_{budget}", caption, heads, rows)


def _size_table(run: MemoryRun) -> Table:
    """What each mode returned on average, to check that equal budgets gave answers of equal size."""
    rows = tuple(
        (mode, budget, *(_figure(run, mode, budget, size) for size in SIZES))
        for budget in run.summary.budgets
        for mode in run.summary.modes
    )
    heads = (Column("mode"), Column("budget", "count"), *columns("number", *(f"{size} per question" for size in SIZES)))
    return Table("returned", "Units returned on average, and the words and punctuation marks in them.", heads, rows)


def group_tables(run: MemoryRun, budget: int) -> Iterator[Table]:
    """The first two headline metrics by each grouping of the benchmark that has a readable number of groups."""
    groupings = sorted({figure.group.partition("=")[0] for figure in run.summary.figures} - {OVERALL})
    for grouping in groupings:
        own = (figure.group for figure in run.summary.figures if figure.group.partition("=")[0] == grouping)
        groups = list(dict.fromkeys(own))
        for metric in run.table.headlines(budget)[:2] if 1 < len(groups) <= _MOST_GROUPS else ():
            kind = run.table.metric(metric).kind
            rows = tuple((mode, *(_figure(run, mode, budget, metric, g) for g in groups)) for mode in run.summary.modes)
            heads = (Column("mode"), *columns(kind, *(group.partition("=")[2] or "none" for group in groups)))
            name = f"{metric.replace('@', '_at_')}_by_{grouping}_{budget}"
            yield Table(name, f"{metric}, by {grouping}, at a budget of {budget}.", heads, rows)


def baseline_tables(run: MemoryRun) -> dict[int, Table]:
    """The paired tests of every mode against the baseline, by budget, as `csuite compare` makes them; empty without a baseline."""
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


_TIMES: ItemColumns[SystemSpeed] = {
    "mode": ("text", lambda speed: speed.system),
    "budget": ("count", lambda speed: int(speed.group.partition("=")[2])),
    "p50, ms": ("number", lambda speed: speed.p50_ms),
    "p95, ms": ("number", lambda speed: speed.p95_ms),
    "first search, median ms": ("number", lambda speed: speed.cold_ms),
    "questions": ("count", lambda speed: speed.items),
    "searched again": ("count", lambda speed: speed.repetitions),
}


def time_table(run: MemoryRun) -> Table | None:
    """How long searches took; None if they were not timed."""
    if run.timing is None or not run.timing.speeds:
        return None
    caption = (
        f"{_timed(run)} Not included: encoding the questions, reranking scores that are in the cache, and reading documents into a "
        "memory. To compare with another machine, use the calibration: a fixed computation that took "
        f"{run.timing.calibration_ms:.3g} ms here."
    )
    return tabulate("times", caption, run.timing.speeds, _TIMES)


def _timed(run: MemoryRun) -> str:
    """Which searches p50 and p95 are about."""
    if run.timing is None or not any(speed.repetitions for speed in run.timing.speeds):
        return "First searches: the first search in each memory includes what the mode builds for it."
    if run.table.is_structured:
        return "Warm searches: each memory had been searched with other questions before."
    return "Warm searches: each memory had been searched with the same question before."


def _figure(run: MemoryRun, mode: str, budget: int, metric: str, group: str = OVERALL) -> Interval | None:
    found = run.summary.figure(mode, budget, metric, group)
    return None if found is None else found.figure


@show_each
def show_memory_run(path: Path, _: ShowOptions) -> Display:
    """The page of one run."""
    run = load_memory_run(path)
    summary = run.summary
    about = f"{summary.items:,} questions, {len(summary.modes)} modes. Content {run.artifact.manifest.content[:12]}."
    return Display(Masthead(summary.benchmark, "memory", about), tuple(s for s in _sections(run) if s.blocks))


def remarks_of(run: MemoryRun) -> list[str]:
    """Cautions that a reader needs before trusting the figures."""
    remarks = []
    if run.summary.benchmark == "longmemeval":
        remarks.append(
            "Do not compare figures on LongMemEval's oracle file, pooled or not, with LongMemEval-S or -M: every session of the "
            "oracle file is evidence for some question."
        )
    if run.summary.clusters < 200:
        remarks.append(
            f"{run.summary.clusters} independent clusters are few: a difference of some points could be chance."
        )
    if not set(FIXTURES).isdisjoint(run.artifact.manifest.settings.get("datasets", ())):
        remarks.append(
            "The bundled cases were written for this package; figures on them say nothing about other documents."
        )
    context = len({row.cluster for row in run.outcomes if _needs_context(row)}) if run.table.is_structured else 0
    if context:
        remarks.append(
            f"{context} probes leave out what was confirmed before, so no static mode can find their answer. They count in probe_mrr "
            "only."
        )
    for field, count in run.summary.not_evaluated.items():
        remarks.append(f"Not evaluated in {count} cases: {field}.")
    return [*remarks, *run.summary.notes[:20]]


def _needs_context(row: ItemResult) -> bool:
    return row.groups.get("part") == "probe" and CONTEXT in row.groups.get("tags", "").split()


def _sections(run: MemoryRun) -> Iterator[Section]:
    budgets = run.summary.budgets
    scores = (score_table(run, budget) for budget in budgets)
    remarks = Remarks(tuple(remarks_of(run)))
    yield Section("scores", "Scores", _ABOUT_SCORES, (_charts(run), *scores, remarks))
    yield Section("tests", "Against BM25", _ABOUT_TESTS, tuple(baseline_tables(run).values()))
    groups = (table for budget in budgets for table in group_tables(run, budget))
    yield Section("groups", "By kind of question", _ABOUT_GROUPS, tuple(groups))
    if run.table.is_structured:
        verdicts = (*rewording_tables(run), *ablation_tables(run), *claim_tables(run), *replay_tables(run))
        yield Section("claims", "Parts and claims", _ABOUT_CLAIMS, verdicts)
    yield Section("sizes", "What was returned", "How much the modes returned at equal budgets.", (_size_table(run),))
    if (times := time_table(run)) is not None:
        yield Section("times", "Times", "Times depend on the machine and are not part of the run's content.", (times,))


def _charts(run: MemoryRun) -> Charts:
    """A bar chart of the first headline metric per budget, if that metric is a share."""
    charts = []
    for budget in run.summary.budgets:
        metric = next(iter(run.table.headlines(budget)), None)
        if metric is not None and run.table.metric(metric).share:
            figures = ((mode, _figure(run, mode, budget, metric)) for mode in run.summary.modes)
            rows = [(mode, figure) for mode, figure in figures if figure is not None]
            name, title = f"chart-{run.summary.benchmark}-{budget}", f"{metric}, %, budget {budget}"
            charts.append(bar_chart(name, title, rows, None))
    return Charts(tuple(charts))
