"""The figure by which systems are put in order on a suite.

It is paired accuracy over all main slices but Omission: right under the query and under its opposite. A scorer that only
counts words can win Omission, where the violating text names what the satisfying text does not, so that slice stands beside
the headline under its own name and never in it. A suite without opposite queries has accuracy in its place.
"""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.core.records.examples import OMISSION, Example
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.core.statistics.pairwise import METRICS

HEADLINE = "headline"
"""What the group of these examples is called in policies, comparisons and JSON."""
_NEVIR = "nevir"
_CHANCE = "random"


def is_nevir(examples: Sequence[Example]) -> bool:
    """Whether all of them were imported from NevIR."""
    return all(example.slice == _NEVIR for example in examples)


def is_chance(system: str) -> bool:
    """Whether a system only guesses: charts and tables show the level of chance, and never rank a system that is at it."""
    return system.partition(":")[0] == _CHANCE


def headline_members(examples: Sequence[Example]) -> list[int]:
    """Positions of the main examples that the headline counts; all of them where there is nothing but Omission."""
    counted = [place for place, example in enumerate(examples) if example.slice != OMISSION]
    return counted or list(range(len(examples)))


def headline_metric(examples: Sequence[Example]) -> Metric:
    """Paired accuracy, or accuracy where no example of the headline has an opposite query."""
    paired = any(examples[place].is_paired for place in headline_members(examples))
    return METRICS["paired_accuracy" if paired else "accuracy"]


def headline_slices(examples: Sequence[Example]) -> tuple[str, ...]:
    """The slices that the headline counts, in the order of the suite."""
    return tuple(dict.fromkeys(examples[place].slice for place in headline_members(examples)))
