"""Figures by what an example is and how it was made."""

from __future__ import annotations

from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.records.sections import Section, TableBlock
from constraintsuite.reports.grouped import group_table, groups_of, words_for
from constraintsuite.reports.sections.groups import group_sheets
from constraintsuite.reports.view import ReportView

_ABOUT = "Main examples only. A grouping that puts all examples into one group is left out."
_ELSEWHERE = ("slice", "control")


def breakdowns(view: ReportView) -> Section | None:
    """Accuracy and paired accuracy by every grouping that tells examples apart."""
    shared = [name for name in view.summaries[0].by if all(name in summary.by for summary in view.summaries)]
    names = [n for n in shared if n not in _ELSEWHERE and len(groups_of(view.summaries, n)) > 1]
    if not names:
        return None
    paired = METRICS["paired_accuracy"]
    both = any(summary.overall.metrics[paired.name].n for summary in view.summaries)
    metrics = (paired, METRICS["accuracy"]) if both else (METRICS["accuracy"],)
    tables = {f"{m.title} by {words_for(name)}": group_table(view.runs, name, m) for name in names for m in metrics}
    sheets = group_sheets(tables.values())
    folds = {table.name: words for words, table in tables.items()}
    blocks = tuple(TableBlock(block.table, folds[block.table.name]) for block in sheets.blocks)
    return Section("breakdowns", "Breakdowns", _ABOUT, blocks, sheets.files)
