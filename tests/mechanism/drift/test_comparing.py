"""Likeness of checkpoints whose importances are known."""

from __future__ import annotations

import numpy as np
import pytest

from constraintsuite.mechanism.circuits.resampling import resample
from constraintsuite.mechanism.drift.comparing import Ground, likeness_of, reliability_of
from constraintsuite.mechanism.drift.observing import Observation
from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.mechanism.sites import Site
from mechanism.planted import planted_contrasts

SITES = tuple(Site(layer, "head", head) for layer in range(4) for head in range(10))


def ground(contrasts: int) -> Ground:
    clusters = np.arange(contrasts)
    draws = resample(clusters, np.random.default_rng(0), 200)
    return Ground(SITES, tuple(planted_contrasts(contrasts)), clusters, draws, top=5, seed=0)


def seen(effects: FloatArray) -> Observation:
    both = np.stack([effects, -effects])
    nothing = np.empty((0, 0, 2, len(effects), 2, 0), dtype=np.float32)
    return Observation(np.ones(len(effects)), -np.ones(len(effects)), both, nothing)


def value(figure: float | None) -> float:
    assert figure is not None
    return figure


def test_a_checkpoint_is_like_itself() -> None:
    one = seen(np.random.default_rng(0).normal(size=(30, len(SITES))))
    for found in likeness_of(("a", "a"), one, one, ground(30)):
        figures = (found.spearman, found.rbo, found.jaccard, found.weighted)
        assert [value(figure.value) for figure in figures] == pytest.approx([1.0] * 4)
        assert [value(figure.low) for figure in figures] == pytest.approx([1.0] * 4)
        assert value(found.moved.value) == 0
        assert found.jaccard_p < 1e-5


def test_shared_chance_makes_checkpoints_alike_and_halves_do_not_share_it() -> None:
    rng = np.random.default_rng(0)
    noise, own = rng.normal(size=(30, len(SITES))), rng.normal(size=(2, 30, len(SITES))) / 10
    (first, _) = likeness_of(("a", "b"), seen(noise + own[0]), seen(noise + own[1]), ground(30))
    assert value(first.spearman.value) > 0.9
    assert abs(value(first.across.value)) < 0.3
    (same, _) = reliability_of("a", seen(noise), ground(30))
    assert abs(value(same.spearman.value)) < 0.3


def test_importance_that_wanders_upwards_is_counted_in_layers() -> None:
    low, high = np.zeros((12, len(SITES))), np.zeros((12, len(SITES)))
    low[:, :10], high[:, 20:30] = 1.0, -1.0  # all of it from layer 0 to layer 2, whichever its sign
    (found, _) = likeness_of(("a", "b"), seen(low), seen(high), ground(12))
    assert value(found.moved.value) == pytest.approx(2.0)
    assert value(found.weighted.value) == 0
