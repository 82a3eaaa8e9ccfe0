"""Maps of a model: colours by sign and size, frames, and all of it in words."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from constraintsuite.reports.drawings.sitemap import Cell, site_map
from constraintsuite.reports.drawings.svg import Drawing


def drawn(*rows: list[Cell], columns: tuple[str, ...] = ("H0", "H1")) -> Drawing:
    return site_map("m", "Title", columns, [(f"L{n}", row) for n, row in enumerate(rows)], "share")


def colours(drawing: Drawing) -> list[tuple[str, float]]:
    """Side and strength of each cell that has a value."""
    ends = drawing.body.index('height="9"')
    found = re.findall(r'class="(above|below)" fill-opacity="([\d.]+)"', drawing.body[:ends])
    return [(side, float(strength)) for side, strength in found]


def test_the_strongest_value_is_full_whatever_its_sign() -> None:
    assert colours(drawn([Cell(0.5, "a"), Cell(-2.0, "b")])) == [("above", 0.25), ("below", 1.0)]


def test_what_has_no_value_is_left_open() -> None:
    drawing = drawn([Cell(None, "nothing"), Cell(1.0, "one")])
    assert colours(drawing) == [("above", 1.0)]
    assert drawing.description == "share: one"


def test_members_have_a_frame() -> None:
    assert drawn([Cell(1.0, "a", framed=True), Cell(1.0, "b")]).body.count('class="winner"') == 1


def test_the_scale_begins_at_zero_where_nothing_lies_below() -> None:
    assert ">0</text>" in drawn([Cell(1.0, "a"), Cell(0.5, "b")]).body
    assert ">−1</text>" in drawn([Cell(1.0, "a"), Cell(-0.5, "b")]).body


def test_all_zeros_are_drawn_without_colour() -> None:
    assert colours(drawn([Cell(0.0, "a"), Cell(0.0, "b")])) == [("above", 0.0), ("above", 0.0)]


def test_many_columns_stay_inside_the_picture() -> None:
    columns = tuple(f"H{n}" for n in range(32))
    root = ET.fromstring(str(drawn([Cell(1.0, "x")] * 32, columns=columns)))
    right = [
        float(one.attrib["x"]) + float(one.attrib["width"])
        for one in root.iter()
        if "x" in one.attrib and "width" in one.attrib
    ]
    assert max(right) <= 360
