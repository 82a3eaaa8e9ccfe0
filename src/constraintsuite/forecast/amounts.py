"""Seconds, bytes and money in words."""

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
    minutes = round(seconds / 60)
    if seconds < 3600:
        return f"{int(seconds) // 60} min {int(seconds) % 60} s"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes // 1440:,} days {minutes % 1440 // 60} h"


def in_bytes(size: float) -> str:
    """A size in the largest fitting unit: `1.2 GiB`."""
    for unit in _SIZES[:-1]:
        if size < 1024:
            return f"{size:.3g} {unit}" if size < 1000 else f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.3g} {_SIZES[-1]}" if size < 1000 else f"{size:,.0f} {_SIZES[-1]}"


def in_money(amount: float) -> str:
    """In whatever the prices were given."""
    return f"{amount:,.2f}"


def in_range(amount: Range, shown: AmountFormat) -> str:
    """What is expected, and between what where that is not the same."""
    low, high = shown(amount.low), shown(amount.high)
    return shown(amount.value) if low == high else f"{shown(amount.value)} ({low} .. {high})"


def in_growth(growth: GrowthCurve, x: float, shown: AmountFormat, unit: str = "documents") -> str:
    """The arithmetic: `0.2 s + 1.19 ms x 20,000`, or a power where there is one; documents need not be named."""
    fixed = f"{shown(growth.fixed)} + " if growth.fixed else ""
    if growth.rate == 0:
        return shown(growth.fixed)
    power = f"^{growth.power:.2f}" if growth.power > 1 else ""
    named = "" if unit == "documents" else f" {unit}"
    return f"{fixed}{shown(growth.rate)} x {x:,.0f}{power}{named}"


def counted(number: int, what: str) -> str:
    """A number with its noun in the right form: `1 node`, `4 nodes`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
