from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from constraintsuite.vectors.plan import SampleForecast, all_missed, forecast_uniform

DEV_SMALL = {1: 6_590, 2: 331, 3: 51, 4: 8}
MSMARCO = 8_841_823


def forecast(population: int, size: int, positives: Mapping[int, int]) -> SampleForecast:
    """For a uniform sample; `positives` says how many queries have how many positive documents."""
    return forecast_uniform(population, size, {(m, 0): count for m, count in positives.items()})


@pytest.mark.parametrize(
    ("size", "kept"),
    [(100_000, 84), (500_000, 419), (1_000_000, 834), (2_000_000, 1_656), (4_420_000, 3_595), (8_000_000, 6_350)],
)
def test_the_golden_table_of_dev_small(size: int, kept: int) -> None:
    expected = forecast(MSMARCO, size, DEV_SMALL)
    assert (expected.judged, round(expected.kept)) == (6_980, kept)


def test_the_share_at_one_million() -> None:
    assert forecast(MSMARCO, 1_000_000, DEV_SMALL).share == pytest.approx(0.1195, abs=5e-5)


@pytest.mark.parametrize(("population", "size", "documents", "chance"), [
    (10, 10, 1, 0.0), (10, 0, 3, 1.0), (10, 5, 6, 0.0), (4, 2, 2, 1 / 6), (3, 1, 1, 2 / 3),
])  # fmt: skip
def test_chance_to_miss_all(population: int, size: int, documents: int, chance: float) -> None:
    assert all_missed(population, size, documents) == pytest.approx(chance)


def test_two_hundred_draws_agree_in_mean_and_spread() -> None:
    population, size, positives = 3_000, 600, {1: 80, 2: 30, 4: 10}
    expected = forecast(population, size, positives)
    borders = np.cumsum([m for m, count in positives.items() for _ in range(count)])
    rng = np.random.default_rng(5)
    kept, whole = [], []
    for _ in range(200):
        taken = np.zeros(population, dtype=bool)
        taken[rng.choice(population, size, replace=False)] = True
        queries = np.split(taken, borders)[:-1]
        kept.append(float(sum(q.any() for q in queries)))
        whole.append(float(sum(q.all() for q in queries)))
    assert abs(np.mean(kept) - expected.kept) < 3 * expected.deviation / np.sqrt(200)
    assert np.std(kept) == pytest.approx(expected.deviation, rel=0.15)
    assert abs(np.mean(whole) - expected.whole) < 3 * np.std(whole) / np.sqrt(200)
