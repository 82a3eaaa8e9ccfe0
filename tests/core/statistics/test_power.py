from __future__ import annotations

import numpy as np
import pytest

from constraintsuite.core.statistics.significance import detect_after, detect_before, sign_flip

ALPHA = 0.05


def draw_differences(rng: np.random.Generator, clusters: int, size: int, drop: float) -> np.ndarray:
    """Paired differences of which a fifth are not 0, with a common tendency of each cluster."""
    tendency = np.repeat(rng.normal(0, 0.1, clusters), size)
    lost = np.clip(0.1 + drop / 2 + tendency / 2, 0, 1)
    won = np.clip(0.1 - drop / 2 - tendency / 2, 0, 1)
    chance = rng.random(clusters * size)
    return np.where(chance < lost, -1.0, np.where(chance > 1 - won, 1.0, 0.0))


@pytest.mark.parametrize(("clusters", "size"), [(30, 10), (100, 2)])
def test_a_difference_of_that_size_is_found_four_times_in_five(clusters: int, size: int) -> None:
    rng = np.random.default_rng(0)
    numbers = np.repeat(np.arange(clusters), size)
    smallest = detect_after(draw_differences(rng, clusters, size, 0.0), numbers, alpha=ALPHA, bounded=True)
    assert smallest is not None
    found = [
        sign_flip(draw_differences(rng, clusters, size, smallest), numbers, rng=rng, draws=400) < ALPHA
        for _ in range(150)
    ]
    assert 0.68 <= np.mean(found) <= 0.92


def test_more_items_detect_less_and_larger_clusters_more() -> None:
    def smallest(clusters: int, size: int) -> float:
        found = detect_before(np.repeat(np.arange(clusters), size), alpha=ALPHA)
        assert found is not None
        return found

    assert smallest(400, 1) < smallest(100, 1)
    assert smallest(100, 1) < smallest(10, 10)  # as many items, fewer clusters


@pytest.mark.parametrize("clusters", [1, 5])
def test_so_few_clusters_show_nothing(clusters: int) -> None:
    assert detect_before(np.repeat(np.arange(clusters), 50), alpha=ALPHA) is None
    differences = np.full(clusters * 50, -1.0)
    assert detect_after(differences, np.repeat(np.arange(clusters), 50), alpha=ALPHA, bounded=True) is None


def test_a_stricter_level_needs_more_clusters() -> None:
    six = np.repeat(np.arange(6), 50)
    assert detect_before(six, alpha=0.05) is not None
    assert detect_before(six, alpha=0.01) is None


def test_where_nothing_differs_one_item_in_each_of_six_clusters_must_change() -> None:
    assert detect_after(np.zeros(100), np.arange(100) // 2, alpha=ALPHA, bounded=True) == 0.06


def test_no_items_detect_nothing() -> None:
    assert detect_before(np.array([], dtype=np.int64), alpha=ALPHA) is None
