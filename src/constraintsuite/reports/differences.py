"""Paired tests as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from constraintsuite.experiments.compare import RunDifference
from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.records.figures import CellValue, ColumnKind
from constraintsuite.records.tables import Column, Table

LEGEND = (
    "Difference: second less first, paired, with its 95 % interval, resampled by cluster.\n"
    "1st, 2nd: examples that only this run gets right. McNemar: exact p, as if examples were independent.\n"
    "p: clustered sign-flip test. Holm: that p corrected for all tests here."
)
_LABELS: Mapping[str, Callable[[RunDifference], str]] = {
    "models": lambda test: f"{test.first} → {test.second}",
    "metric": lambda test: METRICS[test.metric].title,
    "group": lambda test: _group(test.group),
}


def difference_table(name: str, caption: str, tests: Sequence[RunDifference], labels: Sequence[str]) -> Table:
    """One row a test; `labels` of models, metric and group say which it is, what all share is for the caption."""
    shares = all(METRICS[test.metric].share for test in tests)
    value: ColumnKind = "share" if shares else "number"
    columns = (
        *(Column(_grouping(tests) if label == "group" else label) for label in labels),
        Column("first", value),
        Column("second", value),
        Column("difference", "points" if shares else "number"),
        Column("1st", "count"),
        Column("2nd", "count"),
        Column("McNemar", "p"),
        Column("p", "p"),
        Column("Holm", "p"),
    )
    return Table(
        name, caption, columns, tuple((*(_LABELS[key](test) for key in labels), *_row(test)) for test in tests)
    )


def _group(name: str) -> str:
    _, _, value = name.partition("=")
    return value or name


def _grouping(tests: Sequence[RunDifference]) -> str:
    """The grouping of all tests but the overall ones, for a heading."""
    return next((by for test in tests for by, _, value in [test.group.partition("=")] if value), "group")


def _row(test: RunDifference) -> tuple[CellValue, ...]:
    return (
        test.value_first,
        test.value_second,
        test.difference,
        test.only_first,
        test.only_second,
        test.mcnemar,
        test.p,
        test.holm,
    )
