"""What 95 % intervals are made of: their bounds, Wilson's interval of a share, and the clusters of items that belong together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.records.scores import Interval

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

Z = 1.959963984540054
"""97.5 % of the standard normal distribution lie below it."""
UNDEFINED = Interval(None, None, None, 0)


class Bounds(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float


def wilson_bounds(share: float, n: float) -> Bounds:
    """Wilson's score interval of a share of `n` > 0 independent items (Wilson 1927)."""
    centre = share + Z * Z / (2 * n)
    spread = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    scale = 1 + Z * Z / n
    return Bounds(max(0.0, min(share, (centre - spread) / scale)), min(1.0, max(share, (centre + spread) / scale)))


def wilson(right: int, n: int) -> Interval:
    """`right` of `n` independent items, with Wilson's interval."""
    return Interval(right / n, *wilson_bounds(right / n, n), n) if n else UNDEFINED


def clipped(figure: Interval, least: float, most: float) -> Interval:
    """The figure with bounds on its scale: Student's t knows no ends of it."""
    if figure.low is None or figure.high is None:
        return figure
    return replace(figure, low=max(least, figure.low), high=min(most, figure.high))


def symmetric(figure: Interval) -> Interval:
    """The figure with both bounds as far from its value as the further one is.

    Clusters that are drawn anew add noise of their own. Where noise moves a statistic to one side, as it lowers the correlation
    of two halves, the draws lie to that side, and their percentiles alone would leave out the other.
    """
    if figure.value is None or figure.low is None or figure.high is None:
        return figure
    reach = max(figure.high - figure.value, figure.value - figure.low)
    return replace(figure, low=figure.value - reach, high=figure.value + reach)


def connected_components(links: Sequence[Iterable[str]]) -> IntArray:
    """A number for each item, the same for items joined by a chain of shared links; an item without any is alone."""
    parent = list(range(len(links)))

    def root(item: int) -> int:
        while parent[item] != item:
            parent[item] = item = parent[parent[item]]
        return item

    first_with: dict[str, int] = {}
    for item, names in enumerate(links):
        for name in names:
            a, b = sorted((root(item), root(first_with.setdefault(name, item))))
            parent[b] = a
    _, numbers = np.unique([root(item) for item in range(len(links))], return_inverse=True)
    return numbers.astype(np.int64)


GIANT = 0.5
"""A cluster with more than this share of all items leaves too little to resample or to hold out."""


class ItemClusters(NamedTuple):
    """A cluster number for each item, and which of the two kinds of names joined them."""

    wide: bool
    numbers: IntArray  # (items,)


def cluster_items(wide: Sequence[Iterable[str]], narrow: Sequence[Iterable[str]]) -> ItemClusters:
    """Join items that share a name, directly or through a chain of others.

    `wide` are the names of all that an item may share with others, such as its source documents; `narrow` those that
    certainly matter, such as its couple. Names of `wide` count, unless they join more than half of all items into one
    cluster: then there would be nothing to resample, and only `narrow` counts.
    """
    joined = connected_components(wide)
    if len(joined) and np.bincount(joined).max() <= GIANT * len(joined):
        return ItemClusters(True, joined)
    return ItemClusters(False, connected_components(narrow))
