"""What can be won on the suite without understanding it."""

from __future__ import annotations

from constraintsuite.records.figures import CellValue
from constraintsuite.records.sections import Remarks, Section, TableBlock
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.view import ReportView
from constraintsuite.suites.audit.results import ALL_MAIN, AuditRow

_ABOUT = "How often a solver that does not understand the query picks the satisfying document."
_COLUMNS = (
    Column("solver"),
    Column("slice"),
    Column("picks the satisfying one", "share"),
    Column("picks the violating one", "share"),
    Column("ties", "share"),
    Column("verdict"),
)


def audit(view: ReportView) -> Section | None:
    """The audit that the suite brought along."""
    found = view.audit()
    if found is None:
        return None
    rows = sorted(found.rows, key=lambda row: row.slice != ALL_MAIN)
    table = Table(
        "audit", f"Audit of the suite, with 95 % interval (seed {found.seed}).", _COLUMNS, tuple(map(_row, rows))
    )
    blocks = (Remarks(found.warnings), TableBlock(table)) if found.warnings else (TableBlock(table),)
    return Section("audit", "Audit of the suite", _ABOUT, blocks)


def _row(row: AuditRow) -> tuple[CellValue, ...]:
    verdict = row.verdict.replace("_", " ") + (f": {row.reason}" if row.reason else "")
    return row.solver, row.slice, row.accuracy, row.reverse, row.tie_rate, verdict
