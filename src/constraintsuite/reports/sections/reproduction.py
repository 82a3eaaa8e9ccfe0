"""NevIR: our figures beside those that others published."""

from __future__ import annotations

from constraintsuite.experiments.oracle import Reproduction, match
from constraintsuite.records.figures import CellValue
from constraintsuite.records.sections import Remarks, Section, TableBlock
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.view import ReportView

_ABOUT = (
    "Paired accuracy on NevIR's test set under strict ties, beside what was published for the same model, or where nothing "
    "was, measured before. A difference beyond the gate is followed by what in the run may explain it."
)
_COLUMNS = (
    Column("system"),
    Column("published as"),
    Column("published", "share"),
    Column("here", "share"),
    Column("difference", "points"),
    Column("gate", "share"),
    Column("within"),
    Column("source"),
)


def reproduction(view: ReportView) -> Section | None:
    """Only for NevIR's test set, and only systems of which something was published."""
    found = {label: match(run, view.suite) for label, run in view.runs.items()}
    known = {label: one for label, one in found.items() if one is not None}
    if not known:
        return None
    caption = "Reproduction of published results on NevIR's test set."
    table = Table("reproduction", caption, _COLUMNS, tuple(_row(label, one) for label, one in known.items()))
    causes = tuple(f"{label}: {cause}" for label, one in known.items() for cause in one.causes)
    blocks = (TableBlock(table), Remarks(causes)) if causes else (TableBlock(table),)
    return Section("reproduction", "Ours beside published", _ABOUT, blocks)


def _row(label: str, one: Reproduction) -> tuple[CellValue, ...]:
    within = "yes" if one.within else "no"
    source = f"{one.source}; {one.note}" if one.note else one.source
    return label, one.model, one.published, one.ours, one.difference, one.gate, within, source
