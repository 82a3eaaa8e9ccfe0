"""Where the parts of a bar chart stand; the page's template draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from constraintsuite.records.scores import Interval
from constraintsuite.reports.figures import show_interval

_LABELS, _PLOT, _VALUES = 150, 280, 160  # widths of the three columns
_ROW, _BAR, _HEAD, _FOOT = 32, 18, 24, 26
_LONGEST_LABEL = 18


@dataclass(frozen=True)
class Bar:
    """One bar with its whisker; `low` and `high` are None where there is no interval."""

    label: str
    full_label: str
    text: str
    y: float
    width: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Chart:
    """A bar chart of shares; all lengths in the units of its view box."""

    id: str
    title: str
    description: str
    width: int
    height: int
    left: int
    top: int
    bottom: int
    bar_height: int
    right_text: int
    ticks: tuple[tuple[float, str], ...]
    chance: float | None
    bars: tuple[Bar, ...]


def bar_chart(name: str, title: str, rows: Sequence[tuple[str, Interval]], chance: float | None) -> Chart:
    """Horizontal bars from 0 to 100 %, one a row, with 95 % whiskers and a line where chance lies."""
    bars = tuple(
        _bar(label, interval, _HEAD + _ROW * i + (_ROW - _BAR) / 2) for i, (label, interval) in enumerate(rows)
    )
    bottom = _HEAD + _ROW * len(rows)
    return Chart(
        id=name,
        title=title,
        description="; ".join(f"{bar.full_label}: {bar.text}" for bar in bars),
        width=_LABELS + _PLOT + _VALUES,
        height=bottom + _FOOT,
        left=_LABELS,
        top=_HEAD,
        bottom=bottom,
        bar_height=_BAR,
        right_text=_LABELS + _PLOT + _VALUES,
        ticks=tuple((_across(share), f"{share:.0%}") for share in (0, 0.25, 0.5, 0.75, 1)),
        chance=None if chance is None else _across(chance),
        bars=bars,
    )


def _bar(label: str, interval: Interval, y: float) -> Bar:
    figure = show_interval(interval, share=True)
    return Bar(
        label=label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…",
        full_label=label,
        text=f"{figure.value} ({figure.bounds})" if figure.bounds else figure.value,
        y=y,
        width=round(_PLOT * (interval.value or 0), 2),
        low=None if interval.low is None else _across(interval.low),
        high=None if interval.high is None else _across(interval.high),
    )


def _across(share: float) -> float:
    return round(_LABELS + _PLOT * share, 2)
