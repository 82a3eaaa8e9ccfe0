"""The figures of each main slice."""

from __future__ import annotations

from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.records.examples import CONTROL_SLICES
from constraintsuite.records.sections import Charts, Section
from constraintsuite.reports.drawings.bars import bar_chart
from constraintsuite.reports.grouped import group_table, groups_of, main_slices
from constraintsuite.reports.remarks import under_rule
from constraintsuite.reports.sections.groups import group_sheets
from constraintsuite.reports.view import ReportView

_ABOUT = (
    "Minimal pairs differ in little but what decides. In explicit pairs the satisfying document says that it meets the "
    "constraint; in omission pairs it does not mention the value of the constraint at all."
)
_METRICS = ("paired_accuracy", "accuracy")


def slices(view: ReportView) -> Section | None:
    """One chart a slice, and the tables; nothing for a suite of one slice."""
    names = main_slices(view.summaries)
    if len(names) < 2:
        return None
    metric = view.metric
    charts = tuple(
        bar_chart(
            f"chart-slice-{number}",
            under_rule(f"{name}: {metric.title.lower()}, %", view.summaries[0].rule),
            [
                (label, g.metrics[metric.name])
                for label, r in view.runs.items()
                if (g := r.summary.by["slice"].get(name))
            ],
            metric.chance,
        )
        for number, name in enumerate(names)
    )
    all_names = [name for name in groups_of(view.summaries, "slice") if name not in CONTROL_SLICES]
    sheets = group_sheets(group_table(view.runs, "slice", METRICS[name], keys=all_names) for name in _METRICS)
    return Section("slices", "Slices", _ABOUT, (Charts(charts), *sheets.blocks), sheets.files)
