"""What can be won on the suite without understanding it."""

from __future__ import annotations

from constraintsuite.experiments.groupings import FEW
from constraintsuite.metrics.metric import Metric
from constraintsuite.records.figures import CellValue, percent
from constraintsuite.records.sections import Remarks, Section
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.sections.groups import group_sheets
from constraintsuite.reports.view import ReportView
from constraintsuite.suites.audit.results import ALL_MAIN, Audit, AuditRow, LeakVerdict

_ABOUT = "How often a solver that does not understand the query picks the satisfying document."
_COLUMNS = (
    Column("solver"),
    Column("slice"),
    Column("picks the satisfying one", "share"),
    Column("picks the violating one", "share"),
    Column("ties", "share"),
    Column("verdict"),
)
_LEAKS: tuple[LeakVerdict, ...] = ("leak", "leak_in_part")
_DOUBTS: tuple[LeakVerdict, ...] = ("too_few_to_tell", "undefined")
_ORDER: tuple[LeakVerdict, ...] = (*_LEAKS, *_DOUBTS, "by_construction", "ok")


def audit(view: ReportView) -> Section | None:
    """Whether the suite is to be trusted, then the audit that it brought along."""
    found = view.audit()
    if found is None:
        return None
    rows = sorted(found.rows, key=lambda row: (_ORDER.index(row.verdict), row.slice != ALL_MAIN))
    table = Table(
        "audit", f"Audit of the suite, with 95 % interval (seed {found.seed}).", _COLUMNS, tuple(map(_row, rows))
    )
    sheets = group_sheets([table])
    warnings = (Remarks(found.warnings),) if found.warnings else ()
    about = f"{judge_audit(found, view.metric)} {_ABOUT}"
    return Section("audit", "Audit of the suite", about, (*sheets.blocks, *warnings), sheets.files)


def judge_audit(found: Audit, metric: Metric) -> str:
    """Whether figures of this suite are to be trusted, are not, or need more examples, and why."""
    rows = [row for row in found.rows if row.accuracy.n >= FEW]
    leaks = [row for row in rows if row.verdict in _LEAKS and row.slice != ALL_MAIN] or [
        row for row in rows if row.verdict in _LEAKS
    ]
    if leaks:
        worst = max(leaks, key=_strength)
        what = (
            f"a solver that does not understand the query ({_named(worst)}) is right in {percent(_strength(worst))} of "
            f"{'all main examples' if worst.slice == ALL_MAIN else worst.slice}"
        )
        if metric.name == "accuracy":
            return f"Do not trust it yet: {what}."
        return (
            f"Do not trust accuracy alone: {what}. Paired accuracy gives nothing to a solver that chooses the same text for "
            "a query and its opposite."
        )
    doubts = {row.slice for row in rows if row.verdict in _DOUBTS} or ({ALL_MAIN} if not rows else set())
    if doubts:
        where = "it" if ALL_MAIN in doubts else " and ".join(sorted(doubts))
        return f"Get more examples: {where} has too few to rule out every shortcut."
    return "Trust it: no solver that does not understand the query wins."


def _named(row: AuditRow) -> str:
    turned = (row.reverse.value or 0.0) > (row.accuracy.value or 0.0)
    return f"{row.solver} turned round" if turned else row.solver


def _strength(row: AuditRow) -> float:
    """How often the solver is right, or its opposite."""
    return max(row.accuracy.value or 0.0, row.reverse.value or 0.0)


def _row(row: AuditRow) -> tuple[CellValue, ...]:
    verdict = row.verdict.replace("_", " ") + (f": {row.reason}" if row.reason else "")
    return row.solver, row.slice, row.accuracy, row.reverse, row.tie_rate, verdict
