"""What systems do not read."""

from __future__ import annotations

from constraintsuite.experiments.summary import TruncationAudit
from constraintsuite.records.figures import CellValue
from constraintsuite.records.sections import Section, TableBlock
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.view import ReportView

_ABOUT = (
    "A system that reads only the beginning of a text may never see what decides. Cut: in either document what decides lies "
    "past the end of what is read. Identical: what is read of the two documents is the same, so that they tie."
)
_COLUMNS = (
    Column("system"),
    Column("examples", "count"),
    Column("cut", "count"),
    Column("share cut", "share"),
    Column("identical", "count"),
    Column("accuracy, all", "share"),
    Column("accuracy, whole", "share"),
    Column("paired accuracy, all", "share"),
    Column("paired accuracy, whole", "share"),
)


def truncation(view: ReportView) -> Section | None:
    """One row a system that says how much it reads."""
    audits = {label: audit for label, run in view.runs.items() if (audit := run.summary.truncation) is not None}
    if not audits:
        return None
    rows = tuple((label, *_figures(audit)) for label, audit in audits.items())
    caption = "Truncation audit, main examples, with 95 % interval; whole: without the examples that are cut."
    return Section("truncation", "Truncation", _ABOUT, (TableBlock(Table("truncation", caption, _COLUMNS, rows)),))


def _figures(audit: TruncationAudit) -> tuple[CellValue, ...]:
    return (
        audit.examples,
        audit.cut,
        audit.share,
        audit.identical,
        audit.with_cut["accuracy"],
        audit.without_cut["accuracy"],
        audit.with_cut["paired_accuracy"],
        audit.without_cut["paired_accuracy"],
    )
