"""What a system does instead of the right thing."""

from __future__ import annotations

from collections.abc import Mapping

from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.metrics.pairwise import METRICS, PAIR_CLASSES
from constraintsuite.records.sections import Charts, Section, TableBlock
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.drawings.stacks import stacked_chart
from constraintsuite.reports.drawings.svg import Drawing
from constraintsuite.reports.grouped import main_slices, value_of
from constraintsuite.reports.view import ReportView

CLASSES: dict[str, str] = {name: METRICS[name].title for name in PAIR_CLASSES}
_ABOUT = (
    "Which document the system preferred under the query and under its opposite: the right one each time, the "
    "same one both times, the wrong one each time; or equal scores. Every example with an opposite is in one class."
)


def errors(view: ReportView) -> Section | None:
    """One bar a system, and for each system one a slice."""
    if not any(run.summary.headline.metrics["correct"].n for run in view.runs.values()):
        return None
    headline = {label: run.summary.headline for label, run in view.runs.items()}
    charts = [error_chart("chart-errors", "Error classes, examples of the headline, %", headline)]
    names = main_slices(view.summaries)
    if len(names) > 1:
        for number, (label, run) in enumerate(view.runs.items()):
            groups = {name: g for name in names if (g := run.summary.by["slice"].get(name)) is not None}
            charts.append(error_chart(f"chart-errors-{number}", f"{label}: error classes by slice, %", groups))
    return Section("errors", "Error classes", _ABOUT, (Charts(tuple(charts)), TableBlock(_table(view))))


def error_chart(name: str, title: str, groups: Mapping[str, GroupFigures]) -> Drawing:
    """One bar a group of examples."""
    rows = [(label, {kind: g.metrics[kind].value or 0.0 for kind in CLASSES}) for label, g in groups.items()]
    return stacked_chart(name, title, CLASSES, rows)


def _table(view: ReportView) -> Table:
    rows = tuple(
        (label, *(value_of(run.summary.headline, METRICS[name]) for name in CLASSES))
        for label, run in view.runs.items()
    )
    columns = (Column("system"), *(Column(title, "share") for title in CLASSES.values()))
    return Table("error_classes", "Error classes, examples of the headline, with 95 % interval.", columns, rows)
