"""Which cells are worth looking at: those that no other beats, and the fastest that reach a recall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from constraintsuite.records.scores import Interval
from constraintsuite.vectors.ann.results import Cell
from constraintsuite.vectors.ann.settings import Mode


class Arena(NamedTuple):
    """Where figures of speed may be compared: the same data, k, mode and number of clients."""

    data: str
    content: str
    k: int
    mode: Mode
    clients: int
    threads: int

    @property
    def title(self) -> str:
        """In words."""
        how = {
            "serial": "one query a call",
            "batch": "all queries in one call",
            "concurrent": f"{self.clients} client{'s' if self.clients > 1 else ''} at once",
        }[self.mode]
        return f"{self.data}, k = {self.k}: {how}, {self.threads} thread{'s' if self.threads > 1 else ''}"

    @property
    def slug(self) -> str:
        """For names of files."""
        how = f"{self.mode}{self.clients}" if self.mode == "concurrent" else self.mode
        return f"{self.data}_k{self.k}_{how}_t{self.threads}"


class Reached(NamedTuple):
    """The fastest cell of an engine that reaches a recall on one half of the queries, and what it reaches on the other."""

    name: str
    target: float
    cell: Cell | None
    recall: Interval | None


def arenas(cells: Iterable[Cell]) -> dict[Arena, list[Cell]]:
    """The cells by where they may be compared, in their order."""
    found: dict[Arena, list[Cell]] = {}
    for cell in cells:
        point = cell.point
        arena = Arena(point.data, cell.content, point.k, point.mode, point.clients, point.threads)
        found.setdefault(arena, []).append(cell)
    return found


def recall_of(cell: Cell) -> float:
    """The recall that charts and targets go by: a row as near as the last true one is as good."""
    return cell.figures[f"ann.recall_tie@{cell.point.k}"].value or 0.0


def front(cells: Sequence[Cell]) -> list[Cell]:
    """Those that no other beats in recall and speed at once, by growing recall."""
    best: list[Cell] = []
    for cell in sorted(cells, key=lambda c: (-recall_of(c), -c.speed.qps)):
        if not best or cell.speed.qps > best[-1].speed.qps:
            best.append(cell)
    return best[::-1]


def reach(cells: Sequence[Cell], targets: Sequence[float]) -> list[Reached]:
    """For each engine and target: chosen on the tuning half of the queries, reported on the other half."""
    by_name: dict[str, list[Cell]] = {}
    for cell in cells:
        by_name.setdefault(cell.point.name, []).append(cell)
    rows = []
    for name, own in by_name.items():
        for target in targets:
            enough = [cell for cell in own if (_half(cell, "tune").value or 0.0) >= target]
            chosen = max(enough, key=lambda cell: cell.speed.qps, default=None)
            rows.append(Reached(name, target, chosen, None if chosen is None else _half(chosen, "report")))
    return rows


def _half(cell: Cell, half: str) -> Interval:
    return cell.figures[f"ann.recall_tie@{cell.point.k}.{half}"]
