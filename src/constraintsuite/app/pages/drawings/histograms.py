"""Histograms: a filled one, and optionally a second one as an outline over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from constraintsuite.app.pages.drawings.svg import WIDTH, Drawing, element, hint, words

_EDGE, _HEAD, _TALL, _FOOT = 8, 26, 90, 22
_PLOT = WIDTH - 2 * _EDGE


@dataclass(frozen=True)
class Bins:
    """The bins of a histogram and the labels of its axis."""

    edges: tuple[float, ...]
    ticks: tuple[tuple[float, str], ...]
    """Positions along the axis and their labels."""
    zero: float | None = None
    """The position of a dashed line; None for no line."""

    def count(self, values: npt.NDArray[np.float64]) -> list[int]:
        """The number of values in each bin; values beyond an end count in the last bin there."""
        inside = np.clip(values, self.edges[0], self.edges[-1])
        return [int(n) for n in np.histogram(inside, bins=np.array(self.edges))[0]]


def histogram(
    name: str, title: str, bins: Bins, series: Mapping[str, Sequence[int]], description: str, note: str = ""
) -> Drawing:
    """At most two series of counts: the first is filled, the second an outline."""
    (first, filled), *others = series.items()
    highest = max(1, *filled, *(count for _, counts in others for count in counts))
    base = _HEAD + _TALL
    parts = _key(first, [label for label, _ in others], note)
    for left, right, count in zip(bins.edges[:-1], bins.edges[1:], filled, strict=True):
        x, tall = _across(bins, left), _TALL * count / highest
        parts.append(
            element(
                "rect",
                hint(f"{left:.3g} to {right:.3g}: {count:,}"),
                x=x,
                y=base - tall,
                width=max(0.5, _across(bins, right) - x - 0.75),
                height=tall,
                class_="bar",
            )
        )
    parts += [element("path", d=_outline(bins, counts, highest, base), class_="outline") for _, counts in others]
    parts.append(element("line", x1=_EDGE, x2=_EDGE + _PLOT, y1=base, y2=base, class_="grid"))
    if bins.zero is not None:
        x = _across(bins, bins.zero)
        parts.append(element("line", x1=x, x2=x, y1=_HEAD - 4, y2=base, class_="chance"))
    for number, (place, label) in enumerate(bins.ticks):
        anchor = "start" if number == 0 else "end" if number == len(bins.ticks) - 1 else "middle"
        parts.append(words(label, x=_across(bins, place), y=base + 15, class_="tick", text_anchor=anchor))
    return Drawing(name, title, description, WIDTH, base + _FOOT, "".join(parts))


def _key(first: str, others: Sequence[str], note: str) -> list[str]:
    parts = [words(note, x=_EDGE + _PLOT, y=13, class_="tick", text_anchor="end")] if note else []
    if not others:
        return parts
    parts.append(element("rect", x=_EDGE, y=4, width=10, height=10, class_="bar"))
    parts.append(words(first, x=_EDGE + 15, y=13, class_="tick"))
    parts.append(element("path", d="M124 9h14", class_="outline"))
    return [*parts, words(others[0], x=143, y=13, class_="tick")]


def _across(bins: Bins, place: float) -> float:
    low, high = bins.edges[0], bins.edges[-1]
    return _EDGE + _PLOT * (place - low) / (high - low)


def _outline(bins: Bins, counts: Sequence[int], highest: int, base: float) -> str:
    steps = [f"M{_across(bins, bins.edges[0]):.2f} {base:.2f}"]
    for right, count in zip(bins.edges[1:], counts, strict=True):
        steps.append(f"V{base - _TALL * count / highest:.2f}H{_across(bins, right):.2f}")
    return "".join([*steps, f"V{base:.2f}"])
