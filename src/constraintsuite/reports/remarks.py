"""What one should know before believing a figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from constraintsuite.experiments.headline import headline_slices
from constraintsuite.experiments.summary import RunSummary
from constraintsuite.metrics.metric import Metric
from constraintsuite.metrics.ties import STRICT, TieRule
from constraintsuite.records.examples import OMISSION, Example
from constraintsuite.reports.grouped import in_order


def headline_remark(examples: Sequence[Example], metric: Metric) -> str:
    """What the headline of a suite counts, and what stands beside it."""
    counted = headline_slices(examples)
    *first, last = in_order("slice", counted)
    names = f"{', '.join(first)} and {last}" if first else last
    said = f"Headline: {metric.title.lower()} over {names}."
    apart = OMISSION not in counted and any(example.slice == OMISSION for example in examples)
    return f"{said} Omission stands beside it, since counting words can win that slice." if apart else said


def tie_remarks(summaries: Mapping[str, RunSummary]) -> Iterator[str]:
    """A sentence for each system, by label, that ties wherever it could choose."""
    for label, summary in summaries.items():
        if summary.overall.metrics["tie_rate"].value == 1:
            yield (
                f"{label} ties on all {summary.overall.items:,} examples: it gives both documents the same score, so "
                "that its figures say what a tie counts, and nothing of the system."
            )


def under_rule(title: str, rule: TieRule) -> str:
    """The title of a chart, with the rule for ties where it is not the usual one."""
    return title if rule == STRICT else f"{title}, ties: {rule}"
