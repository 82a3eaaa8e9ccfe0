"""What the benchmarks print."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click


def show(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A small table: the first column to the left, all others to the right."""
    cells = [list(header), *([cell(value) for value in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    click.echo(f"\n{title}")
    for row in cells:
        first, *others = (
            text.ljust(w) if i == 0 else text.rjust(w) for i, (text, w) in enumerate(zip(row, widths, strict=True))
        )
        click.echo("  ".join([first, *others]).rstrip())


def cell(value: object) -> str:
    """A number with three digits that count; anything else as it is."""
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return str(value)


def target(what: str, value: float, limit: float, *, at_most: bool) -> None:
    """Say whether a target is met; nothing depends on it."""
    met = value <= limit if at_most else value >= limit
    click.echo(
        f"{what}: {cell(value)} (target {'at most' if at_most else 'at least'} {cell(limit)}): {'met' if met else 'MISSED'}"
    )


def load() -> str:
    """How busy the machine is."""
    return "load average " + ", ".join(f"{value:.2f}" for value in os.getloadavg()) + f" on {os.cpu_count()} cores"
