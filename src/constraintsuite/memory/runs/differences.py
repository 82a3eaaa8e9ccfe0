"""Paired differences of a share, case by case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from constraintsuite.evaluate.figures import rounded
from constraintsuite.metrics.intervals import UNDEFINED, clipped, estimate, wilson_bounds
from constraintsuite.records.scores import Interval


def mean_difference(values: Sequence[float], *, seed: int = 0) -> Interval:
    """The mean of differences between -1 and 1, one a case, with an interval that does not overrate few cases.

    Resampling knows only what happened, and would call agreement in two cases certain. So the interval reaches at least as
    far from the mean as the share that can escape so many cases altogether: Wilson's bound of 0 in n.
    """
    if not values:
        return UNDEFINED
    cases = np.arange(len(values), dtype=np.int64)
    (found,) = estimate(np.array(values)[:, np.newaxis], [False], cases, rng=np.random.default_rng(seed))
    assert found.value is not None
    escaped = wilson_bounds(0.0, len(values)).high
    low, high = found.value - escaped, found.value + escaped
    if found.low is not None and found.high is not None:
        low, high = min(low, found.low), max(high, found.high)
    return rounded(clipped(replace(found, low=low, high=high), -1.0, 1.0))
