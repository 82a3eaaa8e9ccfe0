"""What one should know before believing a figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from constraintsuite.experiments.summary import RunSummary
from constraintsuite.metrics.ties import STRICT, TieRule


def tie_remarks(summaries: Mapping[str, RunSummary]) -> Iterator[str]:
    """A sentence for each model, by label, that ties wherever it could choose."""
    for label, summary in summaries.items():
        if summary.overall.metrics["tie_rate"].value == 1:
            yield (
                f"{label} ties on all {summary.overall.items:,} examples: it gives both documents the same score, so "
                "that its figures say what a tie counts, and nothing of the model."
            )


def under_rule(title: str, rule: TieRule) -> str:
    """The title of a chart, with the rule for ties where it is not the usual one."""
    return title if rule == STRICT else f"{title}, ties: {rule}"
