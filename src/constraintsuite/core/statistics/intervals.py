"""Parts of 95 % intervals: bounds, Wilson's interval of a share, and clusters of items that are not independent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.union_find import UnionFind

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

Z = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""
UNDEFINED = Interval(None, None, None, 0)


class Bounds(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float


def wilson_bounds(share: float, n: float) -> Bounds:
    """Wilson's score interval for a share of `n` > 0 independent items (Wilson 1927)."""
    centre = share + Z * Z / (2 * n)
    spread = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    scale = 1 + Z * Z / n
    return Bounds(max(0.0, min(share, (centre - spread) / scale)), min(1.0, max(share, (centre + spread) / scale)))


def wilson(right: int, n: int) -> Interval:
    """The share of `right` among `n` independent items, with Wilson's interval."""
    return Interval(right / n, *wilson_bounds(right / n, n), n) if n else UNDEFINED


def clipped(figure: Interval, least: float, most: float) -> Interval:
    """The figure with its bounds limited to a scale."""
    if figure.low is None or figure.high is None:
        return figure
    return replace(figure, low=max(least, figure.low), high=min(most, figure.high))


def symmetric(figure: Interval) -> Interval:
    """The figure with both bounds at the distance of the farther one.

    Resampling adds noise. If noise moves a statistic in one direction, as it lowers the correlation of two halves, the draws lie
    on that side of the value, and their percentiles would leave out the other side.
    """
    if figure.value is None or figure.low is None or figure.high is None:
        return figure
    reach = max(figure.high - figure.value, figure.value - figure.low)
    return replace(figure, low=figure.value - reach, high=figure.value + reach)


def connected_components(links: Sequence[Iterable[str]]) -> IntArray:
    """A cluster number for each item. Items that share a link, directly or through others, get the same number."""
    parts = UnionFind(len(links))
    first_with: dict[str, int] = {}
    for item, names in enumerate(links):
        parts.join([item, *(first_with.setdefault(name, item) for name in names)])
    _, numbers = np.unique(parts.firsts(), return_inverse=True)
    return numbers.astype(np.int64)


GIANT = 0.5
"""If one cluster has more than this share of all items, too little is left to resample or to hold out."""


class ItemClusters(NamedTuple):
    """A cluster number for each item, and whether the wide names joined them."""

    wide: bool
    numbers: IntArray  # (items,)


def cluster_items(wide: Sequence[Iterable[str]], narrow: Sequence[Iterable[str]]) -> ItemClusters:
    """Cluster items that share a name, directly or through others.

    `wide` are all names that an item may share, such as its source documents. `narrow` are the most important ones, such as
    its couple. The wide names count unless they join more than half of all items into one cluster, which would leave nothing
    to resample. Then only the narrow names count.
    """
    joined = connected_components(wide)
    if len(joined) and np.bincount(joined).max() <= GIANT * len(joined):
        return ItemClusters(True, joined)
    return ItemClusters(False, connected_components(narrow))
