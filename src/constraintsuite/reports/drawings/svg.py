"""SVG as text: elements with escaped attributes, and a picture that can be read aloud."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from constraintsuite.records.plots import Picture
from constraintsuite.reports.drawings.theme import drawing_style, light_colours

WIDTH = 360
"""Of every picture, so that letters are as large in one as in another, and can be read on a phone."""


_TITLE = 26  # room for the title, where no caption says it
_LONGEST_TITLE = 46


def element(tag: str, *inside: str, **attributes: str | float) -> str:
    """One element; `class_` is written class, `text_anchor` text-anchor; what is inside is markup already."""
    written = "".join(f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"' for name, value in attributes.items())
    return f"<{tag}{written}>{''.join(inside)}</{tag}>" if inside else f"<{tag}{written}/>"


def words(content: str, **attributes: str | float) -> str:
    """A line of text."""
    return element("text", escape(content, quote=False), **attributes)


def hint(content: str) -> str:
    """What is shown while the pointer rests on the element around it."""
    return element("title", escape(content, quote=False))


def shortened(text: str, most: int) -> str:
    """The text, or its beginning and its end: that is where the options of a model stand."""
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[-end:]}"


@dataclass(frozen=True)
class Drawing(Picture):
    """A picture as SVG; in a notebook it shows itself, `str` is a file."""

    description: str
    """What can be seen, in words."""
    width: float
    height: float
    body: str

    def __html__(self) -> str:
        """For a page, whose stylesheet knows the classes."""
        return self._markup("", self.height, self.body)

    def __str__(self) -> str:
        style = element("style", f"svg {{ {light_colours()} }} {drawing_style()}")
        ground = element("rect", width=self.width, height=self.height + _TITLE, fill="#ffffff")
        heading = words(shortened(self.title, _LONGEST_TITLE), x=8, y=17, class_="label strong")
        moved = element("g", self.body, transform=f"translate(0 {_TITLE})")
        width, height = (_value(1.5 * length) for length in (self.width, self.height + _TITLE))
        size = f' xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        return self._markup(size, self.height + _TITLE, style, ground, heading, moved)

    def _repr_svg_(self) -> str:
        return str(self)

    def _markup(self, attributes: str, height: float, *inside: str) -> str:
        name = escape(self.name)
        return (
            f'<svg{attributes} viewBox="0 0 {_value(self.width)} {_value(height)}" role="img" '
            f'aria-labelledby="{name}-title {name}-text">'
            f'<title id="{name}-title">{escape(self.title, quote=False)}</title>'
            f'<desc id="{name}-text">{escape(self.description, quote=False)}</desc>'
            f"{''.join(inside)}</svg>"
        )


def _value(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
