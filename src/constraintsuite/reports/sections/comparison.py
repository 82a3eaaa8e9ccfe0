"""Which differences between models are more than chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from constraintsuite.experiments.alignment import align
from constraintsuite.experiments.compare import RunDifference, corrected, paired_test
from constraintsuite.experiments.groupings import OVERALL
from constraintsuite.metrics.metric import Metric
from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.records.sections import Section, TableBlock
from constraintsuite.records.tables import Table
from constraintsuite.reports.differences import difference_table
from constraintsuite.reports.view import ReportView

MOST_ALL_PAIRS = 5
"""Up to so many runs each is compared with each; of more, each with the best."""
_METRICS = ("accuracy", "paired_accuracy")
_ABOUT = (
    "Second model less first, example by example; 1st and 2nd count the examples that only this one gets right. McNemar's "
    "exact p takes examples as independent; p is of the clustered sign-flip test, which does not, and is corrected by "
    "Holm's method for all tests of this section."
)


def comparison(view: ReportView) -> Section | None:
    """Paired differences; nothing for a single run."""
    if len(view.runs) < 2:
        return None
    aligned = align(view.suite, view.runs, view.summaries[0].rule)
    everything = list(range(aligned.main))
    metrics = [METRICS[name] for name in _METRICS if any(s.overall.metrics[name].n for s in view.summaries)]
    tests = corrected(
        [
            paired_test(aligned, first, second, metric, OVERALL, everything, seed=view.summaries[0].seed)
            for metric in metrics
            for first, second in _pairs(view.labels)
        ]
    )
    sheets = (TableBlock(_table(metric, tests, aligned.main)) for metric in metrics)
    return Section("comparison", "Comparison", _ABOUT, tuple(sheets))


def _table(metric: Metric, tests: Sequence[RunDifference], examples: int) -> Table:
    caption = f"{metric.title}, %: paired differences on {examples:,} main examples, with 95 % interval."
    return difference_table(
        f"comparison_{metric.name}", caption, [test for test in tests if test.metric == metric.name], ("models",)
    )


def _pairs(labels: list[str]) -> Iterator[tuple[str, str]]:
    if len(labels) <= MOST_ALL_PAIRS:
        yield from combinations(labels, 2)
    else:
        yield from ((labels[0], other) for other in labels[1:])
