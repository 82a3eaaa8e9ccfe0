"""The report of benchmarks, section by section."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from constraintsuite.core.records.sections import Charts, Remarks, Section
from constraintsuite.core.records.tables import Table
from constraintsuite.experiments.differences import LEGEND, difference_table, settings_table
from constraintsuite.experiments.experiment import NothingToCompareError, compare_experiments
from constraintsuite.models.retrieval.topk import FloatArray
from constraintsuite.vectors.ann import charts, frontier, tables
from constraintsuite.vectors.ann.conditions import about_servers, identities, judged, machines, remarks, sets
from constraintsuite.vectors.ann.experiment import RECALL, ann_experiment, choose_cells
from constraintsuite.vectors.ann.frontier import Arena
from constraintsuite.vectors.ann.results import NOTHING, AnnRun, MeasuredCell, load_queries

_FIRST = "What was measured, how and where; and what the figures do not say."
_ARENA = (
    "Compare figures only within this section. Lines join the settings of an engine that no other setting of it beats; the other "
    "points are hollow. Dashed lines are engines that compare everything, and rankings without vectors. Recalls of 99.95 % and "
    "above are on the right edge. The plot of single queries shows the fastest setting of each engine that reaches the lowest "
    "target, or its most exact one. With rerank, the size includes the index and the full vectors."
)
_COMPARED = (
    "Engines query by query, in ann.recall_tie. On one half of the queries, the fastest setting that reaches the target is chosen, "
    "and the most exact one; both are compared on the other half. The same two settings at several targets are one test. Speeds "
    f"have no p: repeats on one machine are not a sample. {LEGEND}"
)
_BUILDS = "Time, memory and size of each index."
_FAILURES = "What could not be measured is missing in the tables above."
_MOST_SPEEDS = 4


def ann_sections(runs: Sequence[AnnRun]) -> Iterator[Section]:
    """All sections of the report; those with nothing to show are left out."""
    shown = frontier.separate_runs(runs)
    first = Remarks(tuple(dict.fromkeys(remarks(runs)))), sets(runs), machines(runs)
    yield Section("first", "Read this first", _FIRST, first)
    found, names = frontier.arenas_of_runs(shown), identities(runs)
    described: set[tuple[str, int, str]] = set()
    for arena, cells in found.items():
        of = (arena.content, arena.k, arena.tag)
        is_first = of not in described  # builds and found rows are the same in every mode
        described.add(of)
        yield _arena_section(shown, arena, cells, names[arena.content], is_first=is_first)
    yield from _compared(runs)
    if found:
        yield _costs(shown, found, names)
    if any(run.failures or run.failed_rankings for run in runs):
        yield Section("failures", "Failures", _FAILURES, (tables.failures(runs),))


def round_speeds(cells: Sequence[MeasuredCell]) -> list[float]:
    """A few of 1, 2, 5, 10, ... queries per second between the slowest and the fastest approximate cell."""
    speeds = [frontier.speed_of(cell) for cell in cells if not cell.exact]
    if not speeds:
        return []
    steps = [float(f"{digit}e{power}") for power in range(-3, 10) for digit in (1, 2, 5)]
    inside = [step for step in steps if min(speeds) < step <= max(speeds)]
    return inside[:: -math.ceil(len(inside) / _MOST_SPEEDS)][::-1] if inside else []


def _arena_section(
    runs: Sequence[AnnRun], arena: Arena, cells: Sequence[MeasuredCell], of: str, *, is_first: bool
) -> Section:
    plots = [charts.recall_chart(arena, cells, charts.SPEED)]
    if arena.mode == "serial":
        plots.append(charts.recall_chart(arena, cells, charts.LATENCY))
    if is_first:
        rankings = [ranking for run in runs for ranking in run.rankings if ranking.content == arena.content]
        size = charts.size_quantity(_full_bytes(runs, arena.content))
        plots += [
            charts.recall_chart(arena, cells, charts.BUILD),
            charts.recall_chart(arena, cells, size),
            charts.spread_chart(arena, _recalls(runs, cells, min(_targets(runs), default=1.0))),
            charts.relevance_chart(arena, cells, rankings),
        ]
    source = f"{arena.data}, k = {arena.k}, n = {_queries(cells)}, {arena.mode}; {of}"
    drawn = tuple(replace(plot, note=source) for plot in plots if plot is not None)
    found = _arena_tables(runs, arena, cells, is_first=is_first, approximate=plots[0] is not None)
    about = f"Data: {of}. {_ARENA}{about_servers(cells)}"
    return Section(arena.slug, arena.title, about, (Charts(drawn), *(_with_source(table, of) for table in found)))


def _arena_tables(
    runs: Sequence[AnnRun], arena: Arena, cells: Sequence[MeasuredCell], *, is_first: bool, approximate: bool
) -> Iterator[Table]:
    """Tables for reading are shown; reference tables are collapsed."""
    asked = {float(speed) for run in runs for speed in run.facts.settings["speeds"]}
    if targets := _targets(runs):
        glance, details = tables.speed_at_recall(arena, cells, targets)
        yield glance
        yield replace(details, fold="Targets with settings, and recall on the other half")
    if speeds := sorted(asked) or round_speeds(cells):
        glance, details = tables.recall_at_speed(arena, cells, speeds)
        yield glance
        yield replace(details, fold="Speeds with settings")
    yield replace(tables.measured(arena, cells), fold=f"All {len(cells)} cells")
    if (times := tables.latencies(arena, cells)) is not None:
        yield replace(times, fold=f"Latencies of all {len(times)} cells")
    if is_first and approximate:
        gaps = tables.gaps(arena, cells)
        yield replace(gaps, fold=f"Gaps of {len(gaps)} approximate cells")
    if is_first and (relevance := judged(arena, cells, runs)) is not None:
        yield relevance


def _targets(runs: Sequence[AnnRun]) -> list[float]:
    return sorted({target for run in runs for target in run.facts.targets})


def _recalls(runs: Sequence[AnnRun], cells: Sequence[MeasuredCell], target: float) -> list[tuple[str, FloatArray]]:
    return [
        (
            name if cell.point.setting == NOTHING else f"{name}, {cell.point.setting}",
            load_queries(frontier.find_run(runs, cell), cell).recall_tie,
        )
        for name, cell in frontier.best_cells(cells, target).items()
    ]


def _compared(runs: Sequence[AnnRun]) -> Iterator[Section]:
    """Compare the engines of each run separately, since the correction is over the tests of a run."""
    names = identities(runs)
    blocks: list[Table] = []
    for number, (label, run) in enumerate(frontier.label_runs(runs), 1):
        for content, table in _run_compared(run, f"compared_{number}"):
            of = names[content] if len(runs) == 1 else f"{names[content]}, run {label}"
            blocks.append(_with_source(table, of))
    if blocks:
        yield Section("compared", "Engines compared", _COMPARED, tuple(blocks))


def _run_compared(run: AnnRun, name: str) -> Iterator[tuple[str, Table]]:
    """For each arena with two engines to compare: the content of its data with the tests, and with the settings."""
    try:
        compared = compare_experiments([ann_experiment(run)], [RECALL])
    except NothingToCompareError:
        return
    tested = {test.group for test in compared.tests}
    groups: dict[Arena, list[str]] = {}
    for one in choose_cells(run):
        groups.setdefault(one.arena, []).extend([one.group] if one.group in tested else [])
    for number, (arena, inside) in enumerate(groups.items(), 1):
        if inside:
            caption = f"{arena.title}. {RECALL}@{arena.k}, paired by query."
            own = [test for test in compared.tests if test.group in inside]
            found = difference_table(f"{name}_{number}", caption, own, ("systems", "group"))
            settings = {
                system: {group: details for group, details in own_settings.items() if group in inside}
                for system, own_settings in compared.settings.items()
            }
            caption = f"{arena.title}. The setting of each engine that was chosen on the other half of the queries."
            chosen = settings_table(f"settings_{name}_{number}", caption, settings)
            yield arena.content, found
            yield arena.content, replace(chosen, fold="Settings of the engines compared")


def _costs(runs: Sequence[AnnRun], found: dict[Arena, list[MeasuredCell]], names: dict[str, str]) -> Section:
    by_set: dict[tuple[str, str, str], tuple[Arena, list[MeasuredCell]]] = {}
    for arena, cells in found.items():
        by_set.setdefault((arena.data, arena.content, arena.tag), (arena, []))[1].extend(cells)
    blocks = tuple(
        _with_source(tables.builds(arena, cells, _full_bytes(runs, arena.content)), names[arena.content])
        for arena, cells in by_set.values()
    )
    return Section("builds", "Builds", _BUILDS, blocks)


def _queries(cells: Sequence[MeasuredCell]) -> int:
    return cells[0].figures[f"ann.recall_tie@{cells[0].point.k}"].n


def _full_bytes(runs: Sequence[AnnRun], content: str) -> int:
    """Size of the vectors of a data set in single precision."""
    return next(4 * data.rows * data.dimensions for run in runs for data in run.facts.data if data.content == content)


def _with_source(table: Table, of: str) -> Table:
    return replace(table, caption=f"{table.caption} Data: {of}.")
