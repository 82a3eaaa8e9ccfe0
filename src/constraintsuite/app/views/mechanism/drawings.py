"""Plots of figures with their intervals, and maps of sites with one row per layer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from constraintsuite.app.pages.drawings.heatmap import MapCell, MapColumns, site_map
from constraintsuite.app.pages.drawings.plot import draw_plot
from constraintsuite.app.pages.drawings.svg import Drawing
from constraintsuite.core.records.figures import ColumnKind, show
from constraintsuite.core.records.plots import Axis, AxisScale, LevelLine, Plot, Series, Spot
from constraintsuite.core.records.scores import Interval
from constraintsuite.mechanism.contrasts.records import ROLES
from constraintsuite.mechanism.sites import parse_site

Points = Mapping[str, Sequence[tuple[float, Interval]]]
"""The points of each curve by its name: a position along the axis, and a figure; undefined figures are left out."""


def draw_curves(
    name: str,
    title: str,
    across: str,
    up: str,
    points: Points,
    levels: Iterable[LevelLine] = (),
    *,
    scale: AxisScale = "linear",
) -> list[Drawing]:
    """A plot of the curves that have points, over integers such as the numbers of checkpoints; empty if none has."""
    kind: ColumnKind = "share" if scale == "share" else "number"
    series = [
        Series(
            label,
            tuple(
                Spot(x, figure.value, f"{x:g}: {show(figure, kind)}", bounds=_bounds(figure))
                for x, figure in some
                if figure.value is not None
            ),
        )
        for label, some in points.items()
    ]
    kept = tuple(one for one in series if one.spots)
    return [draw_plot(Plot(name, title, Axis(across, "count"), Axis(up, scale), kept, tuple(levels)))] if kept else []


def _bounds(figure: Interval) -> tuple[float, float] | None:
    return None if figure.low is None or figure.high is None else (figure.low, figure.high)


_WHOLE = ("attention", "mlp")


def head_map(
    name: str,
    title: str,
    values: Mapping[str, Interval | float],
    note: str,
    framed: Collection[str] = (),
) -> Drawing:
    """A map of heads by number, and of the attention and MLP of a layer as a whole if they have values.

    The latter have a scale of their own: next to whole layers, all heads would look pale.
    """
    sites = {parse_site(text): text for text in values}
    layers = sorted({site.layer for site in sites})
    heads = [f"H{head}" for head in sorted({site.head for site in sites if site.kind == "head"})]
    wholes = [kind for kind in _WHOLE if any(site.kind == kind for site in sites)]
    by_place = {
        (site.layer, f"H{site.head}" if site.kind == "head" else site.kind): text for site, text in sites.items()
    }

    def part(columns: Sequence[str], called: str) -> MapColumns:
        rows = [[_cell(by_place.get((layer, column)), values, framed) for column in columns] for layer in layers]
        titles = ["attn" if column == "attention" else column for column in columns]
        return MapColumns(titles, rows, called if heads and wholes else "")

    parts = [part(columns, called) for columns, called in ((heads, "heads"), (wholes, "as a whole")) if columns]
    return site_map(name, title, [f"L{layer}" for layer in layers], parts, note, frame="in the circuit")


def layer_map(name: str, title: str, values: Mapping[tuple[str, str], Interval], note: str) -> Drawing | None:
    """A map of layers by role; None without values."""
    if not values:
        return None
    layers = sorted({layer for layer, _ in values}, key=parse_site)
    roles = [role for role in ("all", *ROLES) if any(role == other for _, other in values)]
    named = {f"{layer} at {role}": value for (layer, role), value in values.items()}
    rows = [
        [_cell(f"{layer} at {role}" if (layer, role) in values else None, named, ()) for role in roles]
        for layer in layers
    ]
    return site_map(
        name,
        title,
        ["emb" if layer == "embeddings" else layer.partition(".")[0] for layer in layers],
        [MapColumns(roles, rows)],
        note,
    )


def _cell(text: str | None, values: Mapping[str, Interval | float], framed: Collection[str]) -> MapCell:
    if text is None:
        return MapCell(None, "no value")
    value = values[text]
    if isinstance(value, Interval):
        return MapCell(value.value, f"{text} {value}", text in framed)
    return MapCell(value, f"{text} {value:.3g}", text in framed)
