"""How many judged queries keep a positive document when a corpus is sampled without regard to them.

A query with m positives loses all of them with probability prod((N-n-i)/(N-i)), i < m: the hypergeometric distribution.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

LEAST_COVERAGE = 0.5
"""Below this share of the judged queries a subset is refused unless somebody accepts it."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What to expect of the judged queries of a sample."""

    population: int
    size: int
    judged: int
    kept: float
    """Expected number of queries with at least one positive in the sample."""
    deviation: float
    """Standard deviation of that number, if no document is positive for two queries."""
    whole: float
    """Expected number of queries with all their positives in the sample."""

    @property
    def share(self) -> float:
        """Of the judged queries, those that are kept."""
        return self.kept / self.judged if self.judged else 1.0


def forecast(population: int, size: int, positives: Mapping[int, int]) -> Forecast:
    """For a uniform sample; `positives` says how many queries have how many positive documents."""
    lost = {m: all_missed(population, size, m) for m in positives}
    whole = {m: all_missed(population, population - size, m) for m in positives}
    judged = sum(positives.values())
    variance = sum(count * lost[m] * (1 - lost[m]) for m, count in positives.items())
    for m, count in positives.items():
        for other, others in positives.items():
            couples = count * (others - 1 if m == other else others)
            variance += couples * (all_missed(population, size, m + other) - lost[m] * lost[other])
    return Forecast(
        population,
        size,
        judged,
        sum(count * (1 - lost[m]) for m, count in positives.items()),
        math.sqrt(max(0.0, variance)),
        sum(count * whole[m] for m, count in positives.items()),
    )


def all_missed(population: int, size: int, documents: int) -> float:
    """The chance that a uniform sample holds none of so many documents."""
    if documents > population - size:
        return 0.0
    return math.prod((population - size - i) / (population - i) for i in range(documents))
