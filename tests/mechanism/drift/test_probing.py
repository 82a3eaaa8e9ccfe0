from __future__ import annotations

import numpy as np
import pytest

from constraintsuite.mechanism.drift.similarity import PENALTY, fit_line, probe_accuracy


def test_the_line_is_that_of_ridge_regression() -> None:
    linear = pytest.importorskip("sklearn.linear_model", reason="scikit-learn is not installed")
    differences = np.random.default_rng(0).normal(size=(12, 30)) + 0.5
    penalty = PENALTY * (differences**2).sum() / 12
    theirs = linear.Ridge(alpha=penalty, fit_intercept=False).fit(differences, np.ones(12)).coef_
    np.testing.assert_allclose(fit_line(differences), theirs, rtol=1e-8)


def test_a_shared_direction_is_found_and_holds_for_others() -> None:
    rng = np.random.default_rng(0)
    differences = rng.normal(size=(80, 40))
    differences[:, 3] += 4
    line = fit_line(differences[:40])
    found = probe_accuracy(line, differences[40:], np.arange(40), rng)
    assert found.value is not None
    assert found.value > 0.9


def test_without_any_direction_others_are_probe_accuracy_by_chance() -> None:
    shares = []
    for seed in range(30):
        differences = np.random.default_rng(seed).normal(size=(80, 40))
        found = probe_accuracy(fit_line(differences[:40]), differences[40:], np.arange(40), np.random.default_rng(0))
        shares.append(found.value)
    assert np.mean([share for share in shares if share is not None]) == pytest.approx(0.5, abs=0.06)


def test_what_lies_across_the_line_counts_one_half() -> None:
    differences = np.array([[1.0, 0.0], [0.0, 2.0], [-3.0, 0.0], [1.0, 1.0]])
    found = probe_accuracy(np.array([1.0, 0.0]), differences, np.arange(4), np.random.default_rng(0))
    assert found.value == pytest.approx((1 + 0.5 + 0 + 1) / 4)
