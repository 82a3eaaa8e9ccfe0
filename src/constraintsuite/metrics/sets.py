"""How far apart two sets are, between 0 and 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet


def jaccard_distance(one: AbstractSet[object], other: AbstractSet[object]) -> float:
    """1 - shared / all; two empty sets are the same."""
    return 1 - len(one & other) / len(one | other) if one or other else 0.0


def masi_distance(one: AbstractSet[object], other: AbstractSet[object]) -> float:
    """Passonneau's (2006): Jaccard's likeness times 1 for equal sets, 2/3 for a part, 1/3 for an overlap."""
    if one == other:
        return 0.0
    return 1 - (1 - jaccard_distance(one, other)) * (2 / 3 if one <= other or other <= one else 1 / 3)


SET_DISTANCES: Mapping[str, Callable[[AbstractSet[object], AbstractSet[object]], float]] = {
    "jaccard": jaccard_distance,
    "masi": masi_distance,
}
