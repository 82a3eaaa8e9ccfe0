from __future__ import annotations

import numpy as np
import pytest
import torch

from constraintsuite.mechanism.nulls import cluster_t, max_t, random_twin
from constraintsuite.mechanism.subject import Subject
from constraintsuite.metrics.significance import sign_flip

RNG = np.random.default_rng


def test_few_clusters_are_enumerated() -> None:
    # Of the eight ways to give 1, 2 and 3 a sign, two reach 6.
    found = max_t(np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 2]), rng=RNG(0))
    assert found.p.tolist() == [0.25]
    assert found.t[0] == pytest.approx(6 / 14**0.5)


@pytest.mark.parametrize("groups", [7, 40])
def test_a_single_site_has_the_p_of_the_plain_test(groups: int) -> None:
    clusters = np.repeat(np.arange(groups), 3)
    effects = RNG(1).normal(0.2, 1, size=(len(clusters), 1))
    found = max_t(effects, clusters, rng=RNG(2))
    assert found.p[0] == pytest.approx(sign_flip(effects[:, 0], clusters, rng=RNG(3)), abs=0.02)


def test_p_is_that_of_the_largest_of_all_sites() -> None:
    effects = RNG(4).normal(0, 1, size=(12, 6))
    clusters = np.arange(12)
    found = max_t(effects, clusters, rng=RNG(0))
    scaled = effects / np.sqrt((effects**2).sum(axis=0))
    signs = np.array([[1 - 2 * (number >> i & 1) for i in range(12)] for number in range(4096)])
    largest = np.abs(signs @ scaled).max(axis=1)
    assert found.p == pytest.approx([(largest >= abs(t) - 1e-9).mean() for t in found.t])


@pytest.mark.parametrize("groups", [11, 20])  # enumerated, and drawn
def test_chance_is_called_an_effect_in_five_of_a_hundred_cases_at_most(groups: int) -> None:
    rng, runs = RNG(5), 600
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


def test_rounding_is_no_effect() -> None:
    effects = np.column_stack([np.full(20, 1e-7), np.full(20, 0.5)])
    found = max_t(effects, np.arange(20), rng=RNG(0), floor=1e-5)
    assert found.t[0] == 0
    assert found.p[0] == 1
    assert found.p[1] < 0.001


@pytest.mark.parametrize("shape", [(0, 3), (4, 0)])
def test_nothing_is_no_effect(shape: tuple[int, int]) -> None:
    found = max_t(np.zeros(shape), np.zeros(shape[0], dtype=np.int64), rng=RNG(0))
    assert found.p.tolist() == [1.0] * shape[1]


def test_t_alone_is_the_same_t() -> None:
    effects, clusters = RNG(7).normal(size=(20, 3)), np.arange(20) // 2
    assert cluster_t(effects, clusters) == pytest.approx(max_t(effects, clusters, rng=RNG(0)).t)


def test_a_random_twin_has_the_shape_and_nothing_of_the_weights(planted: Subject) -> None:
    before = {name: weight.clone() for name, weight in planted.model.named_parameters()}
    state = torch.random.get_rng_state()
    twin = random_twin(planted, 3)
    assert {name: weight.shape for name, weight in twin.model.named_parameters()} == {
        name: weight.shape for name, weight in before.items()
    }
    inputs = planted.inputs([("soup without leeks", "a bowl of soup")])
    assert not torch.allclose(twin.scores(inputs), planted.scores(inputs))
    assert torch.equal(twin.scores(inputs), random_twin(planted, 3).scores(inputs))
    assert not torch.equal(twin.scores(inputs), random_twin(planted, 4).scores(inputs))
    assert all(torch.equal(weight, before[name]) for name, weight in planted.model.named_parameters())
    assert torch.equal(state, torch.random.get_rng_state())
    assert not any(weight.requires_grad for weight in twin.model.parameters())
    assert twin.fingerprint != planted.fingerprint
