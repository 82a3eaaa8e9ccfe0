"""Paired tests, and how the systems were set in them, as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from constraintsuite.core.records.figures import CellValue, ColumnKind, UnitValue
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.experiments.compare import PairedDifference
from constraintsuite.experiments.outcome_table import Details

LEGEND = (
    "Difference: second less first, paired, with its 95 % interval, resampled by cluster.\n"
    "1st, 2nd: items that only this system gets right.\n"
    "p: clustered sign-flip test. Holm: that p corrected for all tests here.\n"
    "Detects: the smallest difference that so many items show with a probability of 80 %."
)
_LABELS: Mapping[str, Callable[[PairedDifference, Mapping[str, str]], str]] = {
    "systems": lambda test, _: f"{test.first} → {test.second}",
    "system": lambda test, _: test.second,
    "metric": lambda test, titles: titles.get(test.metric, test.metric),
    "group": lambda test, _: _group(test.group),
}


def difference_table(
    name: str,
    caption: str,
    tests: Sequence[PairedDifference],
    labels: Sequence[str],
    titles: Mapping[str, str] | None = None,
) -> Table:
    """One row for each test; `labels` (systems, system, metric, group) say which it is, what all share is for the caption."""
    shares, mixed = all(test.share for test in tests), len({test.share for test in tests}) > 1
    binary = any(test.only_first is not None for test in tests)
    value: ColumnKind = "share" if shares else "number"
    change: ColumnKind = "points" if shares else "number"
    counts = (Column("1st", "count"), Column("2nd", "count")) if binary else ()
    columns = (
        *(Column(_grouping(tests) if label == "group" else label) for label in labels),
        Column("first", value),
        Column("second", value),
        Column("difference", change),
        *counts,
        Column("p", "p"),
        Column("Holm", "p"),
        Column("detects", value),
    )
    rows = (
        (*(_LABELS[key](test, titles or {}) for key in labels), *_row(test, binary=binary, mixed=mixed))
        for test in tests
    )
    return Table(name, caption, columns, tuple(rows))


def settings_table(name: str, caption: str, settings: Mapping[str, Mapping[str, Details]]) -> Table:
    """How each system was set in each group, one row for both; `settings` are by system and group, and not empty."""
    rows = [(group, system, own[group]) for system, own in settings.items() for group in own]
    groups = list(dict.fromkeys(group for group, _, _ in rows))
    keys = {key: isinstance(value, float) for _, _, details in rows for key, value in details.items()}
    columns = (
        Column(groups[0].partition("=")[0]),
        Column("system"),
        *(Column(key, "number" if is_number else "text") for key, is_number in keys.items()),
    )
    ordered = sorted(rows, key=lambda row: groups.index(row[0]))
    return Table(
        name,
        caption,
        columns,
        tuple((_group(group), system, *(details.get(key) for key in keys)) for group, system, details in ordered),
    )


def _group(name: str) -> str:
    """The values of a group such as `budget=5, type=temporal`; one over everything has its name."""
    return ", ".join(part.rpartition("=")[2] for part in name.split(", "))


def _grouping(tests: Sequence[PairedDifference]) -> str:
    """The groupings of the tests, for a heading: those of the narrowest group."""
    narrowest = max((test.group for test in tests), key=lambda name: name.count("="))
    named = [part.partition("=")[0] for part in narrowest.split(", ") if "=" in part]
    return ", ".join(named) or "group"


def _row(test: PairedDifference, *, binary: bool, mixed: bool) -> tuple[CellValue, ...]:
    counts = (test.only_first, test.only_second) if binary else ()
    first: CellValue = test.value_first
    second: CellValue = test.value_second
    difference: CellValue = test.difference
    detectable: CellValue = test.detectable
    if test.share and mixed:  # beside metrics that are no shares
        first, second = UnitValue(test.value_first, "share"), UnitValue(test.value_second, "share")
        difference, detectable = UnitValue(test.difference, "points"), UnitValue(test.detectable, "share")
    return (first, second, difference, *counts, test.p, test.holm, detectable)
