"""Which token of one row stands for which of another: the cheapest edit script, the same on every machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
_REPLACED = 2
"""What a replacement costs beyond an edit, in places that something kept has moved."""


class AlignedStretch(NamedTuple):
    """A part of one sequence and the part of the other that stands in its place; between two such, both are the same."""

    start: int
    end: int
    other_start: int
    other_end: int

    @property
    def turned(self) -> AlignedStretch:
        """The same, seen from the other sequence."""
        return AlignedStretch(self.other_start, self.other_end, self.start, self.end)


def changed_stretches(one: Sequence[object], other: Sequence[object]) -> list[AlignedStretch]:
    """Where two sequences differ.

    A replaced item costs as much as one that is left out or put in. Two words that changed places are therefore two
    replacements with what stands between them kept, and not one word moved over it.
    """
    head = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    room = min(len(one), len(other)) - head
    tail = next((i for i in range(room) if one[-1 - i] != other[-1 - i]), room)
    inner, inner_other = one[head : len(one) - tail], other[head : len(other) - tail]
    if not inner or not inner_other:
        return [AlignedStretch(head, len(one) - tail, head, len(other) - tail)] if inner or inner_other else []
    found: list[AlignedStretch] = []
    for a, b in [*_kept(inner, inner_other), (len(inner), len(inner_other))]:
        start, other_start = (found[-1].end + 1, found[-1].other_end + 1) if found else (0, 0)
        found.append(AlignedStretch(start, a, other_start, b))
    return [
        AlignedStretch(s.start + head, s.end + head, s.other_start + head, s.other_end + head)
        for s in found
        if s.end > s.start or s.other_end > s.other_start
    ]


def _kept(one: Sequence[object], other: Sequence[object]) -> list[tuple[int, int]]:
    """Places of items that both have, in order, on the cheapest way through."""
    codes = {item: code for code, item in enumerate(dict.fromkeys([*one, *other]))}
    rows, columns = (np.array([codes[item] for item in items]) for items in (one, other))
    edit = (len(one) + len(other) + 2) ** 2
    costs = _costs(rows, columns, edit)
    kept: list[tuple[int, int]] = []
    i, j = len(one), len(other)
    while i and j:
        same = rows[i - 1] == columns[j - 1]
        if costs[i, j] == costs[i - 1, j - 1] + (abs(i - j) if same else edit + _REPLACED):
            i, j = i - 1, j - 1
            if same:
                kept.append((i, j))
        elif costs[i, j] == costs[i - 1, j] + edit:
            i -= 1
        else:
            j -= 1
    return kept[::-1]


def _costs(rows: IntArray, columns: IntArray, edit: int) -> IntArray:
    """The way from each beginning of the one to each beginning of the other.

    Of ways with equally many edits, that which keeps most: the fewer edits are replacements, the more is kept. What is kept
    is worth less the further it has moved: of "A Bc, not D" and "D, not A Bc", that is the comma and "not".
    """
    steps = np.arange(len(columns) + 1) * edit
    costs = np.empty((len(rows) + 1, len(columns) + 1), dtype=np.int64)
    costs[0] = steps
    for i, item in enumerate(rows):
        best = costs[i] + edit
        moved = np.abs(np.arange(len(columns)) - i)
        np.minimum(best[1:], costs[i, :-1] + np.where(columns == item, moved, edit + _REPLACED), out=best[1:])
        costs[i + 1] = np.minimum.accumulate(best - steps) + steps  # items put in after the best place before
    return costs


def partners(
    count: int, other_count: int, stretches: Sequence[AlignedStretch], alone: npt.NDArray[np.bool_]
) -> IntArray:
    """For each place of the one the place of the other that it takes from, or -1.

    Places outside the stretches have their own; so have those in stretches of equal length, one to one. In others, what is
    `alone` has no partner, and the rest takes the place that lies as far in the other's stretch, if that is not empty.
    """
    found = np.empty(count, dtype=np.int64)
    for start, end, shift in unchanged_parts(count, stretches):
        found[start:end] = np.arange(start, end) + shift
    for start, end, other_start, other_end in stretches:
        length, other_length = end - start, other_end - other_start
        if not length:
            continue
        place = np.arange(length) * other_length // length + other_start
        found[start:end] = place if other_length else -1
        if length != other_length:
            found[start:end][alone[start:end]] = -1
    if len(found) and found.max() >= other_count:
        raise ValueError("The stretches are not of these sequences.")
    return found


def unchanged_parts(count: int, stretches: Sequence[AlignedStretch]) -> Iterator[tuple[int, int, int]]:
    """The parts outside the stretches, and how far their partners are shifted."""
    at, shift = 0, 0
    for stretch in stretches:
        yield at, stretch.start, shift
        at, shift = stretch.end, stretch.other_end - stretch.end
    yield at, count, shift
