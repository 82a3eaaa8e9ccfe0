"""Paired tests as a table."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.evaluate.compare import Difference
from constraintsuite.evaluate.groupings import OVERALL
from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.reports.figures import Value
from constraintsuite.reports.tables import Column, Table


def difference_table(tests: Sequence[Difference], examples: int) -> Table:
    """One row a test: the second run less the first."""
    shares = all(METRICS[test.metric].share for test in tests)
    grouped = any(test.group != OVERALL for test in tests)
    columns = (
        Column("models"),
        Column("metric"),
        *((Column("group"),) if grouped else ()),
        Column("difference, points", "points") if shares else Column("difference", "number"),
        Column("only first right", "count"),
        Column("only second right", "count"),
        Column("McNemar p", "p"),
        Column("p", "p"),
        Column("p, Holm", "p"),
    )
    unit = ", in percentage points" if shares else ""
    caption = f"Paired differences on {examples:,} main examples{unit}, with 95 % interval: second model less first."
    return Table("comparison", caption, columns, tuple(_row(test, grouped) for test in tests))


def _row(test: Difference, grouped: bool) -> tuple[Value, ...]:
    return (
        f"{test.first} → {test.second}",
        METRICS[test.metric].title,
        *((test.group,) if grouped else ()),
        test.difference,
        test.only_first,
        test.only_second,
        test.mcnemar,
        test.p,
        test.holm,
    )
