"""SVG as text: named colours, elements with escaped attributes, and drawings with a description for screen readers."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from importlib import resources
from typing import NamedTuple

from constraintsuite.core.records.plots import Picture


class Colour(NamedTuple):
    """A colour in the light and in the dark scheme."""

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
"""The colours of the curves of a plot, in this order."""


def page_colours() -> str:
    """The colours as CSS variables that follow the colour scheme of the page."""
    return " ".join(f"--{name}: light-dark({light}, {dark});" for name, (light, dark) in COLOURS.items())


def _light_colours() -> str:
    """The light colours as CSS variables, for a picture on white."""
    return " ".join(f"--{name}: {light};" for name, (light, _) in COLOURS.items())


def drawing_style() -> str:
    """The style sheet of drawings."""
    return (resources.files("constraintsuite.app.pages") / "templates" / "drawing.css").read_text(encoding="utf-8")


WIDTH = 360
"""The width of every drawing, so that letters have the same size everywhere and fit a phone."""


_TITLE = 26  # height of the title in a file, which has no caption
_LONGEST_TITLE = 46


def element(tag: str, *inside: str, **attributes: str | float) -> str:
    """An element with attributes: `class_` becomes class, `text_anchor` becomes text-anchor. `inside` is markup."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{format_value(value)}"' for name, value in attributes.items()
    )
    return f"<{tag}{written}>{''.join(inside)}</{tag}>" if inside else f"<{tag}{written}/>"


def words(content: str, **attributes: str | float) -> str:
    """A line of text as an SVG element."""
    return element("text", escape(content, quote=False), **attributes)


def hint(content: str) -> str:
    """A text that appears while the pointer rests on the element around it."""
    return element("title", escape(content, quote=False))


def shortened(text: str, most: int) -> str:
    """The text, shortened in the middle if it is too long, since names of models end in their options."""
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[-end:]}"


@dataclass(frozen=True)
class Drawing(Picture):
    """A finished picture. `str` gives the text of an SVG file; notebooks show it directly."""

    description: str
    """What the picture shows, in words."""
    width: float
    height: float
    body: str

    def __html__(self) -> str:
        """Markup for a page whose stylesheet defines the classes."""
        return self._markup("", self.height, self.body)

    def __str__(self) -> str:
        style = element("style", f"svg {{ {_light_colours()} }} {drawing_style()}")
        ground = element("rect", width=self.width, height=self.height + _TITLE, fill="#ffffff")
        heading = words(shortened(self.title, _LONGEST_TITLE), x=8, y=17, class_="label strong")
        moved = element("g", self.body, transform=f"translate(0 {_TITLE})")
        width, height = (format_value(1.5 * length) for length in (self.width, self.height + _TITLE))
        size = f' xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        return self._markup(size, self.height + _TITLE, style, ground, heading, moved)

    def _repr_svg_(self) -> str:
        return str(self)

    def _markup(self, attributes: str, height: float, *inside: str) -> str:
        name = escape(self.name)
        return (
            f'<svg{attributes} viewBox="0 0 {format_value(self.width)} {format_value(height)}" role="img" '
            f'aria-labelledby="{name}-title {name}-text">'
            f'<title id="{name}-title">{escape(self.title, quote=False)}</title>'
            f'<desc id="{name}-text">{escape(self.description, quote=False)}</desc>'
            f"{''.join(inside)}</svg>"
        )


def format_value(value: str | float) -> str:
    """The value of an attribute: a text escaped, a number with at most two decimals."""
    return escape(value) if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
