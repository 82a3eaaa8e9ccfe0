from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.statistics.significance import EXACT_CLUSTERS, cluster_t, holm, max_t, mcnemar, sign_flip


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
    monkeypatch.setattr("constraintsuite.core.statistics.significance.EXACT_CLUSTERS", 5)
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


def test_few_clusters_of_a_column_are_enumerated() -> None:
    # Of the eight ways to give 1, 2 and 3 a sign, two reach 6.
    found = max_t(np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 2]), rng=generator(0))
    assert found.p.tolist() == [0.25]
    assert found.t[0] == pytest.approx(6 / 14**0.5)


@pytest.mark.parametrize("groups", [7, 40])
def test_a_single_site_has_the_p_of_the_plain_test(groups: int) -> None:
    clusters = np.repeat(np.arange(groups), 3)
    effects = generator(1).normal(0.2, 1, size=(len(clusters), 1))
    found = max_t(effects, clusters, rng=generator(2))
    assert found.p[0] == pytest.approx(sign_flip(effects[:, 0], clusters, rng=generator(3)), abs=0.02)


def test_p_is_that_of_the_largest_of_all_sites() -> None:
    effects = generator(4).normal(0, 1, size=(12, 6))
    clusters = np.arange(12)
    found = max_t(effects, clusters, rng=generator(0))
    scaled = effects / np.sqrt((effects**2).sum(axis=0))
    signs = np.array([[1 - 2 * (number >> i & 1) for i in range(12)] for number in range(4096)])
    largest = np.abs(signs @ scaled).max(axis=1)
    assert found.p == pytest.approx([(largest >= abs(t) - 1e-9).mean() for t in found.t])


@pytest.mark.parametrize("groups", [11, 20])  # enumerated, and drawn
def test_chance_is_called_an_effect_in_five_of_a_hundred_cases_at_most(groups: int) -> None:
    rng, runs = generator(5), 600
    clusters = np.repeat(np.arange(groups), 4)
    alone = beside = missed = 0
    for _ in range(runs):
        shared = rng.normal(size=(groups, 1)) + rng.normal(size=(groups, 8))  # of a cluster, and of all sites
        effects = shared[clusters] + 0.3 * rng.normal(size=(len(clusters), 8))
        alone += bool((max_t(effects, clusters, rng=rng, draws=199).p <= 0.05).any())
        effects[:, 7] -= 6
        found = max_t(effects, clusters, rng=rng, draws=199)
        beside += bool((found.p[:7] <= 0.05).any())
        missed += bool(found.p[7] > 0.05 or found.t[7] > 0)
    most = 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5
    assert alone / runs < most
    assert beside / runs < most  # a site with an effect makes no others
    assert missed == 0


@pytest.mark.parametrize("shape", [(0, 3), (4, 0)])
def test_nothing_is_no_effect(shape: tuple[int, int]) -> None:
    found = max_t(np.zeros(shape), np.zeros(shape[0], dtype=np.int64), rng=generator(0))
    assert found.p.tolist() == [1.0] * shape[1]


def test_t_alone_is_the_same_t() -> None:
    effects, clusters = generator(7).normal(size=(20, 3)), np.arange(20) // 2
    assert cluster_t(effects, clusters) == pytest.approx(max_t(effects, clusters, rng=generator(0)).t)


def test_clusters_without_an_effect_in_any_column_leave_the_test_exact() -> None:
    effects = np.concatenate([np.column_stack([np.ones(6), -np.ones(6)]), np.zeros((1_000, 2))])
    assert max_t(effects, np.arange(1_006), rng=generator()).p.tolist() == [2 / 2**6] * 2
