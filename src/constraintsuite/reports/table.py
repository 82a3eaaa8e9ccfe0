"""The results of several runs as one table for a terminal of 100 columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from constraintsuite.evaluate.summary import Group, Summary
from constraintsuite.metrics.pairwise import Metric
from constraintsuite.reports.figures import MISSING, short_slice, show_interval
from constraintsuite.reports.grouped import groups_of

WIDTH = 100


def slice_table(summaries: Sequence[Summary], metric: Metric) -> Table:
    """Rows are models, columns slices; a cell holds the value, its 95 % interval and n. `all` leaves controls out."""
    slices = groups_of(summaries, "slice")
    unit = ", %" if metric.share else ""
    table = Table(
        title=f"{metric.title}{unit} (95 % interval)", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    table.add_column("model", overflow="fold", min_width=8)
    for name in ("all", *map(short_slice, slices)):
        table.add_column(name, justify="right", overflow="fold")
    for summary in summaries:
        groups = [summary.overall, *(summary.by["slice"].get(name) for name in slices)]
        table.add_row(Text(summary.model), *(_cell(group, metric) for group in groups))
    return table


def _cell(group: Group | None, metric: Metric) -> Text:
    if group is None:
        return Text(MISSING)
    figure = show_interval(group.metrics[metric.name], share=metric.share)
    return Text.assemble(
        (figure.value, "bold"), "\n", (f"{figure.bounds}\n{figure.n}" if figure.bounds else figure.n, "dim")
    )
