"""Paired tests, and the settings of the systems in them, as tables."""

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
    """One row per test. `labels` (systems, system, metric, group) are the columns that tell the tests apart."""
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
    """One row per group and system, from settings by system and group; `settings` must not be empty."""
    rows = [(group, system, own[group]) for system, own in settings.items() for group in own]
    groups = list(dict.fromkeys(group for group, _, _ in rows))
    rows.sort(key=lambda row: groups.index(row[0]))
    keys = {key: isinstance(value, float) for _, _, details in rows for key, value in details.items()}
    more = [Column(key, "number" if is_number else "text") for key, is_number in keys.items()]
    columns = (Column(groups[0].partition("=")[0]), Column("system"), *more)
    cells = ((_group(group), system, *(details.get(key) for key in keys)) for group, system, details in rows)
    return Table(name, caption, columns, tuple(cells))


def _group(name: str) -> str:
    """The values in the name of a group: `5, temporal` for `budget=5, type=temporal`."""
    return ", ".join(part.rpartition("=")[2] for part in name.split(", "))


def _grouping(tests: Sequence[PairedDifference]) -> str:
    """The groupings of the narrowest group, for the heading of a column."""
    narrowest = max((test.group for test in tests), key=lambda name: name.count("="))
    named = [part.partition("=")[0] for part in narrowest.split(", ") if "=" in part]
    return ", ".join(named) or "group"


def _row(test: PairedDifference, *, binary: bool, mixed: bool) -> tuple[CellValue, ...]:
    first, second, detectable = test.value_first, test.value_second, test.detectable
    counts = (test.only_first, test.only_second) if binary else ()
    if not (test.share and mixed):
        return (first, second, test.difference, *counts, test.p, test.holm, detectable)
    values = (UnitValue(first, "share"), UnitValue(second, "share"), UnitValue(test.difference, "points"))
    return (*values, *counts, test.p, test.holm, UnitValue(detectable, "share"))
