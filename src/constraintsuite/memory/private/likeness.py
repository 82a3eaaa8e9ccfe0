"""Means of figures between 0 and 1, such as how alike two sets or two rankings are."""

from __future__ import annotations

import numpy as np

from constraintsuite.metrics.intervals import FloatArray, IntArray, clipped, estimate
from constraintsuite.records.scores import Interval


def mean_likeness(values: FloatArray, clusters: IntArray, rng: np.random.Generator) -> list[Interval]:
    """The mean of each column with its interval; `values` is (items, figures), NaN where there is none.

    A column of nothing but 0 and 1 is a share. One whose values are all the same is taken for a share as well: resampling
    would call it certain, and no figure on this scale varies more than a share of the same mean.
    """
    shares = [_like_a_share(column[~np.isnan(column)]) for column in values.T]
    return [clipped(figure, 0, 1) for figure in estimate(values, shares, clusters, rng=rng)]


def _like_a_share(values: FloatArray) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all()) or len(np.unique(values)) == 1
