from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.records.scores import Interval
from constraintsuite.reports.chart import bar_chart


def test_bars_and_whiskers_stand_where_the_numbers_say() -> None:
    chart = bar_chart("accuracy", "Accuracy", [("bm25", Interval(0.5, 0.25, 1.0, 10))], 0.5)
    (bar,) = chart.bars
    ticks = {text: x for x, text in chart.ticks}
    assert chart.left + bar.width == ticks["50%"] == chart.chance
    assert (bar.low, bar.high) == (ticks["25%"], ticks["100%"])
    assert bar.text == "50.0 (25.0–100.0)"


def test_an_undefined_value_has_no_bar_and_no_whisker() -> None:
    (bar,) = bar_chart("accuracy", "Accuracy", [("bm25", Interval(None, None, None, 0))], None).bars
    assert (bar.width, bar.low, bar.high, bar.text) == (0, None, None, "–")


def test_a_long_name_is_cut_but_told_in_full() -> None:
    chart = bar_chart("accuracy", "Accuracy", [("dense:organisation/model", Interval(0.5, 0.4, 0.6, 9))], None)
    assert chart.bars[0].label == "dense:organisatio…"
    assert "dense:organisation/model: 50.0" in chart.description


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_nothing_leaves_the_drawing(shares: list[float]) -> None:
    chart = bar_chart("a", "A", [(f"m{i}", Interval(s, s / 2, (1 + s) / 2, 5)) for i, s in enumerate(shares)], 0.5)
    plot_end = chart.ticks[-1][0]
    for bar in chart.bars:
        assert chart.top <= bar.y <= bar.y + chart.bar_height <= chart.bottom < chart.height
        assert bar.low is not None
        assert bar.high is not None
        assert chart.left <= bar.low <= chart.left + bar.width + 0.01
        assert chart.left + bar.width - 0.01 <= bar.high <= plot_end
    tops = [bar.y for bar in chart.bars]
    assert tops == pytest.approx(sorted(set(tops)))
