"""The tables of a report of benchmarks: one function for each question about an arena."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from constraintsuite.core.records.figures import CellValue, ColumnKind
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.vectors.ann import frontier
from constraintsuite.vectors.ann.frontier import Arena, ChosenSetting
from constraintsuite.vectors.ann.results import AnnRun, MeasuredCell

T = TypeVar("T")
ColumnOf = tuple[str, ColumnKind, Callable[[T], CellValue]]
"""Title and kind of a column, and what stands there of each thing that has a row."""
_MEGA = 1e6
_LONGEST = 200  # letters of one line of an error
_PERCENTILES = {"p50": "p50", "p95": "p95", "p99": "p99", "p999": "p99.9"}


def overview(run: AnnRun) -> Iterator[Table]:
    """What one wants to see at the end of a run: every cell, and what failed."""
    for arena, cells in frontier.arenas(run.cells).items():
        yield measured(arena, cells)
        if (times := latencies(arena, cells)) is not None:
            yield times
    if run.failures or run.failed_rankings:
        yield failures([run])


def list_items(name: str, caption: str, items: Iterable[T], columns: Sequence[ColumnOf[T]]) -> Table:
    """A table with a row for each item."""
    rows = tuple(tuple(value(item) for _, _, value in columns) for item in items)
    return Table(name, caption, tuple(Column(title, kind) for title, kind, _ in columns), rows)


def measured(arena: Arena, cells: Sequence[MeasuredCell]) -> Table:
    """Recall beside speed, in one arena; the fastest first."""
    k = arena.k
    columns: list[ColumnOf[MeasuredCell]] = [
        *_CELL,
        (f"ann.recall_tie@{k}", "share", lambda cell: cell.figures[f"ann.recall_tie@{k}"]),
        (f"ann.recall@{k}", "share", lambda cell: cell.figures[f"ann.recall@{k}"].value),
        (f"ann.recall_p05@{k}", "share", lambda cell: cell.figures[f"ann.recall_p05@{k}"].value),
        ("missing", "share", lambda cell: cell.figures[f"ann.incomplete@{k}"].value),
        ("queries/s", "count", lambda cell: cell.speed.qps),
        ("variation", "share", lambda cell: cell.speed.variation),
    ]
    caption = (
        f"{arena.title}. Median of the repeats; variation is their standard deviation over their mean. 95 % of the "
        "queries reach recall_p05. Missing are places without a row."
    )
    return list_items(f"cells_{arena.slug}", caption, _by_speed(cells), columns)


def gaps(arena: Arena, cells: Sequence[MeasuredCell]) -> Table:
    """How much is lost where neighbours are missed."""
    name = f"ann.kth_gap@{arena.k}"
    near = [cell for cell in cells if not cell.exact]
    caption = (
        f"{arena.title}. By how much the worst row found scores below the last true neighbour, in the metric of the data; over "
        "queries with a full answer."
    )
    columns: list[ColumnOf[MeasuredCell]] = [*_CELL, (name, "number", lambda cell: cell.figures[name])]
    return list_items(f"gaps_{arena.slug}", caption, near, columns)


def latencies(arena: Arena, cells: Sequence[MeasuredCell]) -> Table | None:
    """How long single queries take; None where a call holds more than one."""
    timed = [cell for cell in cells if cell.speed.latencies_ms]
    if not timed:
        return None
    caption = (
        f"{arena.title}. Latency of a query, over all calls of all repeats; and how much of the measured time was spent in the calls, the "
        "rest being the harness."
    )
    columns = [*_CELL, *map(_percentile, _PERCENTILES), _IN_THE_ENGINE]
    return list_items(f"latencies_{arena.slug}", caption, _by_speed(timed), columns)


def speed_at_recall(arena: Arena, cells: Sequence[MeasuredCell], targets: Sequence[float]) -> Iterator[Table]:
    """Queries a second at targets of recall: at a glance, and with all that belongs to it."""
    rows = frontier.choose_by_recall(cells, targets)
    how = f"{arena.title}. The fastest setting that reaches the target on one half of the queries{_half_size(cells)}"
    titles = [f"ann.recall_tie@{arena.k} ≥ {100 * target:.4g} %" for target in targets]
    speeds = [None if row.cell is None else row.cell.speed.qps for row in rows]
    caption = f"{how}, in queries a second; a dash where none does so there."
    yield _crossed(f"speed_at_recall_{arena.slug}", caption, titles, "count", rows, speeds)
    target: ColumnOf[ChosenSetting] = ("target", "share", lambda row: row.target)
    yield _chosen(f"targets_{arena.slug}", f"{how}, and its recall on the other.", arena, target, rows, "not reached")


def recall_at_speed(arena: Arena, cells: Sequence[MeasuredCell], speeds: Sequence[float]) -> Iterator[Table]:
    """The best recall at so many queries a second: at a glance, and with all that belongs to it."""
    rows = frontier.choose_by_speed(cells, speeds)
    chosen = f"The most exact setting on one half of the queries{_half_size(cells)} that is as fast"
    how = f"{arena.title}. {chosen}, and its recall on the other"
    titles = [f"queries/s ≥ {speed:,.10g}" for speed in speeds]
    caption = f"{how}: ann.recall_tie@{arena.k}."
    yield _crossed(f"recall_at_speed_{arena.slug}", caption, titles, "share", rows, [row.recall for row in rows])
    least: ColumnOf[ChosenSetting] = ("at least, queries/s", "count", lambda row: row.target)
    yield _chosen(f"speeds_{arena.slug}", f"{how}.", arena, least, rows, "not as fast")


def builds(arena: Arena, cells: Sequence[MeasuredCell], full_bytes: int) -> Table:
    """What each index costs; `full_bytes` is what the vectors themselves take."""
    by_build = {(cell.point.series, str(cell.point.build), cell.point.threads, cell.library): cell for cell in cells}
    several = len({cell.point.threads for cell in cells}) > 1
    columns: list[ColumnOf[MeasuredCell]] = [
        ("engine", "text", lambda cell: f"{cell.point.series}{_threads(cell) if several else ''}"),
        ("build, s", "number", lambda cell: cell.cost.build_seconds),
        ("save, s", "number", lambda cell: cell.cost.save_seconds),
        ("load, s", "number", lambda cell: cell.cost.load_seconds),
        ("index, MB", "number", lambda cell: _mega(cell.cost.index_bytes)),
        ("memory, MB", "number", lambda cell: _mega(cell.cost.memory_bytes)),
        ("peak, MB", "number", lambda cell: _mega(cell.cost.peak_bytes)),
        ("library", "text", lambda cell: cell.library),
    ]
    caption = (
        f"{arena.data}. Each index is built in a fresh process. Memory is what its anonymous memory grew by, so that mapped vectors do not "
        "count; peak is all that the process held, libraries included. Of a server neither says anything."
    )
    if any(cell.point.rerank > 1 for cell in cells):
        caption += (
            f" A search with rerank reads the full vectors too, {full_bytes / _MEGA:,.3g} MB that are not counted here."
        )
    return list_items(f"builds_{arena.set_slug}{arena.tag_slug}", caption, by_build.values(), columns)


def failures(runs: Sequence[AnnRun]) -> Table:
    """What could not be measured, and why; of several runs, in which."""
    rows: list[tuple[CellValue, ...]] = []
    several = len(runs) > 1
    for label, run in frontier.label_runs(runs):
        own: list[tuple[CellValue, ...]] = []
        for one in run.failures:
            point = one.point
            how = f"{point.mode}, k = {point.k}"
            own.append((point.series, point.setting, point.data, how, _brief(one.error)))
        own += [(one.retriever, None, one.data, "ranking", _brief(one.error)) for one in run.failed_rankings]
        rows += [(*row, label) if several else row for row in own]
    titles = ["engine", "search", "data", "mode", "why", *(["run"] if several else [])]
    caption = "What failed; a rerun tries it again. All that was said is in failed/KEY.json."
    return Table("failures", caption, tuple(map(Column, titles)), tuple(rows))


def _engine(cell: MeasuredCell) -> str:
    return f"{frontier.engine_name(cell)}{cell.point.series.removeprefix(cell.point.name)}"


_CELL: tuple[ColumnOf[MeasuredCell], ...] = (
    ("engine", "text", _engine),
    ("search", "text", lambda cell: cell.point.setting),
)
_IN_THE_ENGINE: ColumnOf[MeasuredCell] = ("in the engine", "share", lambda cell: cell.speed.engine_share)


def _percentile(key: str) -> ColumnOf[MeasuredCell]:
    return f"{_PERCENTILES[key]}, ms", "number", lambda cell: (cell.speed.latencies_ms or {}).get(key)


def _by_speed(cells: Iterable[MeasuredCell]) -> list[MeasuredCell]:
    return sorted(cells, key=lambda cell: -cell.speed.qps)


def _threads(cell: MeasuredCell) -> str:
    return f", {cell.point.threads} thread{'s' if cell.point.threads > 1 else ''}"


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


def _crossed(
    name: str,
    caption: str,
    titles: Sequence[str],
    kind: ColumnKind,
    rows: Sequence[ChosenSetting],
    values: Sequence[CellValue],
) -> Table:
    """One row an engine, one column a target."""
    found: dict[str, list[CellValue]] = {}
    for row, value in zip(rows, values, strict=True):
        found.setdefault(row.name, []).append(value)
    columns = (Column("engine"), *(Column(title, kind) for title in titles))
    return Table(name, caption, columns, tuple((engine, *own) for engine, own in found.items()))


def _chosen(
    name: str,
    caption: str,
    arena: Arena,
    target: ColumnOf[ChosenSetting],
    rows: Sequence[ChosenSetting],
    otherwise: str,
) -> Table:
    """The cell that was chosen for each engine and target; `otherwise` stands where there is none."""

    def setting(row: ChosenSetting) -> str:
        if row.cell is None:
            return otherwise if row.decided else "too few queries to choose a setting"
        return frontier.describe_settings(row.cell)

    columns: list[ColumnOf[ChosenSetting]] = [
        ("engine", "text", lambda row: row.name),
        target,
        ("queries/s", "count", lambda row: None if row.cell is None else row.cell.speed.qps),
        (f"ann.recall_tie@{arena.k} on the other half", "share", lambda row: row.recall),
        ("reached with", "text", setting),
    ]
    return list_items(name, caption, rows, columns)


def _mega(size: int | None) -> float | None:
    return None if size is None else size / _MEGA
