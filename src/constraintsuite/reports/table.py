"""The results of several runs as one table for a terminal of 100 columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.headline import HEADLINE, is_chance
from constraintsuite.experiments.summary import RunSummary
from constraintsuite.metrics.metric import Metric
from constraintsuite.records.figures import MISSING, show
from constraintsuite.reports.grouped import groups_of, kind_of

_LONGEST_LINE = 24  # of a system's name: what six columns of figures leave


def slice_table(summaries: Sequence[RunSummary], metric: Metric) -> Table:
    """Rows are systems, columns the headline and each slice; a cell holds the value, its 95 % interval and n.

    The level of chance is the last row, in place of runs of the system that guesses.
    """
    slices = groups_of(summaries, "slice")
    unit = ", %" if metric.share else ""
    table = Table(
        title=f"{metric.title}{unit} (95 % interval)", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    systems = [summary for summary in summaries if not is_chance(summary.system)] or summaries
    names = {summary.system: _lines(summary.system) for summary in systems}
    widest = max(len(line) for lines in names.values() for line in lines)
    table.add_column("system", overflow="fold", min_width=min(widest, _LONGEST_LINE))
    for name in (HEADLINE, *slices):
        table.add_column(name, justify="right", overflow="fold")
    for summary in systems:
        groups = [summary.headline, *(summary.by["slice"].get(name) for name in slices)]
        table.add_row(Text("\n".join(names[summary.system])), *(_cell(group, metric) for group in groups))
    if metric.share and metric.chance is not None:
        level = Text(f"{100 * metric.chance:.1f}", style="dim")
        table.add_row(Text("chance", style="dim"), *[level] * (1 + len(slices)))
    return table


def _lines(system: str) -> list[str]:
    """A system's name in lines that end only where a part of it does."""
    lines = [""]
    for part in re.split("(?<=[,:])", system):
        if lines[-1] and len(lines[-1]) + len(part) > _LONGEST_LINE:
            lines.append("")
        lines[-1] += part
    return lines


def _cell(group: GroupFigures | None, metric: Metric) -> Text:
    if group is None:
        return Text(MISSING)
    figure = show(group.metrics[metric.name], kind_of(metric))
    return Text.assemble(
        (figure.value, "bold"), "\n", (f"{figure.bounds}\n{figure.n}" if figure.bounds else figure.n, "dim")
    )
