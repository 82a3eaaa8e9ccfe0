"""The tables of a report of benchmarks: one function for each question about an arena."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from constraintsuite.records.figures import CellValue
from constraintsuite.records.tables import Column, Table
from constraintsuite.vectors.ann.frontier import Arena, Reached, arenas, engine_of, keep_up, reach, settings_of
from constraintsuite.vectors.ann.results import AnnRun, Failure, MeasuredCell
from constraintsuite.vectors.ann.run_labels import labelled

_MEGA = 1e6
_LONGEST = 200  # letters of one line of an error
_PERCENTILES = {"p50": "p50", "p95": "p95", "p99": "p99", "p999": "p99.9"}


def overview(run: AnnRun) -> Iterator[Table]:
    """What one wants to see at the end of a run: every cell, and what failed."""
    for arena, cells in arenas(run.cells).items():
        yield measured(arena, cells)
        if (times := latencies(arena, cells)) is not None:
            yield times
    if run.failures or run.failed_rankings:
        yield failures([run])


def measured(arena: Arena, cells: Sequence[MeasuredCell]) -> Table:
    """Recall beside speed, in one arena; the fastest first."""
    columns = (
        Column("engine"),
        Column("search"),
        Column(f"ann.recall_tie@{arena.k}", "share"),
        Column(f"ann.recall@{arena.k}", "share"),
        Column(f"ann.recall_p05@{arena.k}", "share"),
        Column("missing", "share"),
        Column("queries/s", "count"),
        Column("variation", "share"),
    )
    caption = (
        f"{arena.title}. Median of the repeats; variation is their standard deviation over their mean. 95 % of the "
        "queries reach recall_p05. Missing are places without a row."
    )
    rows = sorted(cells, key=lambda cell: -cell.speed.qps)
    return Table(f"cells_{arena.slug}", caption, columns, tuple(map(_cell_row, rows)))


def gaps(arena: Arena, cells: Sequence[MeasuredCell]) -> Table:
    """How much is lost where neighbours are missed."""
    columns = (Column("engine"), Column("search"), Column(f"ann.kth_gap@{arena.k}", "number"))
    near = [cell for cell in cells if not cell.exact]
    rows = tuple((_engine(cell), cell.point.setting, cell.figures[f"ann.kth_gap@{arena.k}"]) for cell in near)
    caption = (
        f"{arena.title}. By how much the worst row found scores below the last true neighbour, in the metric of the data; over "
        "queries with a full answer."
    )
    return Table(f"gaps_{arena.slug}", caption, columns, rows)


def latencies(arena: Arena, cells: Sequence[MeasuredCell]) -> Table | None:
    """How long single queries take; None where a call holds more than one."""
    timed = sorted((cell for cell in cells if cell.speed.latencies_ms), key=lambda cell: -cell.speed.qps)
    if not timed:
        return None
    columns = (
        Column("engine"),
        Column("search"),
        *(Column(f"{name}, ms", "number") for name in _PERCENTILES.values()),
        Column("in the engine", "share"),
    )
    rows = tuple(
        (
            _engine(cell),
            cell.point.setting,
            *((cell.speed.latencies_ms or {}).get(key) for key in _PERCENTILES),
            cell.speed.engine_share,
        )
        for cell in timed
    )
    caption = (
        f"{arena.title}. Latency of a query, over all calls of all repeats; and how much of the measured time was spent in the calls, the "
        "rest being the harness."
    )
    return Table(f"latencies_{arena.slug}", caption, columns, rows)


def reached(arena: Arena, cells: Sequence[MeasuredCell], targets: Sequence[float]) -> Iterator[Table]:
    """Queries a second at targets of recall: at a glance, and with all that belongs to it."""
    rows = reach(cells, targets)
    how = f"{arena.title}. The fastest setting that reaches the target on one half of the queries{_half_size(cells)}"
    yield Table(
        f"speed_at_recall_{arena.slug}",
        f"{how}, in queries a second; a dash where none does so there.",
        (
            Column("engine"),
            *(Column(f"ann.recall_tie@{arena.k} ≥ {100 * target:.4g} %", "count") for target in targets),
        ),
        _crossed(rows, [None if row.cell is None else row.cell.speed.qps for row in rows]),
    )
    columns = (Column("engine"), Column("target", "share"), *_reached_columns(arena))
    details = tuple(_reached_row(row, "not reached") for row in rows)
    yield Table(f"targets_{arena.slug}", f"{how}, and its recall on the other.", columns, details)


def kept_up(arena: Arena, cells: Sequence[MeasuredCell], speeds: Sequence[float]) -> Iterator[Table]:
    """The best recall at so many queries a second: at a glance, and with all that belongs to it."""
    rows = keep_up(cells, speeds)
    chosen = f"The most exact setting on one half of the queries{_half_size(cells)} that is as fast"
    how = f"{arena.title}. {chosen}, and its recall on the other"
    yield Table(
        f"recall_at_speed_{arena.slug}",
        f"{how}: ann.recall_tie@{arena.k}.",
        (Column("engine"), *(Column(f"queries/s ≥ {speed:,.10g}", "share") for speed in speeds)),
        _crossed(rows, [row.recall for row in rows]),
    )
    columns = (Column("engine"), Column("at least, queries/s", "count"), *_reached_columns(arena))
    details = tuple(_reached_row(row, "not as fast") for row in rows)
    yield Table(f"speeds_{arena.slug}", f"{how}.", columns, details)


def builds(arena: Arena, cells: Sequence[MeasuredCell], full_bytes: int) -> Table:
    """What each index costs; `full_bytes` is what the vectors themselves take."""
    columns = (
        Column("engine"),
        Column("build, s", "number"),
        Column("save, s", "number"),
        Column("load, s", "number"),
        Column("index, MB", "number"),
        Column("memory, MB", "number"),
        Column("peak, MB", "number"),
        Column("library"),
    )
    by_build = {(cell.point.series, str(cell.point.build), cell.point.threads, cell.library): cell for cell in cells}
    threads = {cell.point.threads for cell in cells}
    rows = tuple(
        (
            f"{series}, {cell.point.threads} thread{'s' if cell.point.threads > 1 else ''}"
            if len(threads) > 1
            else series,
            cell.cost.build_seconds,
            cell.cost.save_seconds,
            cell.cost.load_seconds,
            *(_mega(size) for size in (cell.cost.index_bytes, cell.cost.memory_bytes, cell.cost.peak_bytes)),
            cell.library,
        )
        for (series, *_), cell in by_build.items()
    )
    caption = (
        f"{arena.data}. Each index is built in a fresh process. Memory is what its anonymous memory grew by, so that mapped vectors do not "
        "count; peak is all that the process held, libraries included. Of a server neither says anything."
    )
    if any(cell.point.rerank > 1 for cell in cells):
        caption += (
            f" A search with rerank reads the full vectors too, {full_bytes / _MEGA:,.3g} MB that are not counted here."
        )
    return Table(f"builds_{arena.set_slug}{arena.tag_slug}", caption, columns, rows)


def failures(runs: Sequence[AnnRun]) -> Table:
    """What could not be measured, and why; of several runs, in which."""
    columns = tuple(map(Column, ("engine", "search", "data", "mode", "why")))
    rows: list[tuple[CellValue, ...]] = []
    several = len(runs) > 1
    for label, run in labelled(runs):
        own = [_failure_row(one) for one in run.failures]
        own += [(one.retriever, None, one.data, "ranking", _brief(one.error)) for one in run.failed_rankings]
        rows += [(*row, label) if several else row for row in own]
    if several:
        columns = (*columns, Column("run"))
    return Table(
        "failures",
        "What failed; a rerun tries it again. All that was said is in failed/KEY.json.",
        columns,
        tuple(rows),
    )


def _failure_row(one: Failure) -> tuple[CellValue, ...]:
    return (
        one.point.series,
        one.point.setting,
        one.point.data,
        f"{one.point.mode}, k = {one.point.k}",
        _brief(one.error),
    )


def _engine(cell: MeasuredCell) -> str:
    return f"{engine_of(cell)}{cell.point.series.removeprefix(cell.point.name)}"


def _half_size(cells: Sequence[MeasuredCell]) -> str:
    sizes = {cell.figures[f"ann.recall_tie@{cell.point.k}.tune"].n for cell in cells}
    return f" (n = {min(sizes)})" if len(sizes) == 1 else ""


def _brief(error: str) -> str:
    """In a line: how it begins, and how it ends, where libraries say what was wrong."""
    lines = [" ".join(line.split()) for line in error.splitlines() if line.strip()]
    parts = dict.fromkeys([*lines[:1], *lines[-1:]])
    return " … ".join(
        part if len(part) <= _LONGEST else f"{part[: _LONGEST // 2]} … {part[-_LONGEST // 2 :]}" for part in parts
    )


def _cell_row(cell: MeasuredCell) -> tuple[CellValue, ...]:
    k = cell.point.k
    return (
        _engine(cell),
        cell.point.setting,
        cell.figures[f"ann.recall_tie@{k}"],
        cell.figures[f"ann.recall@{k}"].value,
        cell.figures[f"ann.recall_p05@{k}"].value,
        cell.figures[f"ann.incomplete@{k}"].value,
        cell.speed.qps,
        cell.speed.variation,
    )


def _crossed(rows: Sequence[Reached], values: Sequence[CellValue]) -> tuple[tuple[CellValue, ...], ...]:
    """One row an engine, one column a target."""
    found: dict[str, list[CellValue]] = {}
    for row, value in zip(rows, values, strict=True):
        found.setdefault(row.name, []).append(value)
    return tuple((name, *own) for name, own in found.items())


def _reached_columns(arena: Arena) -> tuple[Column, ...]:
    recall = f"ann.recall_tie@{arena.k} on the other half"
    return Column("queries/s", "count"), Column(recall, "share"), Column("reached with")


def _reached_row(row: Reached, otherwise: str) -> tuple[CellValue, ...]:
    if row.cell is None:
        return row.name, row.target, None, None, otherwise if row.decided else "too few queries to choose a setting"
    return row.name, row.target, row.cell.speed.qps, row.recall, settings_of(row.cell)


def _mega(size: int | None) -> float | None:
    return None if size is None else size / _MEGA
