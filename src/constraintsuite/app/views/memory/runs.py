"""Runs of memory benchmarks as tables and as the sections of a page: the same for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.app.pages.drawings.bars import bar_chart
from constraintsuite.app.pages.drawings.svg import Drawing
from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.views.display import Display, ShowOptions, mark_section, refusing_others
from constraintsuite.app.views.memory.verdicts import ablation_tables, claim_tables, replay_tables, rewording_tables
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.sections import Charts, Remarks, Section, SectionBlock, TableBlock
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.experiments.differences import LEGEND, difference_table
from constraintsuite.experiments.experiment import NothingToCompareError, compare_experiments
from constraintsuite.experiments.outcome_table import OVERALL
from constraintsuite.memory.cases.files import FIXTURES
from constraintsuite.memory.cases.model import CONTEXT
from constraintsuite.memory.results import ItemResult
from constraintsuite.memory.runs.experiment import BASELINE, MemoryRun, load_memory_run, memory_experiment
from constraintsuite.memory.runs.table import BUDGET, SIZES

_MOST_GROUPS = 12
_ABOUT_SCORES = (
    "All modes were asked the same questions and may return the same number of units, so that no mode can win by returning "
    "more. Every figure is a mean with its 95 % interval."
)
_ABOUT_TESTS = (
    f"Whether a mode is better than plain BM25 on the same questions, or whether that could be chance. {LEGEND}"
)
_ABOUT_GROUPS = "The same figures by kind of question."
_ABOUT_CLAIMS = (
    "What each part of a memory is worth, and the hypotheses of the benchmark strategy, each judged on this run: supported, "
    "not supported, or undecided. What the run lacks the modes for is not judged."
)


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


@refusing_others
def show_memory_run(paths: Sequence[Path], options: ShowOptions) -> Display:
    """One page of one run or of several; of several, each section says which run it is of."""
    runs = [load_memory_run(path) for path in paths]
    title = ", ".join(dict.fromkeys(run.summary.benchmark for run in runs))
    questions = sum(run.summary.items for run in runs)
    contents = ", ".join(run.artifact.manifest.content[:12] for run in runs)
    about = f"{questions:,} questions, {max(len(run.summary.modes) for run in runs)} modes. Content {contents}."
    sections = tuple(section for run in runs for section in _sections(run, many=len(runs) > 1))
    return Display(Masthead(title, "memory", about), sections)


def _sections(run: MemoryRun, *, many: bool) -> Iterator[Section]:
    """The parts of the page that a run has something for."""
    mark = f"{run.summary.benchmark}-{run.artifact.manifest.content[:6]}-"
    for name, title, about, blocks in _chapters(run):
        if blocks:
            section = Section(name, title, about, tuple(blocks))
            of = f"{title} of {run.summary.benchmark}"
            yield replace(mark_section(section, mark), title=of) if many else section


def remarks_of(run: MemoryRun) -> list[str]:
    """What one should know before believing a figure."""
    said = []
    if run.summary.benchmark == "longmemeval":
        said.append(
            "Figures on LongMemEval's oracle file, pooled or not, are not those of LongMemEval-S or -M: its sessions are "
            "the evidence of some question, and nothing else."
        )
    if run.summary.clusters < 200:
        said.append(
            f"{run.summary.clusters} independent clusters are few: differences of some points are within chance."
        )
    if not set(FIXTURES).isdisjoint(run.artifact.manifest.settings.get("datasets", ())):
        said.append("The bundled cases were written with this product; figures on them say nothing of other documents.")
    apart = len({row.cluster for row in run.outcomes if _needs_context(row)}) if run.table.is_structured else 0
    if apart:
        said.append(
            f"{apart} probes leave out what was confirmed before, so that no static mode can know their answer: they count in "
            "probe_mrr alone."
        )
    for field, count in run.summary.not_evaluated.items():
        said.append(f"Not evaluated in {count} cases: {field}.")
    return [*said, *run.summary.notes[:20]]


def _needs_context(row: ItemResult) -> bool:
    return row.groups.get("part") == "probe" and CONTEXT in row.groups.get("tags", "").split()


def _chapters(run: MemoryRun) -> Iterator[tuple[str, str, str, list[SectionBlock]]]:
    budgets = run.summary.budgets
    charts = tuple(_chart(run, budget) for budget in budgets if run.table.headlines(budget))
    scores: list[SectionBlock] = [Charts(tuple(chart for chart in charts if chart is not None))]
    scores += [TableBlock(score_table(run, budget)) for budget in budgets]
    said = remarks_of(run)
    yield "scores", "Scores", _ABOUT_SCORES, [*scores, *([Remarks(tuple(said))] if said else [])]
    yield "tests", "Against BM25", _ABOUT_TESTS, [TableBlock(table) for table in baseline_tables(run).values()]
    groups = [table for budget in budgets for table in group_tables(run, budget)]
    yield "groups", "By kind", _ABOUT_GROUPS, [TableBlock(table) for table in groups]
    if run.table.is_structured:
        verdicts = [*rewording_tables(run), *ablation_tables(run), *claim_tables(run), *replay_tables(run)]
        yield "claims", "Parts and claims", _ABOUT_CLAIMS, [TableBlock(table) for table in verdicts]
    yield "sizes", "What was returned", "Equal budgets, as they came out.", [TableBlock(size_table(run))]
    times = time_table(run)
    if times is not None:
        yield "times", "Times", "Apart from the content of the run: they belong to the machine.", [TableBlock(times)]


def _chart(run: MemoryRun, budget: int) -> Drawing | None:
    metric = run.table.headlines(budget)[0]
    rows = [
        (mode, figure.figure)
        for mode in run.summary.modes
        if (figure := run.summary.figure(mode, budget, metric)) is not None
    ]
    if not run.table.metric(metric).share:
        return None
    return bar_chart(f"chart-{run.summary.benchmark}-{budget}", f"{metric}, %, budget {budget}", rows, None)
