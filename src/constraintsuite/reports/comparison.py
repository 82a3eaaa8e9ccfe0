"""A comparison of runs as tables, and the examples that changed in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from constraintsuite.evaluate.compare import Change, Comparison, Difference
from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.reports.figures import Value
from constraintsuite.reports.tables import Column, Table

_LEGEND = (
    "Difference: second less first, paired, with its 95 % interval, resampled by cluster.\n"
    "1st/2nd: right in that run only. McNemar: exact p, as if examples were independent.\n"
    "p: clustered sign-flip test. Holm: that p corrected for all tests here."
)


def comparison_text(found: Comparison) -> str:
    """For a terminal of 100 columns."""
    return "\n".join(
        [_headline(found), "", *(f"{table}\n" for table in comparison_tables(found)), _LEGEND, *_changed(found)]
    )


def comparison_markdown(found: Comparison) -> str:
    """The same as a page."""
    tables = [table.to_markdown().strip() for table in comparison_tables(found)]
    changed = "\n".join(_changed(found)).strip()
    blocks = [f"# Comparison on {found.suite}", _headline(found), *tables, _LEGEND]
    return "\n\n".join([*blocks, *([f"```text\n{changed}\n```"] if changed else [])])


def comparison_tables(found: Comparison) -> list[Table]:
    """One table for each pair of runs and metric."""
    pairs = groupby(found.tests, key=lambda test: (test.first, test.second, test.metric))
    return [_table(first, second, name, list(tests)) for (first, second, name), tests in pairs]


def _table(first: str, second: str, name: str, tests: Sequence[Difference]) -> Table:
    metric = METRICS[name]
    grouping = tests[-1].group.partition("=")
    return Table(
        name=f"{name}_{first}_{second}",
        caption=f"{first} → {second}: {metric.title}{', %' if metric.share else ''}",
        columns=(
            Column(grouping[0] if grouping[1] else "group"),
            Column("first", "share" if metric.share else "number"),
            Column("second", "share" if metric.share else "number"),
            Column("difference", "points" if metric.share else "number"),
            Column("1st/2nd"),
            Column("McNemar", "p"),
            Column("p", "p"),
            Column("Holm", "p"),
        ),
        rows=tuple(_row(test) for test in tests),
    )


def _row(test: Difference) -> tuple[Value, ...]:
    discordant = None if test.only_first is None else f"{test.only_first}/{test.only_second}"
    group = test.group.partition("=")[2] or test.group
    figures = (test.value_first, test.value_second, test.difference, discordant)
    return (group, *figures, test.mcnemar, test.p, test.holm)


def _headline(found: Comparison) -> str:
    left_out = f"; {found.left_out:,} left out, as some run has no result for them" if found.left_out else ""
    return f"{found.suite}: {found.examples:,} main examples{left_out}; ties: {found.rule}"


def _changed(found: Comparison) -> Iterator[str]:
    for pair, changes in found.changes.items():
        if changes:
            yield f"\nChanged, {pair}:"
            for change in changes:
                yield from _change_lines(change)


def _change_lines(change: Change) -> Iterator[str]:
    yield f"\n{change.id}  [{change.slice}]  {change.first:g} → {change.second:g}"
    yield f"  satisfying {change.satisfying}, violating {change.violating}"
    for role, query in change.queries.items():
        yield f"  {role}: {query}   gap {change.gaps_first[role]:.4g} → {change.gaps_second[role]:.4g}"
