"""A comparison of runs as tables, and the examples that changed in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from constraintsuite.experiments.compare import Comparison, ExampleChange, RunDifference
from constraintsuite.experiments.groupings import OVERALL
from constraintsuite.metrics.metric import Metric
from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.records.tables import Table
from constraintsuite.reports.differences import LEGEND, difference_table


def comparison_text(found: Comparison) -> str:
    """For a terminal of 100 columns."""
    return "\n".join(
        [_headline(found), "", *(f"{table}\n" for table in comparison_tables(found)), LEGEND, *_changed(found)]
    )


def comparison_markdown(found: Comparison) -> str:
    """The same as a page."""
    tables = [table.to_markdown().strip() for table in comparison_tables(found)]
    changed = "\n".join(_changed(found)).strip()
    blocks = [f"# Comparison on {found.suite}", _headline(found), *tables, LEGEND]
    return "\n\n".join([*blocks, *([f"```text\n{changed}\n```"] if changed else [])])


def comparison_tables(found: Comparison) -> list[Table]:
    """One table for each pair of runs and metric."""
    pairs = groupby(found.tests, key=lambda test: (test.first, test.second, test.metric))
    return [_table(first, second, METRICS[name], list(tests)) for (first, second, name), tests in pairs]


def comparison_table(found: Comparison) -> Table:
    """All of it in one table."""
    grouped = any(test.group != OVERALL for test in found.tests)
    caption = f"Paired differences on {found.examples:,} main examples of {found.suite}, with 95 % interval."
    labels = ("models", "metric", "group") if grouped else ("models", "metric")
    return difference_table("comparison", caption, found.tests, labels)


def _table(first: str, second: str, metric: Metric, tests: Sequence[RunDifference]) -> Table:
    caption = f"{first} → {second}: {metric.title}{', %' if metric.share else ''}"
    return difference_table(f"{metric.name}_{first}_{second}", caption, tests, ("group",))


def _headline(found: Comparison) -> str:
    left_out = f"; {found.left_out:,} left out, as some run has no result for them" if found.left_out else ""
    return f"{found.suite}: {found.examples:,} main examples{left_out}; ties: {found.rule}"


def _changed(found: Comparison) -> Iterator[str]:
    for pair, changes in found.changes.items():
        if changes:
            yield f"\nChanged, {pair}:"
            for change in changes:
                yield from _change_lines(change)


def _change_lines(change: ExampleChange) -> Iterator[str]:
    yield f"\n{change.id}  [{change.slice}]  {change.first:g} → {change.second:g}"
    yield f"  satisfying {change.satisfying}, violating {change.violating}"
    for role, query in change.queries.items():
        yield f"  {role}: {query}   gap {change.gaps_first[role]:.4g} → {change.gaps_second[role]:.4g}"
