"""Which differences between systems are more than chance."""

from __future__ import annotations

from constraintsuite.experiments.compare import Comparison
from constraintsuite.experiments.differences import LEGEND, difference_table
from constraintsuite.experiments.experiment import compare_experiments
from constraintsuite.experiments.pair_experiment import pair_experiments
from constraintsuite.records.sections import Section, TableBlock
from constraintsuite.records.tables import Table
from constraintsuite.reports.view import ReportView

MOST_ALL_PAIRS = 5
"""Up to so many runs each is compared with each; of more, each with the best."""
_METRICS = ("paired_accuracy", "accuracy")


def comparison(view: ReportView) -> Section | None:
    """Paired differences on the examples of the headline; nothing for a single run."""
    if len(view.runs) < 2:
        return None
    names = [name for name in _METRICS if any(s.headline.metrics[name].n for s in view.summaries)]
    found = compare_experiments(
        pair_experiments(view.suite, view.runs, view.summaries[0].rule),
        names,
        against=view.labels[0] if len(view.runs) > MOST_ALL_PAIRS else None,
        seed=view.summaries[0].seed,
    )
    return Section("comparison", "Comparison", LEGEND, tuple(TableBlock(_table(name, found)) for name in names))


def _table(metric: str, found: Comparison) -> Table:
    tests = [test for test in found.tests if test.metric == metric]
    examples = max(test.difference.n for test in tests)
    caption = (
        f"{found.titles[metric]}: paired differences on {examples:,} examples of the headline, with 95 % interval."
    )
    return difference_table(f"comparison_{metric}", caption, tests, ("systems",))
