from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.app.pages.drawings.bars import EDGE, PLOT, bar_chart
from constraintsuite.core.records.scores import Interval


def bars(body: str) -> list[tuple[float, float]]:
    """Top and width of each bar."""
    found = re.findall(r'<rect x="8" y="([\d.]+)" width="([\d.]+)" height="13"', body)
    return [(float(top), float(width)) for top, width in found]


def whiskers(body: str) -> list[tuple[float, float]]:
    """The ends of each whisker."""
    found = re.findall(r'M([\d.]+) [\d.]+H([\d.]+)" class="whisker"', body)
    return [(float(low), float(high)) for low, high in found]


def test_bars_and_whiskers_stand_where_the_numbers_say() -> None:
    chart = bar_chart("a", "A", [("bm25", Interval(0.5, 0.25, 1.0, 10))], None)
    assert [width for _, width in bars(chart.body)] == [PLOT / 2]
    assert whiskers(chart.body) == [(EDGE + PLOT / 4, EDGE + PLOT)]
    assert chart.description == "bm25: 50.0 (25.0–100.0)"


def test_an_undefined_value_has_no_bar_and_no_whisker() -> None:
    chart = bar_chart("a", "A", [("bm25", Interval(None, None, None, 0))], None)
    assert [width for _, width in bars(chart.body)] == [0]
    assert (whiskers(chart.body), chart.description) == ([], "bm25: –")


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
    chart = bar_chart("a", "A", rows, 0.5)
    drawn = bars(chart.body)
    assert [top for top, _ in drawn] == sorted({top for top, _ in drawn})
    for (top, width), (low, high) in zip(drawn, whiskers(chart.body), strict=True):
        assert 0 <= top <= top + 13 < chart.height
        assert EDGE <= low <= EDGE + width + 0.02
        assert EDGE + width - 0.02 <= high <= chart.width - EDGE
