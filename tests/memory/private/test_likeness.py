"""Means of likeness, with bounds that do not call a few cases certain."""

from __future__ import annotations

import numpy as np
import pytest

from constraintsuite.memory.private.likeness import mean_likeness
from constraintsuite.metrics.intervals import wilson_bounds


@pytest.mark.parametrize("value", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("clusters", [5, 12])
def test_values_that_are_all_the_same_are_as_certain_as_their_number(value: float, clusters: int) -> None:
    members = np.repeat(np.arange(clusters), 2)
    (found,) = mean_likeness(np.full((2 * clusters, 1), value), members, np.random.default_rng(0))
    assert (found.value, found.n) == (value, 2 * clusters)
    assert (found.low, found.high) == wilson_bounds(value, clusters)


def test_all_or_nothing_is_never_surer_than_a_share() -> None:
    values = np.array([[1.0], [1.0], [1.0], [0.0]])
    (found,) = mean_likeness(values, np.array([0, 0, 1, 1]), np.random.default_rng(0))
    assert found.low is not None
    assert found.low <= wilson_bounds(0.75, 4).low


def test_bounds_lie_on_the_scale() -> None:
    values = np.array([[0.9], [1.0], [0.2], [0.9]])
    (found,) = mean_likeness(values, np.arange(4), np.random.default_rng(0))
    assert found.high == 1.0


def test_a_column_without_values_is_undefined() -> None:
    first, second = mean_likeness(np.array([[1.0, np.nan]]), np.arange(1), np.random.default_rng(0))
    assert (first.value, second.value, second.n) == (1.0, None, 0)
