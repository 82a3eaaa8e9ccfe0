"""What equal scores would count under other rules."""

from __future__ import annotations

from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.metrics.ties import TIE_POLICIES
from constraintsuite.records.figures import CellValue
from constraintsuite.records.sections import Section, TableBlock
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.view import ReportView

_ABOUT = (
    "Strict: a tie is wrong. Half: it counts one half. Random: a coin decides. MTEB: the document whose id sorts last wins, "
    "as in evaluations that rank by score and then by id. A system whose figure depends on the rule should be read with care."
)
_METRICS = ("accuracy", "opposite_accuracy", "paired_accuracy")


def ties(view: ReportView) -> Section | None:
    """One table a metric; nothing where no system ever ties."""
    told = {label: run.summary for label, run in view.runs.items() if run.summary.ties is not None}
    if not any(summary.overall.metrics["tie_rate"].value for summary in told.values()):
        return None
    sheets = []
    for name in _METRICS:
        found = {label: summary.ties[name] for label, summary in told.items() if summary.ties and name in summary.ties}
        if not any(intervals["strict"].n for intervals in found.values()):
            continue
        rows: tuple[tuple[CellValue, ...], ...] = tuple(
            (label, view.runs[label].summary.overall.metrics["tie_rate"], *(intervals[p] for p in TIE_POLICIES))
            for label, intervals in found.items()
        )
        columns = (
            Column("system"),
            Column("examples with a tie", "share"),
            *(Column(p, "share") for p in TIE_POLICIES),
        )
        caption = f"{METRICS[name].title} under four rules for ties, main examples, with 95 % interval."
        sheets.append(TableBlock(Table(f"ties_{name}", caption, columns, rows)))
    return Section("ties", "Ties", _ABOUT, tuple(sheets))
