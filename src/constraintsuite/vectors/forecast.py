"""How many judged queries keep a positive document when a corpus is sampled.

Of a stratum of N documents of which n are drawn, m are all missed with probability prod((N-n-i)/(N-i)), i < m: the
hypergeometric distribution. Strata are drawn independently of each other, so a query loses all its positives with the
product of that over them. What is kept whole is a stratum with n = N, and what is not there at all one with n = 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

LEAST_COVERAGE = 0.5
"""Below this share of the judged queries a subset is refused unless somebody accepts it."""
_MOST_STEPS = 1_000_000


class Layer(NamedTuple):
    """Documents of which so many are drawn, each with the same chance."""

    population: int
    size: int


PositivesByLayer = tuple[int, ...]
"""How many positives of a query lie in each layer."""


@dataclass(frozen=True, slots=True)
class SampleForecast:
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


def forecast_layers(
    layers: Sequence[Layer], queries: Mapping[PositivesByLayer, int], population: int, size: int
) -> SampleForecast:
    """For a sample of several layers; `queries` says of how many queries the positives are spread in the same way."""

    @cache
    def missed(spread: PositivesByLayer) -> float:
        return math.prod(all_missed(*layer, m) for layer, m in zip(layers, spread, strict=True))

    whole = (
        count * math.prod(all_missed(full, full - drawn, m) for (full, drawn), m in zip(layers, spread, strict=True))
        for spread, count in queries.items()
    )
    variance = sum(count * missed(spread) * (1 - missed(spread)) for spread, count in queries.items())
    if (
        len(queries) ** 2 * len(layers) <= _MOST_STEPS
    ):  # without this, a little too large: one document more is one less
        for one, count in queries.items():
            for other, others in queries.items():
                couples = count * (others - 1 if one == other else others)
                together = tuple(a + b for a, b in zip(one, other, strict=True))
                variance += couples * (missed(together) - missed(one) * missed(other))
    return SampleForecast(
        population,
        size,
        sum(queries.values()),
        sum(count * (1 - missed(spread)) for spread, count in queries.items()),
        math.sqrt(max(0.0, variance)),
        sum(whole),
    )


def all_missed(population: int, size: int, documents: int) -> float:
    """The chance that a uniform sample holds none of so many documents."""
    if documents > population - size:
        return 0.0
    return math.prod((population - size - i) / (population - i) for i in range(documents))
