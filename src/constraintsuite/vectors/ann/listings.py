"""What a report of benchmarks tells: rows under named columns, one function a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from constraintsuite.records.scores import Interval
from constraintsuite.vectors.ann.frontier import Arena, arenas, reach
from constraintsuite.vectors.ann.metrics import TIE_RULES
from constraintsuite.vectors.ann.results import NOTHING, AnnRun, Cell, Failure

Kind = Literal["text", "count", "share", "number"]
Value = Interval | float | int | str | None
_MEGA = 1e6
_SHOWN = ("rel.recall@", "rel.ndcg@", "rel.rr@")  # of the figures of relevance; all of them are in the cells


@dataclass(frozen=True)
class Listing:
    """Rows, and for each column its title and how its values are shown."""

    name: str
    caption: str
    columns: tuple[tuple[str, Kind], ...]
    rows: tuple[tuple[Value, ...], ...]


def overview(run: AnnRun) -> Iterator[Listing]:
    """What one wants to see at the end of a run: every cell, and what failed."""
    for arena, cells in arenas(run.cells).items():
        yield measured(arena, cells)
    if run.failures:
        yield failures(run.failures)


def measured(arena: Arena, cells: Sequence[Cell]) -> Listing:
    """Recall beside speed, in one arena; the fastest first."""
    timed = arena.mode != "batch"
    columns: list[tuple[str, Kind]] = [
        ("engine", "text"),
        ("search", "text"),
        (f"ann.recall_tie@{arena.k}, %", "share"),
        (f"ann.recall@{arena.k}, %", "share"),
        ("worst 5 %", "share"),
        ("missing, %", "share"),
        ("queries/s", "count"),
        ("variation, %", "share"),
    ]
    columns += [("p50, ms", "number"), ("p99, ms", "number")] if timed else []
    caption = f"{arena.title}. Median of the repeats; variation is their standard deviation over their mean."
    rows = sorted(cells, key=lambda cell: -cell.speed.qps)
    return Listing(f"cells_{arena.slug}", caption, tuple(columns), tuple(_cell_row(cell, timed) for cell in rows))


def reached(arena: Arena, cells: Sequence[Cell], targets: Sequence[float]) -> Listing:
    """Queries a second at targets of recall."""
    columns: tuple[tuple[str, Kind], ...] = (
        ("engine", "text"),
        ("target, %", "share"),
        ("queries/s", "count"),
        (f"ann.recall_tie@{arena.k} on the other half, %", "share"),
        ("reached with", "text"),
    )
    rows = tuple(
        (
            row.name,
            row.target,
            None if row.cell is None else row.cell.speed.qps,
            row.recall,
            "not reached" if row.cell is None else _settings(row.cell),
        )
        for row in reach(cells, targets)
    )
    caption = f"{arena.title}. The fastest setting that reaches the target on one half of the queries, and its recall on the other."
    return Listing(f"targets_{arena.slug}", caption, columns, rows)


def builds(data: str, cells: Sequence[Cell]) -> Listing:
    """What each index costs."""
    columns: tuple[tuple[str, Kind], ...] = (
        ("engine", "text"),
        ("build, s", "number"),
        ("save, s", "number"),
        ("load, s", "number"),
        ("index, MB", "number"),
        ("memory, MB", "number"),
        ("peak, MB", "number"),
        ("library", "text"),
    )
    by_series = {cell.point.series: cell for cell in cells}
    rows = tuple(
        (
            series,
            cell.cost.build_seconds,
            cell.cost.save_seconds,
            cell.cost.load_seconds,
            *(_mega(size) for size in (cell.cost.index_bytes, cell.cost.memory_bytes, cell.cost.peak_bytes)),
            cell.library,
        )
        for series, cell in by_series.items()
    )
    caption = (
        f"{data}. Each index is built in a fresh process. Memory is what its anonymous memory grew by, so that mapped vectors do not "
        "count; peak is all that the process held, libraries included. Of a server neither says anything."
    )
    return Listing(f"builds_{data}", caption, columns, rows)


def judged(arena: Arena, cells: Sequence[Cell]) -> Listing | None:
    """People's judgments: what was found beside what exact search finds, if there are any judgments."""
    known = [cell for cell in cells if any(name.startswith("rel.") for name in cell.figures)]
    if not known:
        return None
    names = [name for name in known[0].figures if name.startswith(_SHOWN)]
    columns: list[tuple[str, Kind]] = [("engine", "text"), ("search", "text")]
    for name in names:
        columns += [(f"{name}, %", "share"), (f"exact {name}, %", "share")]
    rows = tuple(_judged_row(cell, names) for cell in known)
    caption = (
        f"{arena.title}. Over queries with a relevant row among the vectors. Exact search is the ceiling: what is missing up to it "
        "is the index's doing, the rest the encoder's. Fewer rows make a task easier, so that figures hold for this set alone."
    )
    return Listing(f"relevance_{arena.slug}", caption, tuple(columns), rows)


