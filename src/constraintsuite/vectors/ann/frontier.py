"""Which cells of one or more runs may be compared, and which of them matter: those that no other beats, the fastest at a
recall, the most exact at a speed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from constraintsuite.core.records.scores import Interval
from constraintsuite.experiments.load import short_paths
from constraintsuite.vectors.ann.host import machine_of
from constraintsuite.vectors.ann.results import NOTHING, AnnRun, MeasuredCell, RetrieverBaseline
from constraintsuite.vectors.ann.settings import QueryMode

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")  # in the name of a file


class Arena(NamedTuple):
    """Where figures of speed may be compared: the same data, k, mode, clients and threads, on one machine."""

    data: str
    content: str
    k: int
    mode: QueryMode
    clients: int
    threads: int
    tag: str = ""
    """Tells two arenas apart that are alike in all the rest but what may be compared."""

    @property
    def title(self) -> str:
        """The arena as a heading: data, k, how queries are asked, and threads."""
        how = {
            "serial": "one query a call",
            "batch": "all queries in one call",
            "concurrent": f"{self.clients} client{'s' if self.clients > 1 else ''} at once",
        }[self.mode]
        tag = f" ({self.tag})" if self.tag else ""
        return f"{self.data}, k = {self.k}: {how}, {self.threads} thread{'s' if self.threads > 1 else ''}{tag}"

    @property
    def slug(self) -> str:
        """The arena as a part of the names of files and sections."""
        how = f"{self.mode}{self.clients}" if self.mode == "concurrent" else self.mode
        return f"{self.set_slug}_k{self.k}_{how}_t{self.threads}{self.tag_slug}"

    @property
    def set_slug(self) -> str:
        """The name of the data as a part of the names of files."""
        return _UNSAFE.sub("_", self.data).lstrip(".")

    @property
    def tag_slug(self) -> str:
        """Of the tag alone; nothing without one."""
        return f"_{_UNSAFE.sub('', self.tag)}" if self.tag else ""


class ChosenSetting(NamedTuple):
    """The fastest cell of an engine that reaches a recall on one half of the queries, and what it reaches on the other."""

    name: str
    target: float
    cell: MeasuredCell | None
    recall: Interval | None
    decided: bool = True
    """False where that half holds no query, so that nothing could be chosen on it."""


def arenas(cells: Iterable[MeasuredCell], tag: str = "") -> dict[Arena, list[MeasuredCell]]:
    """The cells by where they may be compared, in their order."""
    found: dict[Arena, list[MeasuredCell]] = {}
    for cell in cells:
        point = cell.point
        arena = Arena(point.data, cell.content, point.k, point.mode, point.clients, point.threads, tag)
        found.setdefault(arena, []).append(cell)
    return found


def arenas_of_runs(runs: Sequence[AnnRun]) -> dict[Arena, list[MeasuredCell]]:
    """The same over runs: those of another machine, or with another rule for ties, are apart, as are sets of one name."""
    conditions = list(dict.fromkeys(conditions_of(run) for run in runs))
    found: dict[Arena, list[MeasuredCell]] = {}
    for number, shared in enumerate(conditions, 1):
        cells = [cell for run in runs if conditions_of(run) == shared for cell in run.cells]
        found |= arenas(cells, f"conditions {number}" if len(conditions) > 1 else "")
    slugs = [arena.slug for arena in found]
    return {
        arena._replace(tag=f"{arena.tag} {arena.content[:6]}".strip()) if slugs.count(arena.slug) > 1 else arena: cells
        for arena, cells in found.items()
    }


def conditions_of(run: AnnRun) -> tuple[str, ...]:
    """What must be equal, so that figures of two runs may stand in one table."""
    return machine_of(run.facts.host), run.facts.ties


def recall_of(cell: MeasuredCell) -> float:
    """The recall that charts and targets go by: a row as near as the last true one is as good."""
    return cell.figures[f"ann.recall_tie@{cell.point.k}"].value or 0.0


def engine_name(cell: MeasuredCell) -> str:
    """The name of the engine; what compares everything is called so."""
    name = cell.point.name
    return f"{name} (exact)" if cell.exact and not name.startswith("exact") else name


def describe_settings(cell: MeasuredCell) -> str:
    """Engine, build and search in one line."""
    point = cell.point
    return point.series if point.setting == NOTHING else f"{point.series}; {point.setting}"


def speed_of(cell: MeasuredCell) -> float:
    """Queries per second, the median of the repeats."""
    return cell.speed.qps


def pareto_front(
    cells: Sequence[MeasuredCell], value: Callable[[MeasuredCell], float] = speed_of
) -> list[MeasuredCell]:
    """Those that no other beats in recall and worth at once, by growing recall."""
    best: list[MeasuredCell] = []
    for cell in sorted(cells, key=lambda c: (-recall_of(c), -value(c))):
        if not best or value(cell) > value(best[-1]):
            best.append(cell)
    return best[::-1]


def by_name(cells: Iterable[MeasuredCell]) -> dict[str, list[MeasuredCell]]:
    """The cells of each engine, as the benchmark file calls it."""
    named: dict[str, list[MeasuredCell]] = {}
    for cell in cells:
        named.setdefault(cell.point.name, []).append(cell)
    return named


def choose_by_recall(cells: Sequence[MeasuredCell], targets: Sequence[float]) -> list[ChosenSetting]:
    """For each engine and target: chosen on the tuning half of the queries, reported on the other half."""
    return [
        _chosen_setting(target, own, max((cell for cell in own if _tuned(cell) >= target), key=speed_of, default=None))
        for own in by_name(cells).values()
        for target in targets
    ]


def choose_by_speed(cells: Sequence[MeasuredCell], speeds: Sequence[float]) -> list[ChosenSetting]:
    """For each engine and speed: the most exact cell on the tuning half that is as fast, reported on the other half."""
    return [
        _chosen_setting(
            speed, own, max((cell for cell in own if speed_of(cell) >= speed), key=_exactness, default=None)
        )
        for own in by_name(cells).values()
        for speed in speeds
    ]


def best_cells(cells: Sequence[MeasuredCell], target: float) -> dict[str, MeasuredCell]:
    """For each approximate engine: the fastest cell that reaches the target, else its most exact one."""
    near = [cell for cell in cells if not cell.exact]
    best = {name: most_exact(own) for name, own in by_name(near).items()}
    return best | {row.name: row.cell for row in choose_by_recall(near, [target]) if row.cell is not None}


def most_exact(cells: Sequence[MeasuredCell]) -> MeasuredCell:
    """By its recall on the tuning half of the queries; of equal ones the fastest."""
    return max(cells, key=_exactness)


def _exactness(cell: MeasuredCell) -> tuple[float, float]:
    return _tuned(cell), speed_of(cell)


def _chosen_setting(target: float, cells: Sequence[MeasuredCell], chosen: MeasuredCell | None) -> ChosenSetting:
    name = engine_name(cells[0])
    if not any(_half(cell, "tune").n for cell in cells):
        return ChosenSetting(name, target, None, None, decided=False)
    return ChosenSetting(name, target, chosen, None if chosen is None else _half(chosen, "report"))


def _tuned(cell: MeasuredCell) -> float:
    return _half(cell, "tune").value or 0.0


def _half(cell: MeasuredCell, half: str) -> Interval:
    return cell.figures[f"ann.recall_tie@{cell.point.k}.{half}"]


_MeetingPoint = tuple[tuple[str, ...], str, str]
"""Conditions, content of the data, name of the engine: cells that are alike in these meet in a table."""


def label_runs(runs: Sequence[AnnRun]) -> list[tuple[str, AnnRun]]:
    """The runs with what to call them: the folder's name, with as many folders above it as tell it apart from the others."""
    return list(zip(short_paths([run.path for run in runs]), runs, strict=True))


