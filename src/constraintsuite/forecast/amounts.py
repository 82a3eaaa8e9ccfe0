"""Seconds, bytes and money as text."""

from __future__ import annotations

from collections.abc import Callable

from constraintsuite.forecast.growth import GrowthCurve, Range

AmountFormat = Callable[[float], str]
_TIMES = ((1e-3, 1e6, "µs"), (1.0, 1e3, "ms"), (120.0, 1.0, "s"))
_SIZES = ("B", "KiB", "MiB", "GiB", "TiB")


def in_time(seconds: float) -> str:
    """`1.19 ms`, `35 s`, `2 min 1 s`, `3 h 20 min`, `12 days 4 h`."""
    for below, factor, unit in _TIMES:
        if seconds < below:
            return f"{seconds * factor:.3g} {unit}"
    if seconds < 3600:
        return f"{int(seconds) // 60} min {int(seconds) % 60} s"
    minutes = round(seconds / 60)
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes // 1440:,} days {minutes % 1440 // 60} h"


def in_bytes(size: float) -> str:
    """A size in the largest fitting unit: `1.2 GiB`."""
    unit = 0
    while size >= 1024 and unit < len(_SIZES) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.3g} {_SIZES[unit]}" if size < 1000 else f"{size:,.0f} {_SIZES[unit]}"


def in_money(amount: float) -> str:
    """An amount in the currency of the prices, with two decimals."""
    return f"{amount:,.2f}"


def in_range(amount: Range, shown: AmountFormat) -> str:
    """The estimate, with its bounds if they differ: `2 s (1 s .. 3 s)`."""
    low, high = shown(amount.low), shown(amount.high)
    return shown(amount.value) if low == high else f"{shown(amount.value)} ({low} .. {high})"


def in_growth(growth: GrowthCurve, x: float, shown: AmountFormat, unit: str = "documents") -> str:
    """The formula of a curve at size `x`: `0.2 s + 1.19 ms x 20,000`. A unit other than documents is named."""
    if growth.rate == 0:
        return shown(growth.fixed)
    fixed = f"{shown(growth.fixed)} + " if growth.fixed else ""
    power = f"^{growth.power:.2f}" if growth.power > 1 else ""
    named = "" if unit == "documents" else f" {unit}"
    return f"{fixed}{shown(growth.rate)} x {x:,.0f}{power}{named}"


def with_noun(number: int, noun: str) -> str:
    """A number with its noun in the right form: `1 node`, `4 nodes`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
