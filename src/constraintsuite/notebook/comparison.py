"""A comparison to look at."""

from __future__ import annotations

from collections.abc import Mapping

from constraintsuite.experiments import compare
from constraintsuite.reports.comparison import comparison_table, comparison_text
from constraintsuite.reports.tables import Table


class Comparison:
    """Paired tests of runs, corrected for their number."""

    def __init__(self, stored: compare.Comparison) -> None:
        self.stored = stored

    @property
    def tests(self) -> tuple[compare.Difference, ...]:
        """Each pair of runs in each metric and group."""
        return self.stored.tests

    @property
    def changes(self) -> Mapping[str, tuple[compare.Change, ...]]:
        """Examples that came out otherwise, by pair of runs."""
        return self.stored.changes

    def table(self) -> Table:
        """One row a test."""
        return comparison_table(self.stored)

    def __str__(self) -> str:
        return comparison_text(self.stored)

    def __repr__(self) -> str:
        return f"Comparison of {', '.join(self.stored.runs)} on {self.stored.suite}: {len(self.tests)} tests"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()
