"""A plot: the best joined, the rest hollow, lines across named where nothing else stands."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from constraintsuite.app.pages.drawings.plot import draw_charts, draw_plot
from constraintsuite.app.pages.drawings.svg import Drawing
from constraintsuite.core.records.plots import Axis, LevelLine, Plot, Series, Spot
from constraintsuite.core.records.sections import Charts, Remarks, Section

SVG = "{http://www.w3.org/2000/svg}"
CURVE = Series("graph", (Spot(0.5, 900, "a"), Spot(0.9, 100, "b"), Spot(0.6, 50, "c", best=False)))


def drawn(*series: Series, levels: tuple[LevelLine, ...] = (), stepped: bool = False) -> Drawing:
    return draw_plot(Plot("p", "Title", Axis("recall", "logit"), Axis("queries/s", "log"), series, levels, stepped))


def texts(drawing: Drawing) -> dict[str, tuple[float, float]]:
    root = ET.fromstring(str(drawing))
    return {str(t.text): (float(t.attrib["x"]), float(t.attrib["y"])) for t in root.iter(f"{SVG}text")}


def test_only_the_best_are_joined_and_only_the_others_hollow() -> None:
    body = drawn(CURVE).body
    (line,) = re.findall(r'd="(M[^"]*)" class="curve"', body.split("h20")[0])
    assert line.count("L") == 1
    assert body.count('class="spot" fill="none"') == 1


def test_it_is_told_in_words_without_what_is_beaten() -> None:
    described = drawn(CURVE, levels=(LevelLine("flat", 20, "20 queries/s"),)).description
    assert described == "graph: a, b; dashed line, flat: 20 queries/s"


def test_an_interval_is_a_whisker_inside_the_field() -> None:
    plain = Series("curve", (Spot(1, 0.5, "a"), Spot(2, 0.6, "b")))
    bounded = Series("curve", (Spot(1, 0.5, "a", bounds=(0.1, 0.9)), Spot(2, 0.6, "b")))
    plots = [draw_plot(Plot("p", "T", Axis("n", "count"), Axis("y", "linear"), (one,))) for one in (plain, bounded)]
    whiskers = [re.findall(r"M[\d.]+ ([\d.]+)h6M[\d.]+ ([\d.]+)h6", plot.body) for plot in plots]
    assert whiskers[0] == []
    ((low, high),) = whiskers[1]
    assert 28 <= float(high) < float(low) <= 238


def test_a_distribution_rises_by_steps() -> None:
    body = drawn(CURVE, stepped=True).body
    assert re.search(r'd="M[\d.]+ [\d.]+V[\d.]+H[\d.]+" class="curve"', body)
    assert body.count('class="spot"') == 2  # at its end, and in the key


@pytest.mark.parametrize("apart", [1.0, 1.02, 1.3])
def test_names_of_dashed_lines_stand_under_the_field_and_cover_nothing(apart: float) -> None:
    levels = tuple(LevelLine(f"line {i}", 200 * apart**i, "") for i in range(3))
    placed = texts(drawn(CURVE, levels=levels))
    below = placed["recall, %"][1]
    places = [place for name, place in placed.items() if name.startswith(("line", "graph"))]
    assert len(set(places)) == 4
    assert all(y > below + 12 for _, y in places)


def test_dashed_lines_differ_and_the_key_shows_how() -> None:
    levels = tuple(LevelLine(f"line {i}", 200.0 + i, "") for i in range(3))
    dashes = re.findall(r'class="level" stroke-dasharray="([^"]+)"', drawn(CURVE, levels=levels).body)
    assert len(set(dashes)) == 3
    assert dashes[:3] == dashes[3:]


def test_the_key_has_two_columns_unless_a_name_is_long() -> None:
    short, long = (
        [Series(f"{name}{i}", CURVE.spots) for i in range(4)] for name in ("graph", "a name that is rather long ")
    )
    assert drawn(*long).height - drawn(*short).height == 2 * 18


def test_many_series_differ_in_colour_or_shape() -> None:
    body = drawn(*(Series(f"s{i}", (Spot(0.5, 1 + i, ""),)) for i in range(12))).body
    looks = re.findall(r'd="(M[^"]+)"[^>]*class="spot" fill="(var[^"]+)"', body)
    assert len(set(looks)) == 12


def test_the_plots_of_a_section_are_drawn_and_all_else_stays() -> None:
    plot = Plot("front", "Front", Axis("x", "linear"), Axis("y", "linear"), (Series("a", (Spot(1, 2, "here"),)),))
    picture, told = draw_plot(plot), Remarks(("Read this.",))
    section = draw_charts(Section("s", "Section", "", (told, Charts((plot, picture)))))
    assert section.blocks == (told, Charts((picture, picture)))
