"""A plot as data: whoever measures says what is in it, and whoever draws says how it looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AxisScale = Literal["logit", "share", "log", "linear", "count"]
"""`logit` for shares near 1, `share` for others, `log` for what spans powers of ten (values above 0), `count` for whole
numbers, `linear` for the rest."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What is counted, and on what scale."""

    title: str
    scale: AxisScale

    @property
    def heading(self) -> str:
        """The title for people, who read shares in per cent."""
        return f"{self.title}, %" if self.scale in ("logit", "share") else self.title


@dataclass(frozen=True, slots=True)
class Spot:
    """A point; those that another of the same series beats are not `best`: no line joins them."""

    x: float
    y: float
    words: str
    best: bool = True
    bounds: tuple[float, float] | None = None
    """Ends of its interval along the upright axis."""


@dataclass(frozen=True, slots=True)
class Series:
    """Points under one name, joined in this order."""

    name: str
    spots: tuple[Spot, ...]
    behind: tuple[tuple[Spot, ...], ...] = ()
    """What it is the mean of: thin lines in its colour."""


@dataclass(frozen=True, slots=True)
class LevelLine:
    """A line across: something that has no place along the other axis."""

    name: str
    y: float
    words: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A plot as data, or one that is drawn already."""

    name: str
    """The name of the file it is written to."""
    title: str


@dataclass(frozen=True, slots=True)
class Plot(Picture):
    """Everything but the lines and letters."""

    across: Axis
    up: Axis
    series: tuple[Series, ...]
    levels: tuple[LevelLine, ...] = ()
    stepped: bool = False
    """Joined by steps, with a marker at the end alone: a distribution."""
    note: str = ""
    """A line of text under the key of the plot."""
