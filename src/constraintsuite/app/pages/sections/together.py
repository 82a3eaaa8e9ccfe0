"""The section on queries that state several constraints at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from constraintsuite.app.pages.group_tables import group_table
from constraintsuite.app.pages.view import ReportView
from constraintsuite.core.records.sections import Section
from constraintsuite.core.records.tables import Table
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.experiments.load import Run
from constraintsuite.experiments.pairs import is_chance

_BY = "constraints"
"""The tag that says how many constraints a query states."""
_METRICS = tuple(METRICS[name] for name in ("paired_accuracy", "restated_agreement", "monotonicity"))
_ABOUT = (
    "By how many constraints a query states. The satisfying document obeys all, the violating one all but one. Same when restated: "
    "the query has the same outcome in another wording. Monotonicity: of all pairs of documents, also those that break more than one "
    "constraint, the share in which the one that obeys more scores higher under the query; guessing gives 50 %."
)


def together(view: ReportView) -> Section | None:
    """One table per metric; None if no query states several constraints."""
    if not all(_BY in summary.by for summary in view.summaries):
        return None
    tables = tuple(group_table(view.runs, _BY, metric) for metric in _METRICS)
    return Section("together", "Several constraints at once", _ABOUT, tables)


def run_tables(runs: Mapping[str, Run]) -> Iterator[Table]:
    """All these metrics in one table for each run whose queries state several constraints; none for a system that guesses."""
    for label, run in runs.items():
        if _BY in run.summary.by and not is_chance(label):
            table = group_table({label: run}, _BY, *_METRICS)
            yield replace(table, caption=f"{label}: {table.caption}")
