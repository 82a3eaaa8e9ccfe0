"""Numbers as they are shown."""

from __future__ import annotations

import pytest

from constraintsuite.records.scores import Interval


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        (Interval(0.5, 0.25, 0.75, 8), "0.500 [0.250, 0.750] n=8"),
        (Interval(0.5, None, None, 3), "0.500 n=3"),  # too few items for bounds
        (Interval(2.0, 1.0, None, 12), "2.000 n=12"),  # a median whose upper bound lies beyond what was looked at
        (Interval(None, None, None, 0), "– (n=0)"),
    ],
)
def test_a_value_is_shown_with_the_bounds_it_has(interval: Interval, shown: str) -> None:
    assert str(interval) == shown
