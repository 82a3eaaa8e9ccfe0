"""What people said of items, as counts, and what a coefficient of agreement makes of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from constraintsuite.metrics.intervals import FloatArray, IntArray
from constraintsuite.metrics.resampling import sum_by_cluster

Ratings = Sequence[Mapping[str, Hashable]]
"""Of each item, who said what; those who did not answer it are not in it."""


class Corrected(NamedTuple):
    """Agreement that was seen, and that which chance would give, in each draw."""

    seen: FloatArray
    chance: FloatArray

    @property
    def coefficient(self) -> FloatArray:
        """What was reached of what chance had left; NaN where it left nothing."""
        room = 1 - self.chance
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(room > 1e-12, (self.seen - self.chance) / room, np.nan)


Coefficient = Callable[[FloatArray], Corrected]
"""From how often each cluster was drawn, (draws, clusters)."""


@dataclass(frozen=True)
class Counted:
    """How many gave each value to each item."""

    values: Sequence[Hashable]
    counts: FloatArray  # (items, values)
    members: IntArray  # (items,) the cluster of each

    @classmethod
    def of(cls, ratings: Ratings, options: Sequence[Hashable], members: IntArray) -> Counted:
        """Count them; `options` come first, in their order, whether anybody chose them or not."""
        values = list(dict.fromkeys([*options, *(value for item in ratings for value in item.values())]))
        place = {value: number for number, value in enumerate(values)}
        counts = np.zeros((len(ratings), len(values)))
        for row, item in enumerate(ratings):
            for value in item.values():
                counts[row, place[value]] += 1
        return cls(values, counts, members)

    @property
    def answers(self) -> FloatArray:
        """(items,) how many answered each."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64)

    @property
    def pairable(self) -> int:
        """Items with two answers or more: only they can agree."""
        return int((self.answers >= 2).sum())

    @property
    def clusters(self) -> int:
        """How many there are, with or without such an item."""
        return len(np.unique(self.members))

    @property
    def counted(self) -> IntArray:
        """The clusters with such an item."""
        return np.unique(self.members[self.answers >= 2])

    def per_cluster(self, rows: FloatArray) -> FloatArray:
        """Sums over the items of each cluster; `rows` is (items,) or (items, columns)."""
        return sum_by_cluster(rows, self.members)
