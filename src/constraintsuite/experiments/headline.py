"""The figure by which models are put in order on a suite."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.metrics.pairwise import METRICS, Metric
from constraintsuite.records.examples import Example

_NEVIR = "nevir"


def is_nevir(examples: Sequence[Example]) -> bool:
    """Whether all of them were imported from NevIR."""
    return all(example.slice == _NEVIR for example in examples)


def headline_metric(examples: Sequence[Example]) -> Metric:
    """Paired accuracy for NevIR, as its paper has it: of its two queries neither is more the constrained one; else accuracy."""
    return METRICS["paired_accuracy" if is_nevir(examples) else "accuracy"]
