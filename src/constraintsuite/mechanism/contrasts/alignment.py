"""Align two sequences by their cheapest edit script, which is the same on every machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
_REPLACED = 2
"""The cost of a replacement in addition to the cost of an edit; a kept item costs one for each place that it moved."""


class AlignedStretch(NamedTuple):
    """A part of one sequence and the part of the other that replaces it; between such stretches the sequences are equal."""

    start: int
    end: int
    other_start: int
    other_end: int

    @property
    def turned(self) -> AlignedStretch:
        """The same stretch, seen from the other sequence."""
        return AlignedStretch(self.other_start, self.other_end, self.start, self.end)


def changed_stretches(one: Sequence[object], other: Sequence[object]) -> list[AlignedStretch]:
    """The stretches in which two sequences differ.

    A replaced item costs about as much as a deleted or inserted one. So two words that changed places are two replacements,
    and the words between them are kept.
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
    """The places of kept items in both sequences, on the cheapest path."""
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
    """The cost of turning each prefix of one sequence into each prefix of the other.

    Among paths with equally many edits, the one with the fewest replacements costs least, as it keeps most items. Kept items
    cost more the further they moved: of "A Bc, not D" and "D, not A Bc", the comma and "not" are kept.
    """
    steps = np.arange(len(columns) + 1) * edit
    costs = np.empty((len(rows) + 1, len(columns) + 1), dtype=np.int64)
    costs[0] = steps
    for i, item in enumerate(rows):
        best = costs[i] + edit
        moved = np.abs(np.arange(len(columns)) - i)
        np.minimum(best[1:], costs[i, :-1] + np.where(columns == item, moved, edit + _REPLACED), out=best[1:])
        costs[i + 1] = np.minimum.accumulate(best - steps) + steps  # insertions
    return costs


def partners(count: int, stretches: Sequence[AlignedStretch], alone: npt.NDArray[np.bool_]) -> IntArray:
    """For each place of one sequence its partner in the other, or -1.

    Places outside the stretches, and in stretches of equal length, have partners one to one. In other stretches, places
    that are `alone` have no partner; the rest get the place at the same relative position, if there is one.
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
    return found


def unchanged_parts(count: int, stretches: Sequence[AlignedStretch]) -> Iterator[tuple[int, int, int]]:
    """The parts outside the stretches, each as start, end and the distance to its partners."""
    at, shift = 0, 0
    for stretch in stretches:
        yield at, stretch.start, shift
        at, shift = stretch.end, stretch.other_end - stretch.end
    yield at, count, shift
