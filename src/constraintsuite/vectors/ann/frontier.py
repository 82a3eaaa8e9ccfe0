"""Which cells of one or more runs may be compared, and the best of them: the Pareto front, the fastest at a recall, the most
exact at a speed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from constraintsuite.core.records.scores import Interval
from constraintsuite.experiments.load import short_paths
from constraintsuite.vectors.ann.host import machine_of
from constraintsuite.vectors.ann.results import NOTHING, AnnRun, MeasuredCell
from constraintsuite.vectors.ann.settings import QueryMode

T = TypeVar("T")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")  # in the name of a file


class Arena(NamedTuple):
    """Conditions under which speeds may be compared: the same data, k, mode, clients and threads, on one machine."""

    data: str
    content: str
    k: int
    mode: QueryMode
    clients: int
    threads: int
    tag: str = ""
    """Distinguishes arenas that differ only in the machine, the rule for ties, or the content of the data."""

    @property
    def title(self) -> str:
        """The arena as a heading: data, k, mode and threads."""
        how = {
            "serial": "one query per call",
            "batch": "all queries in one call",
            "concurrent": f"{self.clients} client{'s' if self.clients > 1 else ''} at once",
        }[self.mode]
        tag = f" ({self.tag})" if self.tag else ""
        return f"{self.data}, k = {self.k}: {how}, {self.threads} thread{'s' if self.threads > 1 else ''}{tag}"

    @property
    def slug(self) -> str:
        """The arena as part of the names of files and sections."""
        how = f"{self.mode}{self.clients}" if self.mode == "concurrent" else self.mode
        return f"{self.set_slug}_k{self.k}_{how}_t{self.threads}{self.tag_slug}"

    @property
    def set_slug(self) -> str:
        """The name of the data as part of the names of files."""
        return _UNSAFE.sub("_", self.data).lstrip(".")

    @property
    def tag_slug(self) -> str:
        """The tag as part of the names of files; empty without a tag."""
        return f"_{_UNSAFE.sub('', self.tag)}" if self.tag else ""


class ChosenSetting(NamedTuple):
    """The cell chosen for an engine at a target on one half of the queries, and its recall on the other half."""

    name: str
    target: float
    cell: MeasuredCell | None
    recall: Interval | None
    decided: bool = True
    """False if the first half holds no query, so nothing could be chosen."""


def arenas(cells: Iterable[MeasuredCell], tag: str = "") -> dict[Arena, list[MeasuredCell]]:
    """The cells grouped by arena, in their order."""
    found: dict[Arena, list[MeasuredCell]] = {}
    for cell in cells:
        point = cell.point
        arena = Arena(point.data, cell.content, point.k, point.mode, point.clients, point.threads, tag)
        found.setdefault(arena, []).append(cell)
    return found


def arenas_of_runs(runs: Sequence[AnnRun]) -> dict[Arena, list[MeasuredCell]]:
    """The cells of several runs by arena. Other machines, rules for ties, or data of the same name have arenas of their own."""
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
    """What must be equal for figures of two runs to be in one table."""
    return machine_of(run.facts.host), run.facts.ties


def recall_of(cell: MeasuredCell) -> float:
    """The recall used in charts and for targets: a row as near as the last true neighbour counts."""
    return cell.figures[f"ann.recall_tie@{cell.point.k}"].value or 0.0


def engine_name(cell: MeasuredCell) -> str:
    """The name of the engine; one that compares everything is marked as exact."""
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
    """The cells that no other beats in both recall and `value`, by growing recall."""
    best: list[MeasuredCell] = []
    for cell in sorted(cells, key=lambda c: (-recall_of(c), -value(c))):
        if not best or value(cell) > value(best[-1]):
            best.append(cell)
    return best[::-1]


def by_name(cells: Iterable[MeasuredCell]) -> dict[str, list[MeasuredCell]]:
    """The cells of each engine, by its name in the benchmark file."""
    named: dict[str, list[MeasuredCell]] = {}
    for cell in cells:
        named.setdefault(cell.point.name, []).append(cell)
    return named


def choose_by_recall(cells: Sequence[MeasuredCell], targets: Sequence[float]) -> list[ChosenSetting]:
    """For each engine and target of recall: the fastest cell that reaches it on the tuning half of the queries."""
    return _choose(cells, targets, reached=_tuned, best=speed_of)


def choose_by_speed(cells: Sequence[MeasuredCell], speeds: Sequence[float]) -> list[ChosenSetting]:
    """For each engine and speed: the most exact cell on the tuning half that is as fast."""
    return _choose(cells, speeds, reached=speed_of, best=_exactness)


def best_cells(cells: Sequence[MeasuredCell], target: float) -> dict[str, MeasuredCell]:
    """For each approximate engine: the fastest cell that reaches the target, else its most exact one."""
    near = [cell for cell in cells if not cell.exact]
    best = {name: most_exact(own) for name, own in by_name(near).items()}
    return best | {row.name: row.cell for row in choose_by_recall(near, [target]) if row.cell is not None}


def most_exact(cells: Sequence[MeasuredCell]) -> MeasuredCell:
    """The cell with the highest recall on the tuning half of the queries; of equal ones the fastest."""
    return max(cells, key=_exactness)


def _exactness(cell: MeasuredCell) -> tuple[float, float]:
    return _tuned(cell), speed_of(cell)


def _choose(
    cells: Sequence[MeasuredCell],
    targets: Sequence[float],
    *,
    reached: Callable[[MeasuredCell], float],
    best: Callable[[MeasuredCell], Any],
) -> list[ChosenSetting]:
    """For each engine and target: the best cell that reaches it, with its recall on the other half of the queries."""
    chosen = []
    for own in by_name(cells).values():
        decided = any(_half(cell, "tune").n for cell in own)
        for target in targets:
            cell = max((one for one in own if decided and reached(one) >= target), key=best, default=None)
            recall = None if cell is None else _half(cell, "report")
            chosen.append(ChosenSetting(engine_name(own[0]), target, cell, recall, decided))
    return chosen


def _tuned(cell: MeasuredCell) -> float:
    return _half(cell, "tune").value or 0.0


def _half(cell: MeasuredCell, half: str) -> Interval:
    return cell.figures[f"ann.recall_tie@{cell.point.k}.{half}"]


def label_runs(runs: Sequence[AnnRun]) -> list[tuple[str, AnnRun]]:
    """The runs with their labels: the name of the folder, with as many parent folders as make it unique."""
    return list(zip(short_paths([run.path for run in runs]), runs, strict=True))


def separate_runs(runs: Sequence[AnnRun]) -> list[AnnRun]:
    """The runs, with the run's label added to engines and rankings that have the same name in several runs.

    If one run holds all that the others hold under a name (a copy, or a copy that was continued), the name stays, and equal
    cells belong to the first run. Every cell is a new object, so that `find_run` can tell equal cells apart.
    """
    cells = _own_items(
        [run.cells for run in runs], lambda number, cell: (conditions_of(runs[number]), cell.content, cell.point.name)
    )
    rankings = _own_items([run.rankings for run in runs], lambda _, ranking: (ranking.content, ranking.retriever))
    return [
        replace(
            run,
            cells=tuple(
                replace(
                    cell, point=replace(cell.point, name=cell.point.name if alone else f"{cell.point.name} ({label})")
                )
                for cell, alone in own_cells
            ),
            rankings=tuple(
                ranking if alone else replace(ranking, retriever=f"{ranking.retriever} ({label})")
                for ranking, alone in own_rankings
            ),
        )
        for (label, run), own_cells, own_rankings in zip(label_runs(runs), cells, rankings, strict=True)
    ]


def find_run(runs: Sequence[AnnRun], cell: MeasuredCell) -> AnnRun:
    """Of separated runs, the one that holds this very object; two machines may give cells with the same key."""
    return next(run for run in runs if any(one is cell for one in run.cells))


def _own_items(
    items_of_runs: Sequence[Sequence[T]], place: Callable[[int, T], Hashable]
) -> Iterator[list[tuple[T, bool]]]:
    """For each run its items, and whether their name needs no label; items with the same `place` share a name."""
    shared: dict[Hashable, list[list[T]]] = {}
    for number, items in enumerate(items_of_runs):
        for item in items:
            shared.setdefault(place(number, item), [[] for _ in items_of_runs])[number].append(item)
    for number, items in enumerate(items_of_runs):
        own = []
        for item in items:
            others = shared[place(number, item)]
            most = max(others, key=len)
            alone = all(other in most for some in others for other in some)
            if not (alone and any(item in some for some in others[:number])):
                own.append((item, alone))
        yield own
