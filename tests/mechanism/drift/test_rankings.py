from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.mechanism.drift import similarity
from constraintsuite.mechanism.effects.agreement import spearman

_IMPORTANCES = st.lists(st.integers(0, 9), min_size=3, max_size=20)


def test_jaccard_of_chance_is_the_mean_over_all_circuits() -> None:
    circuits = [frozenset(some) for some in combinations(range(7), 3)]
    drawn = [similarity.jaccard(circuits[0], other) for other in circuits]
    assert similarity.chance_jaccard(7, 3) == pytest.approx(np.mean(drawn))


@pytest.mark.parametrize(("sites", "count", "shared"), [(78, 10, 4), (78, 10, 0), (15, 4, 4), (5, 4, 3)])
def test_chance_of_sharing_is_hypergeometric(sites: int, count: int, shared: int) -> None:
    stats: Any = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    theirs = stats.hypergeom(sites, count, count).sf(shared - 1)
    assert similarity.chance_of_sharing(sites, count, shared) == pytest.approx(theirs)


@given(_IMPORTANCES, st.randoms(use_true_random=False))
def test_rank_correlation_is_that_of_scipy(values: list[int], chance: Random) -> None:
    stats: Any = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    other = values.copy()
    chance.shuffle(other)
    a, b = (np.array(some, dtype=float) for some in (values, other))
    found = spearman(a, b)
    if found is None:
        assert len(set(values)) == 1
    else:
        assert found == pytest.approx(stats.spearmanr(a, b).statistic)


@given(_IMPORTANCES, st.randoms(use_true_random=False))
def test_moved_mass_is_the_earth_movers_distance(values: list[int], chance: Random) -> None:
    stats: Any = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    other = values.copy()
    chance.shuffle(other)
    if not any(values):
        return
    layers = np.arange(len(values)) // 3
    a, b = (np.array(some, dtype=float) for some in (values, other))
    theirs = stats.wasserstein_distance(layers, layers, a, b)
    assert similarity.moved_mass(a, b, layers) == pytest.approx(theirs)


def test_weighted_overlap_counts_what_both_have() -> None:
    assert similarity.weighted_overlap(np.array([1.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0])) == pytest.approx(1 / 3)


def test_equal_importances_stand_in_their_order() -> None:
    assert similarity.order_of(np.array([1.0, 2.0, 1.0, 2.0])).tolist() == [1, 3, 0, 2]
