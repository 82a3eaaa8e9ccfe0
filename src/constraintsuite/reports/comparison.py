"""A comparison of systems in words and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from constraintsuite.experiments.compare import Comparison, ItemChange, PairedDifference
from constraintsuite.experiments.differences import LEGEND, difference_table, settings_table
from constraintsuite.experiments.outcome_table import Details
from constraintsuite.records.tables import Table

_LONGEST = 160  # characters of a text that a change shows


def comparison_text(found: Comparison) -> str:
    """For a terminal of 100 columns."""
    return "\n".join(
        [_headline(found), "", *(f"{table}\n" for table in comparison_tables(found)), LEGEND, *_changed(found)]
    )


def comparison_markdown(found: Comparison) -> str:
    """The same as a page."""
    tables = [table.to_markdown().strip() for table in comparison_tables(found)]
    changed = "\n".join(_changed(found)).strip()
    blocks = [f"# Comparison on {found.data}", _headline(found), *tables, LEGEND]
    return "\n\n".join([*blocks, *([f"```text\n{changed}\n```"] if changed else [])])


def comparison_tables(found: Comparison) -> list[Table]:
    """One table for each pair of systems and metric, and one of the settings where systems were set for each group."""
    pairs = groupby(found.tests, key=lambda test: (test.first, test.second, test.metric))
    tables = [_table(first, second, found.titles[name], list(tests)) for (first, second, name), tests in pairs]
    settings = [settings_table("settings", "Settings", found.settings)] if found.settings else []
    return [*tables, *settings]


def comparison_table(found: Comparison) -> Table:
    """All of it in one table."""
    grouped = len({test.group for test in found.tests}) > 1
    caption = f"Paired differences on {found.items:,} items of {found.data}, with 95 % interval."
    labels = ("systems", "metric", "group") if grouped else ("systems", "metric")
    return difference_table("comparison", caption, found.tests, labels, found.titles)


def item_lines(change: ItemChange, names: tuple[str, str] = ("first", "second")) -> Iterator[str]:
    """What to read of an item that changed: its name and values, its texts, and what each system, called so, did."""
    was = "" if change.first is None else f"{change.first:g} → "
    yield f"{change.id}  {was}{change.second:g}"
    for name, text in change.texts.items():
        yield f"  {name}: {_short(text)}"
    for label, seen in zip(names, (change.seen_first, change.seen_second), strict=True):
        if seen:
            yield f"  {label}: {_said(seen)}"


def _table(first: str, second: str, title: str, tests: Sequence[PairedDifference]) -> Table:
    caption = f"{first} → {second}: {title}"
    return difference_table(f"{tests[0].metric}_{first}_{second}", caption, tests, ("group",))


def _headline(found: Comparison) -> str:
    left_out = f"; {found.left_out:,} left out, as some run has no result for them" if found.left_out else ""
    ties = f"; ties: {found.ties}" if found.ties else ""
    return f"{found.data}: {found.items:,} items{left_out}{ties}"


def _changed(found: Comparison) -> Iterator[str]:
    for pair, changes in found.changes.items():
        if changes:
            yield f"\nChanged, {pair}:"
            for change in changes:
                yield ""
                yield from item_lines(change)


def _said(seen: Details) -> str:
    parts = (f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in seen.items())
    return ", ".join(parts)


def _short(text: str | float) -> str:
    said = " ".join(str(text).split())
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST].rstrip()} …"
