"""From a score of every unit to the best of them, within a budget."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.memory.graph import BoolArray, FloatArray, MemoryGraph
from constraintsuite.memory.modes.base import IndexArray
from constraintsuite.memory.recall import Recalled

_BLOCK = 128


def best(scores: FloatArray, budget: int, among: BoolArray) -> IndexArray:
    """Numbers of the `budget` highest of some units, best first; equal scores in the order of the units."""
    if budget < 0:
        raise UserError(f"A budget of {budget} units cannot be kept. Give 1 or more.")
    candidates = np.flatnonzero(among)
    if len(candidates) > budget > 0:
        held = scores[candidates]
        candidates = candidates[held >= _floor(held, budget)]
    order = np.argsort(-scores[candidates], kind="stable")
    return candidates[order[:budget]]


def _floor(held: FloatArray, budget: int) -> float:
    """A value that at least `budget` reach, and not many more: what the highest of so many blocks reach.

    To look for the highest of each block takes a tenth of the time of parting all by the one that is sought.
    """
    blocks = len(held) // _BLOCK
    if blocks > budget:
        held = held[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
    return float(np.partition(held, len(held) - budget)[len(held) - budget])


def ranked(graph: MemoryGraph, numbers: IndexArray, scores: FloatArray) -> tuple[Recalled, ...]:
    """Units of the graph as a ranking, in the order given."""
    return tuple(
        Recalled(graph.units[number].id, rank, float(scores[number])) for rank, number in enumerate(numbers.tolist(), 1)
    )


def parts_of(graph: MemoryGraph, numbers: IndexArray, named: Mapping[str, FloatArray]) -> dict[str, dict[str, float]]:
    """Of each of these units, the values that its score is made of."""
    return {
        graph.units[number].id: {name: float(values[number]) for name, values in named.items()}
        for number in numbers.tolist()
    }
