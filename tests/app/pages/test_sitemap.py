"""Maps of a model: colours by sign and size, frames, and all of it in words."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from constraintsuite.app.pages.drawings.heatmap import MapCell, MapColumns, site_map
from constraintsuite.app.pages.drawings.svg import Drawing


def drawn(*rows: list[MapCell], columns: tuple[str, ...] = ("H0", "H1"), frame: str = "") -> Drawing:
    return site_map("m", "Title", [f"L{n}" for n in range(len(rows))], [MapColumns(columns, rows)], "share", frame)


def colours(drawing: Drawing) -> list[tuple[str, float]]:
    """Side and strength of each cell that has a value."""
    ends = drawing.body.index('height="9"')
    found = re.findall(r'class="(above|below)" fill-opacity="([\d.]+)"', drawing.body[:ends])
    return [(side, float(strength)) for side, strength in found]


def test_the_strongest_value_is_full_whatever_its_sign() -> None:
    assert colours(drawn([MapCell(0.5, "a"), MapCell(-2.0, "b")])) == [("above", 0.25), ("below", 1.0)]


def test_what_has_no_value_is_left_open() -> None:
    drawing = drawn([MapCell(None, "nothing"), MapCell(1.0, "one")])
    assert colours(drawing) == [("above", 1.0)]
    assert drawing.description == "share: one"


def test_members_have_a_frame() -> None:
    assert drawn([MapCell(1.0, "a", framed=True), MapCell(1.0, "b")]).body.count('class="winner"') == 1


def test_what_a_frame_means_is_said_where_there_is_one() -> None:
    assert "in the circuit" in drawn([MapCell(1.0, "a", framed=True)], columns=("H0",), frame="in the circuit").body
    assert "in the circuit" not in drawn([MapCell(1.0, "a")], columns=("H0",), frame="in the circuit").body


def test_parts_have_scales_of_their_own() -> None:
    parts = [
        MapColumns(["H0", "H1"], [[MapCell(0.02, "a"), MapCell(0.01, "b")]], "heads"),
        MapColumns(["mlp"], [[MapCell(-4.0, "c")]], "whole"),
    ]
    drawing = site_map("m", "Title", ["L0"], parts)
    assert colours(drawing) == [("above", 1.0), ("above", 0.5), ("below", 1.0)]
    assert [text in drawing.body for text in (">0.02 heads<", ">4 whole<")] == [True, True]


def test_the_scale_begins_at_zero_where_nothing_lies_below() -> None:
    assert ">0</text>" in drawn([MapCell(1.0, "a"), MapCell(0.5, "b")]).body
    assert ">−1</text>" in drawn([MapCell(1.0, "a"), MapCell(-0.5, "b")]).body


def test_all_zeros_are_drawn_without_colour() -> None:
    assert colours(drawn([MapCell(0.0, "a"), MapCell(0.0, "b")])) == [("above", 0.0), ("above", 0.0)]


def test_many_columns_stay_inside_the_picture() -> None:
    columns = tuple(f"H{n}" for n in range(32))
    root = ET.fromstring(str(drawn([MapCell(1.0, "x")] * 32, columns=columns)))
    right = [
        float(one.attrib["x"]) + float(one.attrib["width"])
        for one in root.iter()
        if "x" in one.attrib and "width" in one.attrib
    ]
    assert max(right) <= 360
