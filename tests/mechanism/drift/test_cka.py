from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from constraintsuite.mechanism.drift.similarity import cka_interval
from constraintsuite.mechanism.effects.records import FloatArray


def rows(seed: int, n: int, width: int) -> FloatArray:
    return np.random.default_rng(seed).normal(size=(n, width))


def cka(one: FloatArray, other: FloatArray) -> float | None:
    """The value alone; two clusters, as bounds take time."""
    return cka_interval(one, other, np.arange(len(one)) % 2, np.random.default_rng(0)).value


def hsic_by_definition(one: FloatArray, other: FloatArray) -> float:
    """The U-statistic of Song et al. (2012): the mean over all four different rows."""
    k, l = one @ one.T, other @ other.T  # noqa: E741 - as in the paper
    fours = list(permutations(range(len(one)), 4))
    return float(np.mean([k[i, j] * (l[i, j] + l[q, r] - 2 * l[i, q]) for i, j, q, r in fours]))


def test_it_is_the_mean_over_all_four_different_rows() -> None:
    one, other = rows(0, 8, 3) + 5, rows(1, 8, 2)
    other[:, 0] += one[:, 1]
    expected = hsic_by_definition(one, other) / np.sqrt(hsic_by_definition(one, one) * hsic_by_definition(other, other))
    assert cka(one, other) == pytest.approx(expected)


def test_with_many_rows_it_is_the_plain_cka() -> None:
    one = rows(0, 3_000, 4)
    other = one @ rows(1, 4, 5) + rows(2, 3_000, 5)
    x, y = one - one.mean(axis=0), other - other.mean(axis=0)
    plain = np.linalg.norm(y.T @ x) ** 2 / (np.linalg.norm(x.T @ x) * np.linalg.norm(y.T @ y))
    assert cka(one, other) == pytest.approx(plain, abs=0.002)


def test_rotation_scale_and_shift_do_not_matter() -> None:
    one = rows(0, 20, 5)
    turned = one @ np.linalg.qr(rows(1, 5, 5)).Q * 3 + 7
    assert cka(one, turned) == pytest.approx(1.0)


def test_few_rows_of_many_dimensions_are_not_alike_by_themselves() -> None:
    found = [cka(rows(seed, 20, 200), rows(100 + seed, 20, 200)) for seed in range(20)]
    assert abs(np.mean([value for value in found if value is not None])) < 0.05


def test_what_does_not_vary_has_none() -> None:
    assert cka(np.ones((10, 3)), rows(0, 10, 3)) is None


def test_the_interval_of_related_rows_holds_the_value_of_many() -> None:
    one = rows(0, 4_000, 6)
    other = one @ rows(1, 6, 6) + 2 * rows(2, 4_000, 6)
    truth = cka(one, other)
    assert truth is not None
    held = 0
    for start in range(0, 4_000, 100):
        part = slice(start, start + 100)
        found = cka_interval(one[part], other[part], np.arange(100) // 2, np.random.default_rng(0))
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert held >= 34  # of 40, where 38 are expected


def test_of_a_checkpoint_with_itself_it_is_one_and_certain() -> None:
    one = rows(0, 30, 4)
    found = cka_interval(one, one, np.arange(30), np.random.default_rng(0))
    assert [found.value, found.low, found.high] == pytest.approx([1.0, 1.0, 1.0])
    assert found.n == 30


def test_too_few_rows_say_nothing() -> None:
    found = cka_interval(rows(0, 7, 2), rows(1, 7, 2), np.arange(7), np.random.default_rng(0))
    assert (found.value, found.n) == (None, 7)
