"""A run of a memory benchmark as sections of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.experiments.differences import LEGEND
from constraintsuite.memory.cases.grounding import FIXTURES
from constraintsuite.memory.cases.model import CONTEXT
from constraintsuite.memory.outcomes import ItemResult
from constraintsuite.memory.runs.record import MemoryRun, load_memory_run
from constraintsuite.records.sections import Charts, Remarks, Section, SectionBlock, TableBlock
from constraintsuite.reports.drawings.bars import bar_chart
from constraintsuite.reports.drawings.svg import Drawing
from constraintsuite.reports.page import Masthead
from constraintsuite.showing.display import Display, ShowOptions, mark_section, refusing_others
from constraintsuite.showing.memory.tables import (
    baseline_tables,
    group_tables,
    score_table,
    size_table,
    time_table,
)
from constraintsuite.showing.memory.verdicts import ablation_tables, claim_tables, replay_tables, rewording_tables

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
