"""Which items are not independent of each other: intervals resample them, and cross-validation holds them out, as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from constraintsuite.metrics.intervals import IntArray, connected_components

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
