from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.metrics.significance import EXACT_CLUSTERS, holm, mcnemar, sign_flip


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [  # statsmodels 0.15, mcnemar(table, exact=True); the first is 1 by definition
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 0, 0.0625),
        (10, 2, 0.03857421875),
        (86, 124, 0.010500559190189381),
        (121, 59, 4.4344492637551645e-06),
        (200, 742, 7.566122903953238e-74),
    ],
)
def test_mcnemar_gives_the_known_p(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar(only_first, only_second) == pytest.approx(p, rel=1e-12)
    assert mcnemar(only_second, only_first) == mcnemar(only_first, only_second)


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_a_binomial_test(only_first: int, only_second: int) -> None:
    stats: Any = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    if only_first + only_second:
        theirs = stats.binomtest(only_first, only_first + only_second).pvalue
        assert mcnemar(only_first, only_second) == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [  # statsmodels 0.15, multipletests(p, method="holm")
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.5, 0.001, 0.2, 0.2, 0.03, 1.0], [1.0, 0.006, 0.8, 0.8, 0.15, 1.0]),
        ([0.02], [0.02]),
        ([], []),
    ],
)
def test_holm_gives_the_known_values(p_values: list[float], adjusted: list[float]) -> None:
    assert holm(p_values) == pytest.approx(adjusted)


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_never_lowers_a_p_nor_changes_the_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= a <= 1 for p, a in zip(p_values, adjusted, strict=True))
    by_p = sorted(zip(p_values, adjusted, strict=True))
    assert [a for _, a in by_p] == sorted(adjusted)


@pytest.mark.parametrize("clusters", [1, 2, 5, 9])
def test_few_clusters_are_enumerated(clusters: int) -> None:
    values = generator(clusters).normal(0.5, 1, size=3 * clusters)
    members = np.repeat(np.arange(clusters), 3)
    sums = values.reshape(clusters, 3).sum(axis=1)
    every = [abs(np.dot(signs, sums)) for signs in product((1, -1), repeat=clusters)]
    share = np.mean([one >= abs(sums.sum()) - 1e-9 for one in every])
    assert sign_flip(values, members, rng=generator()) == pytest.approx(share)


def test_it_agrees_with_scipy_where_every_item_is_its_own_cluster() -> None:
    stats: Any = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    values = generator(4).normal(0.4, 1, size=12)
    theirs = stats.permutation_test((values, np.zeros(12)), lambda x, y: np.mean(x - y), permutation_type="samples")
    assert sign_flip(values, np.arange(12), rng=generator()) == pytest.approx(theirs.pvalue, abs=1e-12)


def test_many_clusters_are_drawn_and_the_observed_one_counts_among_the_draws() -> None:
    values = np.ones(40)
    assert sign_flip(values, np.arange(40), rng=generator(), draws=999) == 1 / 1_000
    assert sign_flip(values, np.arange(40), rng=generator(1)) == sign_flip(values, np.arange(40), rng=generator(1))


def test_draws_come_near_the_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    values = generator(2).normal(0.3, 1, size=EXACT_CLUSTERS)
    exact = sign_flip(values, np.arange(EXACT_CLUSTERS), rng=generator())
    monkeypatch.setattr("constraintsuite.metrics.significance.EXACT_CLUSTERS", 5)
    assert sign_flip(values, np.arange(EXACT_CLUSTERS), rng=generator()) == pytest.approx(exact, abs=0.02)


def test_repeating_an_item_inside_its_cluster_is_no_evidence() -> None:
    values = generator(1).normal(0.5, 1, size=12)
    once = sign_flip(values, np.arange(12), rng=generator())
    assert sign_flip(np.repeat(values, 5), np.repeat(np.arange(12), 5), rng=generator()) == once


def test_clusters_in_which_the_models_agree_change_nothing() -> None:
    values = np.concatenate([np.ones(6), np.zeros(1_000)])
    assert sign_flip(values, np.arange(1_006), rng=generator()) == 2 / 2**6


@pytest.mark.parametrize("values", [[], [0.0, 0.0, 0.0]])
def test_models_that_never_differ_are_not_different(values: list[float]) -> None:
    assert sign_flip(np.array(values, dtype=np.float64), np.arange(len(values)), rng=generator()) == 1.0
