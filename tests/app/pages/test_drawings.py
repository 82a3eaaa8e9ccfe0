from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np
import pytest

from constraintsuite.app.pages.drawings.bars import PLOT, bar_chart, stacked_chart
from constraintsuite.app.pages.drawings.heatmap import MOST_ROWS, heat_map
from constraintsuite.app.pages.drawings.histograms import Bins, histogram
from constraintsuite.app.pages.drawings.plot import draw_plot
from constraintsuite.app.pages.drawings.svg import Drawing, element, words
from constraintsuite.core.records.plots import Axis, LevelLine, Plot, Series, Spot
from constraintsuite.core.records.scores import Interval

HOSTILE = "<b>\"'&</b>"
NAMESPACE = "{http://www.w3.org/2000/svg}"


def bars(title: str) -> Drawing:
    return bar_chart("d", title, [(title, Interval(0.5, 0.4, 0.6, 9))], 0.5)


def stacks(title: str) -> Drawing:
    return stacked_chart(
        "d", title, {"correct": title, "reversed": "Wrong"}, [(title, {"correct": 0.25, "reversed": 0.75})]
    )


def spread(title: str) -> Drawing:
    bins = Bins((0.0, 1.0, 2.0), ((0.0, title), (2.0, "2")), zero=1.0)
    return histogram("d", title, bins, {title: [1, 2], "other": [2, 0]}, title, title)


def heat(title: str) -> Drawing:
    return heat_map("d", title, [title, "b"], ["x", title, "z"], np.array([[0.1, 0.9, 0.2], [0.5, 0.3, 0.4]]))


def plot(title: str) -> Drawing:
    series = Series(title, (Spot(0.5, 10, title), Spot(0.9, 5, title), Spot(0.7, 5, title, best=False)))
    levels = (LevelLine(title, 2, title),)
    return draw_plot(Plot("d", title, Axis(title, "logit"), Axis(title, "log"), (series,), levels, note=title))


@pytest.mark.parametrize("draw", [bars, stacks, spread, heat, plot])
def test_a_picture_is_a_file_of_its_own_that_can_be_read_aloud(draw: Callable[[str], Drawing]) -> None:
    drawing = draw(HOSTILE)
    root = ElementTree.fromstring(str(drawing))
    assert root.tag == f"{NAMESPACE}svg"
    assert root.attrib["aria-labelledby"] == "d-title d-text"
    assert root.findtext(f"{NAMESPACE}title") == HOSTILE
    assert root.findtext(f"{NAMESPACE}desc") == drawing.description != ""
    assert drawing._repr_svg_() == str(drawing)
    assert root.findtext(f"{NAMESPACE}style")


@pytest.mark.parametrize("draw", [bars, stacks, spread, heat, plot])
def test_in_a_page_the_page_gives_the_colours(draw: Callable[[str], Drawing]) -> None:
    inline = draw("plain").__html__()
    assert "<style" not in inline
    assert not re.search(r"#[0-9a-f]{6}", inline)


def test_attributes_and_texts_are_escaped() -> None:
    assert element("g", words("a < b", x=1.5), class_='"', text_anchor="end") == (
        '<g class="&quot;" text-anchor="end"><text x="1.5">a &lt; b</text></g>'
    )


def test_the_parts_of_a_stack_fill_it() -> None:
    root = ElementTree.fromstring(str(stacks("m")))
    widths = [
        float(rect.attrib["width"]) for rect in root.iter(f"{NAMESPACE}rect") if rect.attrib.get("height") == "17"
    ]
    assert widths == pytest.approx([PLOT / 4 - 1, PLOT * 3 / 4 - 1])  # a hair apart


def test_what_lies_beyond_the_ends_is_counted_there() -> None:
    bins = Bins((-1.0, 0.0, 1.0), ())
    assert bins.count(np.array([-9.0, -0.5, 0.0, 0.5, 1.0, 9.0])) == [2, 4]
    assert bins.count(np.array([])) == [0, 0]


def test_the_best_match_of_each_query_token_is_framed_and_told() -> None:
    drawing = heat("q")
    assert drawing.body.count('class="winner"') == 3  # and one in the key
    assert drawing.description == "q is matched by q; b is matched by x"


def test_of_a_long_text_the_tokens_least_alike_are_left_out_but_never_a_match() -> None:
    matrix = np.linspace(0, 0.5, 2 * 200).reshape(2, 200)
    matrix[0, 3] = 0.9  # wins, though the tokens beside it are the least alike
    drawing = heat_map("d", "t", ["a", "b"], [f"w{i}" for i in range(200)], matrix)
    assert drawing.body.count('text-anchor="end"') == MOST_ROWS + 1  # and the lower end of the scale
    assert ">w3<" in drawing.body
    assert "the 120 tokens least like any of the query are left out" in drawing.description
