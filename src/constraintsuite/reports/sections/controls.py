"""What must not change a model's answer, and what only looks like a constraint."""

from __future__ import annotations

from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.records.sections import Section
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.grouped import group_table, value_of
from constraintsuite.reports.sections.groups import group_sheets
from constraintsuite.reports.view import ReportView

_ABOUT = (
    "Non-flip controls change letters, words or order but not the meaning: the outcome should stay. The query "
    "of an adversarial control has words that look like a constraint and state none; its opposite has words that do state one."
)
_WANTED = (
    ("nonflip", "accuracy", "non-flip: accuracy"),
    ("nonflip", "invariance", "non-flip: same outcome as the original"),
    ("nonflip", "flip_rate", "non-flip: outcome turned round"),
    ("adversarial", "accuracy", "adversarial: accuracy"),
    ("adversarial", "opposite_accuracy", "adversarial: accuracy under the opposite"),
    ("adversarial", "paired_accuracy", "adversarial: paired accuracy"),
)


def controls(view: ReportView) -> Section | None:
    """Both kinds of control in one table, then each kind of change."""
    rows = []
    for name, metric, words in _WANTED:
        values = [value_of(summary.by["slice"].get(name), METRICS[metric]) for summary in view.summaries]
        if any(getattr(value, "n", 0) for value in values):
            rows.append((words, *values))
    if not rows:
        return None
    columns = (Column("control"), *(Column(label, "share") for label in view.labels))
    both = Table("controls", "Controls, with 95 % interval.", columns, tuple(rows))
    tables = (both, *(group_table(view.runs, "control", METRICS[name]) for name in ("accuracy", "invariance")))
    return Section("controls", "Controls", _ABOUT, *group_sheets(tables))
