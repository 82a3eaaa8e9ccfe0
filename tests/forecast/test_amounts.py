"""Amounts in words."""

from __future__ import annotations

import pytest

from constraintsuite.forecast.amounts import in_bytes, in_growth, in_range, in_time
from constraintsuite.forecast.growth import GrowthCurve, Range


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (4e-6, "4 µs"),
        (0.00119, "1.19 ms"),
        (35, "35 s"),
        (121, "2 min 1 s"),
        (3 * 3600 + 1200, "3 h 20 min"),
        (12 * 86400 + 4 * 3600, "12 days 4 h"),
    ],
)
def test_time_in_words(seconds: float, words: str) -> None:
    assert in_time(seconds) == words


@pytest.mark.parametrize(
    ("size", "words"),
    [(500, "500 B"), (1010, "1,010 B"), (1536, "1.5 KiB"), (3 << 30, "3 GiB"), (2 << 50, "2,048 TiB")],
)
def test_bytes_in_words(size: float, words: str) -> None:
    assert in_bytes(size) == words


@pytest.mark.parametrize(
    ("growth", "words"),
    [
        (GrowthCurve(0.2, 0.001), "200 ms + 1 ms x 20,000 examples"),
        (GrowthCurve(0.0, 0.001), "1 ms x 20,000 examples"),
        (GrowthCurve(0.0, 0.001, 1.5), "1 ms x 20,000^1.50 examples"),
        (GrowthCurve(3.0, 0.0), "3 s"),
    ],
)
def test_growth_in_words(growth: GrowthCurve, words: str) -> None:
    assert in_growth(growth, 20_000, in_time, "examples") == words


def test_a_range_is_said_where_there_is_one() -> None:
    assert in_range(Range(2.0, 1.0, 3.0), in_time) == "2 s (1 s .. 3 s)"
    assert in_range(Range(2.0, 2.0, 2.0), in_time) == "2 s"
