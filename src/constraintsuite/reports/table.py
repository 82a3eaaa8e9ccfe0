"""The results of several runs as one table, by slice."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.experiments.headline import HEADLINE, is_chance
from constraintsuite.experiments.summary import RunSummary
from constraintsuite.metrics.metric import Metric
from constraintsuite.records.figures import CellValue
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.grouped import groups_of, value_of


def slice_table(summaries: Sequence[RunSummary], metric: Metric) -> Table:
    """Rows are systems, columns the headline and each slice.

    The level of chance is the last row, in place of runs of the system that guesses.
    """
    slices = groups_of(summaries, "slice")
    columns = (Column("system"), *(Column(name, metric.kind) for name in (HEADLINE, *slices)))
    rows: list[tuple[CellValue, ...]] = []
    for summary in [one for one in summaries if not is_chance(one.system)] or summaries:
        groups = [summary.headline, *(summary.by["slice"].get(name) for name in slices)]
        rows.append((summary.system, *(value_of(group, metric) for group in groups)))
    if metric.share and metric.chance is not None:
        rows.append(("chance", *[metric.chance] * (1 + len(slices))))
    return Table(f"{metric.name}_by_slice", f"{metric.title} by slice, with 95 % interval.", columns, tuple(rows))
