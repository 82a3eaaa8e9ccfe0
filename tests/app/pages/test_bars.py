from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.app.pages.drawings.bars import BAR, BAR_TOP, EDGE, PLOT, across, bar_chart, place_bars
from constraintsuite.core.records.scores import Interval


def test_bars_and_whiskers_stand_where_the_numbers_say() -> None:
    (bar,) = place_bars([("bm25", Interval(0.5, 0.25, 1.0, 10))])
    assert EDGE + bar.width == across(0.5)
    assert (bar.low, bar.high) == (across(0.25), EDGE + PLOT)
    assert bar.text == "50.0 (25.0–100.0)"


def test_an_undefined_value_has_no_bar_and_no_whisker() -> None:
    (bar,) = place_bars([("bm25", Interval(None, None, None, 0))])
    assert (bar.width, bar.low, bar.high, bar.text) == (0, None, None, "–")


def test_a_long_name_is_cut_but_told_in_full() -> None:
    name = "dense:organisation/a-model-with-a-long-name"
    chart = bar_chart("accuracy", "Accuracy", [(name, Interval(0.5, 0.4, 0.6, 9))], None)
    assert ">dense:organisat…th-a-long-name<" in chart.body
    assert f"{name}: 50.0" in chart.description


def test_chance_is_marked_where_there_is_one() -> None:
    rows = [("bm25", Interval(0.5, 0.4, 0.6, 9))]
    assert ">chance<" in bar_chart("a", "A", rows, 0.25).body
    assert ">chance<" not in bar_chart("a", "A", rows, None).body


def test_the_line_of_chance_stands_behind_names_and_before_bars() -> None:
    body = bar_chart("a", "A", [("bm25", Interval(0.5, 0.4, 0.6, 9))], 0.25).body
    assert body.index('class="bar"') < body.index('class="chance"') < body.index(">bm25<")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_nothing_leaves_the_drawing(shares: list[float]) -> None:
    rows = [(f"m{i}", Interval(s, s / 2, (1 + s) / 2, 5)) for i, s in enumerate(shares)]
    chart, bars = bar_chart("a", "A", rows, 0.5), place_bars(rows)
    for bar in bars:
        assert 0 <= bar.y <= bar.y + BAR_TOP + BAR < chart.height
        assert bar.low is not None
        assert bar.high is not None
        assert EDGE <= bar.low <= EDGE + bar.width + 0.01
        assert EDGE + bar.width - 0.01 <= bar.high <= chart.width - EDGE
    tops = [bar.y for bar in bars]
    assert tops == sorted(set(tops))
