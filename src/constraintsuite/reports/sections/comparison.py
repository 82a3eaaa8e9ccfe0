"""Which differences between systems are more than chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from constraintsuite.experiments.compare import PairedDifference, SystemPair, compare_systems
from constraintsuite.experiments.differences import difference_table
from constraintsuite.experiments.experiment import join_experiments
from constraintsuite.experiments.headline import HEADLINE
from constraintsuite.experiments.pair_experiment import pair_experiments
from constraintsuite.metrics.metric import Metric
from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.records.sections import Section, TableBlock
from constraintsuite.records.tables import Table
from constraintsuite.reports.view import ReportView

MOST_ALL_PAIRS = 5
"""Up to so many runs each is compared with each; of more, each with the best."""
_METRICS = ("paired_accuracy", "accuracy")
_ABOUT = (
    "Second system less first, example by example; 1st and 2nd count the examples that only this one gets right. p is of the "
    "clustered sign-flip test, which does not take examples as independent, and is corrected by Holm's method for all tests of "
    "this section. Detects is the smallest difference that so many examples show with a probability of 80 %."
)


def comparison(view: ReportView) -> Section | None:
    """Paired differences on the examples of the headline; nothing for a single run."""
    if len(view.runs) < 2:
        return None
    table = join_experiments(pair_experiments(view.suite, view.runs, view.summaries[0].rule)).table
    metrics = [METRICS[name] for name in _METRICS if any(s.headline.metrics[name].n for s in view.summaries)]
    names = [metric.name for metric in metrics]
    members = {HEADLINE: table.headline}
    tests = compare_systems(table, list(_pairs(view.labels)), names, members, seed=view.summaries[0].seed)
    sheets = (TableBlock(_table(metric, tests, len(table.headline))) for metric in metrics)
    return Section("comparison", "Comparison", _ABOUT, tuple(sheets))


def _table(metric: Metric, tests: Sequence[PairedDifference], examples: int) -> Table:
    caption = f"{metric.title}: paired differences on {examples:,} examples of the headline, with 95 % interval."
    return difference_table(
        f"comparison_{metric.name}", caption, [test for test in tests if test.metric == metric.name], ("systems",)
    )


def _pairs(labels: list[str]) -> Iterator[SystemPair]:
    if len(labels) <= MOST_ALL_PAIRS:
        yield from (SystemPair(*pair) for pair in combinations(labels, 2))
    else:
        yield from (SystemPair(labels[0], other) for other in labels[1:])
