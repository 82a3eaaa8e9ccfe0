"""Colours by name, for light and for dark; the page and pictures outside a page share them."""

from __future__ import annotations

from importlib import resources
from typing import NamedTuple


class Colour(NamedTuple):
    """One name in two schemes."""

    light: str
    dark: str


COLOURS = {
    "page": Colour("#fbfbfa", "#14171b"),
    "panel": Colour("#ffffff", "#1b1f25"),
    "ink": Colour("#1b1f24", "#e6e9ed"),
    "soft": Colour("#57606a", "#a3adb8"),
    "line": Colour("#d5d9de", "#363d46"),
    "link": Colour("#0a5aa8", "#7fb8f5"),
    "bar": Colour("#5f8fc7", "#4d7db3"),
    "whisker": Colour("#0d2744", "#eef5fc"),
    "outline": Colour("#9a5b00", "#e0a040"),
    "good": Colour("#14633a", "#7fdca6"),
    "good-back": Colour("#e3f4ea", "#16301f"),
    "bad": Colour("#9c1f1f", "#ff9d94"),
    "bad-back": Colour("#fbe8e6", "#3a1a1a"),
    "tie": Colour("#6b4c00", "#f2cc6b"),
    "tie-back": Colour("#fbf0d4", "#352a10"),
    "mark": Colour("#ffe58a", "#6b5600"),
    "mark-ink": Colour("#1b1f24", "#fff6d6"),
    "cue": Colour("#d8e9ff", "#123a66"),
    "cue-ink": Colour("#0b2f57", "#dcebff"),
    "class-ink": Colour("#ffffff", "#14171b"),
    "class-correct": Colour("#1c6e45", "#4fb883"),
    "class-sticks_to_satisfying": Colour("#2f6aa8", "#6aa5dd"),
    "class-sticks_to_violating": Colour("#9a5b00", "#e0a040"),
    "class-reversed": Colour("#a82f38", "#ea7a7f"),
    "class-paired_tie": Colour("#616a75", "#98a2ad"),
    "series-1": Colour("#1f6fb5", "#5fa8e8"),
    "series-2": Colour("#b5560b", "#f0994a"),
    "series-3": Colour("#1d7a4c", "#55c28a"),
    "series-4": Colour("#a12f73", "#ec82bd"),
    "series-5": Colour("#6250b8", "#a796f2"),
    "series-6": Colour("#7a6a00", "#d3bd4a"),
}
SERIES = tuple(name for name in COLOURS if name.startswith("series-"))
"""Of the curves of a plot, in this order."""


def page_colours() -> str:
    """As CSS variables that follow the page's colour scheme."""
    return " ".join(f"--{name}: light-dark({light}, {dark});" for name, (light, dark) in COLOURS.items())


def light_colours() -> str:
    """As CSS variables for a picture on white."""
    return " ".join(f"--{name}: {light};" for name, (light, _) in COLOURS.items())


def drawing_style() -> str:
    """What the classes inside a picture mean."""
    return (resources.files("constraintsuite.reports") / "templates" / "drawing.css").read_text(encoding="utf-8")
