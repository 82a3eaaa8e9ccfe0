"""A plot as data: the code that measures fills it, and `app/pages/drawings/` draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AxisScale = Literal["logit", "share", "log", "linear", "count"]
"""`logit` for shares near 1, `share` for other shares, `log` for positive values that span powers of ten, `count` for
integers, `linear` for everything else."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The quantity along an axis, and its scale."""

    title: str
    scale: AxisScale

    @property
    def heading(self) -> str:
        """The title with its unit."""
        return f"{self.title}, %" if self.scale in ("logit", "share") else self.title


@dataclass(frozen=True, slots=True)
class Spot:
    """A point of a series. A point that is not `best`, since another of its series beats it, is drawn hollow and not joined."""

    x: float
    y: float
    words: str
    best: bool = True
    bounds: tuple[float, float] | None = None
    """Ends of its interval along the vertical axis."""


@dataclass(frozen=True, slots=True)
class Series:
    """Points under one name, joined by a line in this order."""

    name: str
    spots: tuple[Spot, ...]
    behind: tuple[tuple[Spot, ...], ...] = ()
    """The lines that this series is the mean of, drawn thin in its colour."""


@dataclass(frozen=True, slots=True)
class LevelLine:
    """A dashed horizontal line, such as a chance level."""

    name: str
    y: float
    words: str


@dataclass(frozen=True, slots=True)
class Picture:
    """What a plot as data and a finished drawing share."""

    name: str
    """The name of the file it is written to."""
    title: str


@dataclass(frozen=True, slots=True)
class Plot(Picture):
    """The data of a plot of points over two axes."""

    across: Axis
    up: Axis
    series: tuple[Series, ...]
    levels: tuple[LevelLine, ...] = ()
    stepped: bool = False
    """Whether points are joined by steps with one marker at the end, as for a distribution."""
    note: str = ""
    """A line of text under the key of the plot."""