def failures(failed: Sequence[Failure]) -> Listing:
    """What could not be measured, and why."""
    columns: tuple[tuple[str, Kind], ...] = (
        ("engine", "text"),
        ("search", "text"),
        ("data", "text"),
        ("mode", "text"),
        ("why", "text"),
    )
    rows = tuple(
        (one.point.series, one.point.setting, one.point.data, f"{one.point.mode}, k = {one.point.k}", one.error)
        for one in failed
    )
    return Listing("failures", "Cells that failed; a rerun tries them again.", columns, rows)


def conditions(runs: Sequence[AnnRun]) -> Listing:
    """On what and where was measured."""
    columns: tuple[tuple[str, Kind], ...] = (
        ("run", "text"),
        ("data", "text"),
        ("rows", "count"),
        ("queries", "count"),
        ("dimensions", "count"),
        ("metric", "text"),
        ("ties", "text"),
        ("protocol", "text"),
        ("machine", "text"),
    )
    return Listing("conditions", "What was measured, how and where.", columns, tuple(_conditions(runs)))


def _conditions(runs: Sequence[AnnRun]) -> Iterator[tuple[Value, ...]]:
    for run in runs:
        host, how = run.facts.host, run.facts.settings["protocol"]
        machine = f"{host.get('processor')}, {host.get('processors')} processors, {host.get('system')}"
        protocol = f"{how['repeats']} repeats of {how['min_seconds']:g} s or more, {how['threads']} threads, warm-up {how['warmup']}"
        for data in run.facts.data:
            yield (
                run.path.name,
                f"{data.name} ({data.content[:12]})",
                data.rows,
                data.queries,
                data.dimensions,
                data.metric,
                next((text for rule, text in TIE_RULES.items() if rule == run.facts.ties), run.facts.ties),
                protocol,
                machine,
            )


def _settings(cell: Cell) -> str:
    point = cell.point
    return point.series if point.setting == NOTHING else f"{point.series}; {point.setting}"


def _cell_row(cell: Cell, timed: bool) -> tuple[Value, ...]:
    k, point = cell.point.k, cell.point
    latencies = cell.speed.latencies_ms or {}
    return (
        f"{point.series} (exact)" if cell.exact and point.name != "exact" else point.series,
        point.setting,
        cell.figures[f"ann.recall_tie@{k}"],
        cell.figures[f"ann.recall@{k}"].value,
        cell.figures[f"ann.recall_p05@{k}"].value,
        cell.figures[f"ann.incomplete@{k}"].value,
        cell.speed.qps,
        cell.speed.variation,
        *((latencies.get("p50"), latencies.get("p99")) if timed else ()),
    )


def _judged_row(cell: Cell, names: Sequence[str]) -> tuple[Value, ...]:
    pairs = [(cell.figures[name], cell.figures[name.replace("rel.", "rel.ceiling.", 1)]) for name in names]
    return cell.point.series, cell.point.setting, *(figure for pair in pairs for figure in pair)


def _mega(size: int | None) -> float | None:
    return None if size is None else size / _MEGA
