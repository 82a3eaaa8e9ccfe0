"""Figures with their intervals as points of a plot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from constraintsuite.records.figures import ColumnKind, show
from constraintsuite.records.plots import Axis, AxisScale, LevelLine, Plot, Series, Spot
from constraintsuite.records.scores import Interval

Points = Mapping[str, Sequence[tuple[float, Interval]]]
"""By the name of a curve: where a figure lies, and the figure; what is undefined is left out."""


def curves(
    name: str, title: str, across: Axis, up: Axis, points: Points, levels: Iterable[LevelLine] = ()
) -> Plot | None:
    """A plot of the curves that have any point; None if none has."""
    series = [
        Series(label, _spots(some, "share" if up.scale == "share" else "number")) for label, some in points.items()
    ]
    kept = tuple(one for one in series if one.spots)
    return Plot(name, title, across, up, kept, tuple(levels)) if kept else None


def axis(title: str, scale: AxisScale = "count") -> Axis:
    """Whole numbers, such as those of checkpoints, layers or sites."""
    return Axis(title, scale)


def _spots(points: Sequence[tuple[float, Interval]], kind: ColumnKind) -> tuple[Spot, ...]:
    return tuple(
        Spot(x, figure.value, f"{x:g}: {show(figure, kind)}", bounds=_bounds(figure))
        for x, figure in points
        if figure.value is not None
    )


def _bounds(figure: Interval) -> tuple[float, float] | None:
    return None if figure.low is None or figure.high is None else (figure.low, figure.high)
