"""The tables of a report of benchmarks: one function for each question about an arena."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from constraintsuite.core.records.figures import CellValue, ColumnKind
from constraintsuite.core.records.tables import Column, ItemColumns, Table, tabulate
from constraintsuite.vectors.ann import frontier
from constraintsuite.vectors.ann.frontier import Arena, ChosenSetting
from constraintsuite.vectors.ann.results import AnnRun, MeasuredCell

_MEGA = 1e6
_LONGEST_LINE = 200  # characters of an error
_PERCENTILES = {"p50": "p50", "p95": "p95", "p99": "p99", "p999": "p99.9"}


def overview(run: AnnRun) -> Iterator[Table]:
    """The tables that are printed at the end of a run: every cell, and what failed."""
    for arena, cells in frontier.arenas(run.cells).items():
        yield measured(arena, cells)
        if (times := latencies(arena, cells)) is not None:
            yield times
    if run.failures or run.failed_rankings:
        yield failures([run])


def measured(arena: Arena, cells: Sequence[MeasuredCell]) -> Table:
    """Recall and speed of every cell of an arena, the fastest first."""
    k = arena.k
    columns: ItemColumns[MeasuredCell] = {
        **_CELL,
        f"ann.recall_tie@{k}": ("share", lambda cell: cell.figures[f"ann.recall_tie@{k}"]),
        f"ann.recall@{k}": ("share", lambda cell: cell.figures[f"ann.recall@{k}"].value),
        f"ann.recall_p05@{k}": ("share", lambda cell: cell.figures[f"ann.recall_p05@{k}"].value),
        "missing": ("share", lambda cell: cell.figures[f"ann.incomplete@{k}"].value),
        "queries/s": ("count", lambda cell: cell.speed.qps),
        "variation": ("share", lambda cell: cell.speed.variation),
    }
    caption = (
        f"{arena.title}. Median of the repeats; variation is their standard deviation over their mean. 95 % of the "
        "queries reach recall_p05. Missing are places without a row."
    )
    return tabulate(f"cells_{arena.slug}", caption, _by_speed(cells), columns)


def gaps(arena: Arena, cells: Sequence[MeasuredCell]) -> Table:
    """How far the rows found by approximate engines are from the true neighbours."""
    name = f"ann.kth_gap@{arena.k}"
    caption = (
        f"{arena.title}. By how much the worst row found scores below the last true neighbour, in the metric of the data; over "
        "queries with a full answer."
    )
    columns: ItemColumns[MeasuredCell] = {**_CELL, name: ("number", lambda cell: cell.figures[name])}
    return tabulate(f"gaps_{arena.slug}", caption, [cell for cell in cells if not cell.exact], columns)


def latencies(arena: Arena, cells: Sequence[MeasuredCell]) -> Table | None:
    """Latencies of single queries; None if a call holds more than one query."""
    timed = [cell for cell in cells if cell.speed.latencies_ms]
    if not timed:
        return None
    caption = (
        f"{arena.title}. Latency of a query, over all calls of all repeats; and the share of the measured time that was spent "
        "in the calls. The rest is the harness."
    )
    columns: ItemColumns[MeasuredCell] = {
        **_CELL,
        **{f"{title}, ms": ("number", _percentile(key)) for key, title in _PERCENTILES.items()},
        "in the engine": ("share", lambda cell: cell.speed.engine_share),
    }
    return tabulate(f"latencies_{arena.slug}", caption, _by_speed(timed), columns)


def speed_at_recall(arena: Arena, cells: Sequence[MeasuredCell], targets: Sequence[float]) -> Iterator[Table]:
    """Queries per second at each target of recall: first an overview, then with settings and reached recall."""
    rows = frontier.choose_by_recall(cells, targets)
    how = f"{arena.title}. The fastest setting that reaches the target on one half of the queries{_half_size(cells)}"
    titles = [f"ann.recall_tie@{arena.k} ≥ {100 * target:.4g} %" for target in targets]
    caption = f"{how}, in queries per second; a dash if none reaches it."
    speeds = [None if row.cell is None else row.cell.speed.qps for row in rows]
    yield _crossed(f"speed_at_recall_{arena.slug}", caption, titles, "count", rows, speeds)
    target: ItemColumns[ChosenSetting] = {"target": ("share", lambda row: row.target)}
    yield _chosen(f"targets_{arena.slug}", f"{how}, and its recall on the other.", arena, target, rows, "not reached")


def recall_at_speed(arena: Arena, cells: Sequence[MeasuredCell], speeds: Sequence[float]) -> Iterator[Table]:
    """The best recall at each number of queries per second: first an overview, then with settings."""
    rows = frontier.choose_by_speed(cells, speeds)
    chosen = f"The most exact setting on one half of the queries{_half_size(cells)} that is as fast"
    how = f"{arena.title}. {chosen}, and its recall on the other"
    titles = [f"queries/s ≥ {speed:,.10g}" for speed in speeds]
    caption = f"{how}: ann.recall_tie@{arena.k}."
    yield _crossed(f"recall_at_speed_{arena.slug}", caption, titles, "share", rows, [row.recall for row in rows])
    least: ItemColumns[ChosenSetting] = {"at least, queries/s": ("count", lambda row: row.target)}
    yield _chosen(f"speeds_{arena.slug}", f"{how}.", arena, least, rows, "not as fast")


def builds(arena: Arena, cells: Sequence[MeasuredCell], full_bytes: int) -> Table:
    """What each index costs; `full_bytes` is the size of the vectors themselves."""
    by_build = {(cell.point.series, str(cell.point.build), cell.point.threads, cell.library): cell for cell in cells}
    several = len({cell.point.threads for cell in cells}) > 1
    columns: ItemColumns[MeasuredCell] = {
        "engine": ("text", lambda cell: f"{cell.point.series}{_threads(cell) if several else ''}"),
        "build, s": ("number", lambda cell: cell.cost.build_seconds),
        "save, s": ("number", lambda cell: cell.cost.save_seconds),
        "load, s": ("number", lambda cell: cell.cost.load_seconds),
        "index, MB": ("number", lambda cell: _mega(cell.cost.index_bytes)),
        "memory, MB": ("number", lambda cell: _mega(cell.cost.memory_bytes)),
        "peak, MB": ("number", lambda cell: _mega(cell.cost.peak_bytes)),
        "library": ("text", lambda cell: cell.library),
    }
    caption = (
        f"{arena.data}. Each index is built in a fresh process. Memory is the growth of its anonymous memory, so mapped vectors "
        "do not count; peak is all memory of the process, libraries included. Neither says anything about a server."
    )
    if any(cell.point.rerank > 1 for cell in cells):
        size = f"{full_bytes / _MEGA:,.3g} MB"
        caption += f" A search with rerank reads the full vectors too, {size} that are not counted here."
    return tabulate(f"builds_{arena.set_slug}{arena.tag_slug}", caption, by_build.values(), columns)


def failures(runs: Sequence[AnnRun]) -> Table:
    """What could not be measured, and why; with several runs, also in which."""
    rows: list[tuple[CellValue, ...]] = []
    for label, run in frontier.label_runs(runs):
        for one in run.failures:
            point = one.point
            how = f"{point.mode}, k = {point.k}"
            rows.append((point.series, point.setting, point.data, how, _shorten(one.error), label))
        rows += [(one.retriever, None, one.data, "ranking", _shorten(one.error), label) for one in run.failed_rankings]
    titles = ["engine", "search", "data", "mode", "why", "run"][: None if len(runs) > 1 else -1]
    caption = "What failed; the next run tries it again. failed/KEY.json has the full error."
    return Table("failures", caption, tuple(map(Column, titles)), tuple(row[: len(titles)] for row in rows))


def _engine(cell: MeasuredCell) -> str:
    return f"{frontier.engine_name(cell)}{cell.point.series.removeprefix(cell.point.name)}"


_CELL: ItemColumns[MeasuredCell] = {
    "engine": ("text", _engine),
    "search": ("text", lambda cell: cell.point.setting),
}


def _percentile(key: str) -> Callable[[MeasuredCell], float | None]:
    return lambda cell: (cell.speed.latencies_ms or {}).get(key)


def _by_speed(cells: Iterable[MeasuredCell]) -> list[MeasuredCell]:
    return sorted(cells, key=lambda cell: -cell.speed.qps)


def _threads(cell: MeasuredCell) -> str:
    return f", {cell.point.threads} thread{'s' if cell.point.threads > 1 else ''}"


def _half_size(cells: Sequence[MeasuredCell]) -> str:
    sizes = {cell.figures[f"ann.recall_tie@{cell.point.k}.tune"].n for cell in cells}
    return f" (n = {min(sizes)})" if len(sizes) == 1 else ""


def _shorten(error: str) -> str:
    """The first and the last line of an error, where libraries say what was wrong."""
    lines = [" ".join(line.split()) for line in error.splitlines() if line.strip()]
    half = _LONGEST_LINE // 2
    parts = dict.fromkeys([*lines[:1], *lines[-1:]])
    return " … ".join(part if len(part) <= 2 * half else f"{part[:half]} … {part[-half:]}" for part in parts)


def _crossed(
    name: str,
    caption: str,
    titles: Sequence[str],
    kind: ColumnKind,
    rows: Sequence[ChosenSetting],
    values: Sequence[CellValue],
) -> Table:
    """One row per engine, one column per target."""
    found: dict[str, list[CellValue]] = {}
    for row, value in zip(rows, values, strict=True):
        found.setdefault(row.name, []).append(value)
    columns = (Column("engine"), *(Column(title, kind) for title in titles))
    return Table(name, caption, columns, tuple((engine, *own) for engine, own in found.items()))


def _chosen(
    name: str,
    caption: str,
    arena: Arena,
    target: ItemColumns[ChosenSetting],
    rows: Sequence[ChosenSetting],
    otherwise: str,
) -> Table:
    """The cell that was chosen for each engine and target; `otherwise` is shown if there is none."""

    def setting(row: ChosenSetting) -> str:
        if row.cell is None:
            return otherwise if row.decided else "too few queries to choose a setting"
        return frontier.describe_settings(row.cell)

    columns: ItemColumns[ChosenSetting] = {
        "engine": ("text", lambda row: row.name),
        **target,
        "queries/s": ("count", lambda row: None if row.cell is None else row.cell.speed.qps),
        f"ann.recall_tie@{arena.k} on the other half": ("share", lambda row: row.recall),
        "reached with": ("text", setting),
    }
    return tabulate(name, caption, rows, columns)


def _mega(size: int | None) -> float | None:
    return None if size is None else size / _MEGA