def separate_runs(runs: Sequence[AnnRun]) -> list[AnnRun]:
    """The runs, with engines and rankings of one name called by their run too, unless what they hold is the very same.

    That is told once, and belongs to the first run that holds it. Every cell is an object of its own.
    """
    cells_of_runs = _cells_of_runs(runs)
    rankings = [{(one.content, one.retriever): one for one in run.rankings} for run in runs]
    return [
        replace(
            run,
            cells=tuple(_own_cells(number, run, label, cells_of_runs)),
            rankings=tuple(_own_rankings(number, run, label, rankings)),
        )
        for number, (label, run) in enumerate(label_runs(runs))
    ]


def find_run(runs: Sequence[AnnRun], cell: MeasuredCell) -> AnnRun:
    """The one of runs told apart that holds this very cell. A key does not tell: two machines may give the same."""
    return next(run for run in runs if any(one is cell for one in run.cells))


def _cells_of_runs(runs: Sequence[AnnRun]) -> dict[_MeetingPoint, dict[int, list[MeasuredCell]]]:
    """Where cells meet, the cells of each run by its number."""
    cells_of_runs: dict[_MeetingPoint, dict[int, list[MeasuredCell]]] = {}
    for number, run in enumerate(runs):
        for cell in run.cells:
            cells_of_runs.setdefault(_meeting_point(run, cell), {}).setdefault(number, []).append(cell)
    return cells_of_runs


def _own_cells(
    number: int, run: AnnRun, label: str, cells_of_runs: Mapping[_MeetingPoint, Mapping[int, Sequence[MeasuredCell]]]
) -> Iterator[MeasuredCell]:
    for cell in run.cells:
        sharing = cells_of_runs[_meeting_point(run, cell)]
        if not _one_engine(sharing):
            yield replace(cell, point=replace(cell.point, name=f"{cell.point.name} ({label})"))
        elif not any(cell in cells for other, cells in sharing.items() if other < number):
            yield replace(cell)


def _one_engine(sharing: Mapping[int, Sequence[MeasuredCell]]) -> bool:
    """Whether one run holds everything that the others hold: they are copies, or one went on where another stopped."""
    widest = max(sharing.values(), key=len)
    return all(cell in widest for cells in sharing.values() for cell in cells)


def _own_rankings(
    number: int, run: AnnRun, label: str, rankings: Sequence[Mapping[tuple[str, str], RetrieverBaseline]]
) -> Iterator[RetrieverBaseline]:
    for one in run.rankings:
        place = one.content, one.retriever
        if any(own.get(place, one) != one for own in rankings):
            yield replace(one, retriever=f"{one.retriever} ({label})")
        elif not any(place in own for own in rankings[:number]):
            yield one


def _meeting_point(run: AnnRun, cell: MeasuredCell) -> _MeetingPoint:
    return conditions_of(run), cell.content, cell.point.name
