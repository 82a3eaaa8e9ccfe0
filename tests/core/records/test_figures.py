"""Shares as sentences say them."""

from __future__ import annotations

import pytest

from constraintsuite.core.records.figures import percent, points, say
from constraintsuite.core.records.scores import Interval


@pytest.mark.parametrize(("share", "said"), [(0.3409, "34.1 %"), (1.0, "100.0 %"), (-0.02, "−2.0 %")])
def test_a_share_is_said_in_per_cent_with_one_decimal(share: float, said: str) -> None:
    assert percent(share) == said


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (Interval(0.5, 0.25, 0.75, 8), "50.0 % [25.0–75.0] n=8"),
        (Interval(0.5, None, None, 3), "50.0 % n=3"),  # too few items for bounds
        (Interval(None, None, None, 0), "– n=0"),
    ],
)
def test_a_share_is_said_with_the_bounds_it_has(share: Interval, said: str) -> None:
    assert say(share, "share") == said


def test_the_size_of_a_difference_has_no_sign() -> None:
    assert points(-0.0213) == points(0.0213) == "2.1 points"
