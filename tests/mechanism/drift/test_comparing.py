"""Likeness of checkpoints whose importances are known."""

from __future__ import annotations

import numpy as np
import pytest

from constraintsuite.mechanism.drift.comparison import DriftContext, circuit_of, compare_importances, reliability_of
from constraintsuite.mechanism.drift.observation import Observation
from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.mechanism.sites import Site
from mechanism.planted import planted_contrasts

SITES = tuple(Site(layer, "head", head) for layer in range(4) for head in range(10))


def ground(contrasts: int, draws: int = 200) -> DriftContext:
    clusters = np.arange(contrasts)
    return DriftContext(SITES, tuple(planted_contrasts(contrasts)), clusters, draws, top=5, seed=0)


def seen(effects: FloatArray) -> Observation:
    both = np.stack([effects, -effects])
    nothing = np.empty((0, 0, 2, len(effects), 2, 0), dtype=np.float32)
    return Observation(np.ones(len(effects)), -np.ones(len(effects)), both, nothing)


def value(figure: float | None) -> float:
    assert figure is not None
    return figure


def test_a_checkpoint_is_like_itself() -> None:
    one = seen(np.random.default_rng(0).normal(size=(30, len(SITES))))
    for found in compare_importances(("a", "a"), one, one, ground(30)):
        figures = (found.spearman, found.rbo, found.jaccard, found.weighted)
        assert [value(figure.value) for figure in figures] == pytest.approx([1.0] * 4)
        assert [value(figure.low) for figure in figures] == pytest.approx([1.0] * 4)
        assert value(found.moved.value) == 0


def test_sites_that_matter_are_shared_across_halves() -> None:
    strong = np.random.default_rng(0).normal(size=(30, len(SITES)))
    strong[:, :5] += 5.0
    for found in compare_importances(("a", "a"), seen(strong), seen(strong), ground(30)):
        assert value(found.jaccard_across.value) == 1
        assert found.jaccard_p < 1e-5


def test_shared_chance_alone_is_no_shared_circuit() -> None:
    rng = np.random.default_rng(1)
    found = []
    for _ in range(40):
        noise, own = rng.normal(size=(30, len(SITES))), rng.normal(size=(2, 30, len(SITES))) / 3
        (first, _) = compare_importances(("a", "b"), seen(noise + own[0]), seen(noise + own[1]), ground(30, draws=2))
        found.append(first)
    assert sum(one.jaccard_p < 0.05 for one in found) <= 4  # of 40 at 5 %
    assert np.mean([value(one.jaccard.value) for one in found]) > 0.3
    assert np.mean([value(one.jaccard_across.value) for one in found]) < 0.1


def test_a_circuit_is_that_of_the_half_find() -> None:
    effects = np.zeros((30, len(SITES)))
    effects[::2, 3], effects[1::2, 7] = 1.0, 9.0  # planted contrasts are in turn of find and check
    assert circuit_of(seen(effects), "denoising", ground(30))[0] == SITES[3]


def test_shared_chance_makes_checkpoints_alike_and_halves_do_not_share_it() -> None:
    rng = np.random.default_rng(0)
    noise, own = rng.normal(size=(30, len(SITES))), rng.normal(size=(2, 30, len(SITES))) / 10
    (first, _) = compare_importances(("a", "b"), seen(noise + own[0]), seen(noise + own[1]), ground(30))
    assert value(first.spearman.value) > 0.9
    assert abs(value(first.across.value)) < 0.3
    (same, _) = reliability_of("a", seen(noise), ground(30))
    assert abs(value(same.spearman.value)) < 0.3


def test_importance_that_wanders_upwards_is_counted_in_layers() -> None:
    low, high = np.zeros((12, len(SITES))), np.zeros((12, len(SITES)))
    low[:, :10], high[:, 20:30] = 1.0, -1.0  # all of it from layer 0 to layer 2, whichever its sign
    (found, _) = compare_importances(("a", "b"), seen(low), seen(high), ground(12))
    assert value(found.moved.value) == pytest.approx(2.0)
    assert value(found.weighted.value) == 0
