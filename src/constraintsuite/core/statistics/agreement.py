"""Agreement between people who judged the same items, each coefficient with an interval over items.

For two or more annotators, with missing answers: raw agreement, Cohen's kappa (1960; only for two), Gwet's AC1 (2008, with missing
answers as in his Handbook of 2014) and Krippendorff's alpha (2011), also with distances between sets.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import FloatArray, IntArray, wilson_bounds
from constraintsuite.core.statistics.resampling import DRAWS, FEW_CLUSTERS, estimate, estimate_weighted, sum_by_cluster


@dataclass(frozen=True, slots=True)
class Agreement:
    """Coefficients over the items with two or more answers; an undefined one is None."""

    raw: Interval
    """The share of pairs of annotators who gave the same answer, averaged over items."""
    kappa: Interval
    ac1: Interval
    alpha: Interval


def agreement(
    ratings: Ratings,
    scale: AnswerScale = "nominal",
    *,
    rng: np.random.Generator,
    options: Sequence[Hashable] = (),
    clusters: IntArray | None = None,
    draws: int = DRAWS,
) -> Agreement:
    """All coefficients; `options` are the possible answers, in the order of the scale.

    Kappa and AC1 only know equal and different answers. For sets they are given only if all possible sets are listed.

    Whole clusters of items are resampled; with fewer than ten clusters, each is left out in turn. If all annotators agree, the
    lower bound comes from Wilson's interval of the raw agreement, with the number of clusters as n.
    """
    assert options or scale != "ordinal", "an order cannot be guessed from the answers"
    members = _members(len(ratings), clusters)
    answered = Counted.of(ratings, options, members)
    nothing = Interval(None, None, None, answered.pairable)
    by_value = scale in ("nominal", "ordinal") or (scale in SET_DISTANCES and bool(options))
    return Agreement(
        raw=_raw(ratings, members, rng, draws),
        kappa=_interval(_kappa(ratings, answered), answered, rng, draws) if by_value else nothing,
        ac1=_interval(_ac1(answered, len(options)), answered, rng, draws) if by_value else nothing,
        alpha=_interval(alpha(answered, scale), answered, rng, draws),
    )


def _interval(coefficient: Coefficient | None, counted: Counted, rng: np.random.Generator, draws: int) -> Interval:
    """The coefficient over all items. With few clusters its interval is never narrower than the one that Wilson's interval of
    the observed agreement gives for independent items."""
    n, present = counted.pairable, counted.counted
    if coefficient is None or not n:
        return Interval(None, None, None, n)
    found = coefficient(np.ones((1, counted.clusters)))
    if found.seen[0] > 1 - 1e-12 and np.isfinite(found.coefficient[0]):
        least = Corrected(np.array([wilson_bounds(1.0, len(present)).low]), found.chance)
        return Interval(1.0, float(least.coefficient[0]), 1.0, n)

    def statistic(times: FloatArray) -> FloatArray:
        return coefficient(times).coefficient

    figure = estimate_weighted(statistic, present, counted.clusters, n, rng, draws)
    if len(present) >= FEW_CLUSTERS or figure.low is None or figure.high is None:
        return figure
    seen = np.array(wilson_bounds(max(0.0, float(found.seen[0])), n))
    low, high = Corrected(seen, np.repeat(found.chance, 2)).coefficient.tolist()
    return replace(figure, low=min(low, figure.low), high=max(high, min(1.0, figure.high)))


def _members(items: int, clusters: IntArray | None) -> IntArray:
    if clusters is None:
        return np.arange(items, dtype=np.int64)
    return np.unique(clusters, return_inverse=True)[1].astype(np.int64)


def _raw(ratings: Ratings, members: IntArray, rng: np.random.Generator, draws: int) -> Interval:
    shares = np.full(len(ratings), np.nan)
    for row, item in enumerate(ratings):
        pairs = [one == other for one, other in combinations(item.values(), 2)]
        if pairs:
            shares[row] = sum(pairs) / len(pairs)
    return estimate(shares[:, np.newaxis], [True], members, rng=rng, draws=draws)[0]


def _kappa(ratings: Ratings, counted: Counted) -> Coefficient | None:
    """Cohen's kappa of exactly two annotators, over the items that both answered."""
    names = sorted({name for item in ratings for name in item})
    if len(names) != 2:
        return None
    place = {value: number for number, value in enumerate(counted.values)}
    said = np.zeros((2, len(ratings), len(place)))
    for row, item in enumerate(ratings):
        if len(item) == 2:
            for side, name in enumerate(names):
                said[side, row, place[item[name]]] = 1
    first, second = counted.per_cluster(said[0]), counted.per_cluster(said[1])
    same = counted.per_cluster((said[0] * said[1]).sum(axis=1))

    def coefficient(times: FloatArray) -> Corrected:
        a, b = times @ first, times @ second
        n = np.maximum(a.sum(axis=1), 1)
        return Corrected(times @ same / n, (a * b).sum(axis=1) / n**2)

    return coefficient


def _ac1(counted: Counted, options: int) -> Coefficient | None:
    """Gwet's AC1: chance agreement depends on how evenly the answers are spread over the possible ones."""
    categories = max(options, len(counted.values))
    if categories < 2:
        return None
    answers = counted.answers
    several, some = answers >= 2, answers >= 1
    pairs = np.where(several, answers * (answers - 1), 1)
    same = np.where(several, (counted.counts * (counted.counts - 1)).sum(axis=1) / pairs, 0)
    agreed, judged = counted.per_cluster(same), counted.per_cluster(several.astype(np.float64))
    spread = counted.per_cluster(counted.counts / np.maximum(answers, 1)[:, np.newaxis])
    answered = counted.per_cluster(some.astype(np.float64))

    def coefficient(times: FloatArray) -> Corrected:
        share = times @ spread / np.maximum(times @ answered, 1)[:, np.newaxis]
        chance = (share * (1 - share)).sum(axis=1) / (categories - 1)
        return Corrected(times @ agreed / np.maximum(times @ judged, 1), chance)

    return coefficient


Ratings = Sequence[Mapping[str, Hashable]]
"""For each item, the answers by annotator; without annotators who did not answer."""


class Corrected(NamedTuple):
    """The observed agreement, and the agreement by chance, in each draw."""

    seen: FloatArray
    chance: FloatArray

    @property
    def coefficient(self) -> FloatArray:
        """(observed - chance) / (1 - chance); NaN if chance agreement is 1."""
        room = 1 - self.chance
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(room > 1e-12, (self.seen - self.chance) / room, np.nan)


Coefficient = Callable[[FloatArray], Corrected]
"""Takes how often each cluster is drawn, (draws, clusters)."""


@dataclass(frozen=True)
class Counted:
    """The number of annotators who gave each value to each item."""

    values: Sequence[Hashable]
    counts: FloatArray  # (items, values)
    members: IntArray  # (items,) the cluster of each

    @classmethod
    def of(cls, ratings: Ratings, options: Sequence[Hashable], members: IntArray) -> Counted:
        """Count the answers. The `options` come first, in their order, even if nobody chose them."""
        values = list(dict.fromkeys([*options, *(value for item in ratings for value in item.values())]))
        place = {value: number for number, value in enumerate(values)}
        counts = np.zeros((len(ratings), len(values)))
        for row, item in enumerate(ratings):
            for value in item.values():
                counts[row, place[value]] += 1
        return cls(values, counts, members)

    @property
    def answers(self) -> FloatArray:
        """The number of answers to each item, (items,)."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64)

    @property
    def pairable(self) -> int:
        """The number of items with two or more answers, which alone can agree."""
        return int((self.answers >= 2).sum())

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return len(np.unique(self.members))

    @property
    def counted(self) -> IntArray:
        """The clusters that have an item with two or more answers."""
        return np.unique(self.members[self.answers >= 2])

    def per_cluster(self, rows: FloatArray) -> FloatArray:
        """The sums of `rows`, (items,) or (items, columns), over the items of each cluster."""
        return sum_by_cluster(rows, self.members)


AnswerScale = Literal["nominal", "ordinal", "jaccard", "masi"]
"""The distance between two answers: equal or not, ranks, or one of two distances between sets."""


def alpha(counted: Counted, scale: AnswerScale) -> Coefficient:
    """Krippendorff's alpha: 1 - observed disagreement / disagreement by chance."""
    answers = counted.answers
    counts = np.where(answers[:, np.newaxis] >= 2, counted.counts, 0)  # a single answer cannot disagree
    totals = counted.per_cluster(counts)
    share = 1 / np.maximum(answers - 1, 1)
    if scale == "ordinal":
        return _ordinal_alpha(counted, counts, totals, share)
    between = _distances(counted.values, scale)
    apart = counted.per_cluster(((counts @ between) * counts).sum(axis=1) * share)

    def coefficient(times: FloatArray) -> Corrected:
        values = times @ totals
        n = np.maximum(values.sum(axis=1), 2)
        expected = ((values @ between) * values).sum(axis=1) / (n * (n - 1))
        observed = times @ apart / n
        return Corrected(1 - observed, 1 - expected)

    return coefficient


def _ordinal_alpha(counted: Counted, counts: FloatArray, totals: FloatArray, share: FloatArray) -> Coefficient:
    """Alpha of an ordered scale: the distance is the squared difference of the mean ranks of two values."""
    together = counted.per_cluster(np.einsum("ic,ik,i->ick", counts, counts, share))  # coincidences, by cluster
    width = counts.shape[1]

    def coefficient(times: FloatArray) -> Corrected:
        values = times @ totals
        ranks = np.cumsum(values, axis=1) - values / 2
        between = (ranks[:, :, np.newaxis] - ranks[:, np.newaxis, :]) ** 2
        n = np.maximum(values.sum(axis=1), 2)
        seen = (times @ together.reshape(-1, width * width)).reshape(between.shape)
        expected = np.einsum("dc,dk,dck->d", values, values, between) / (n * (n - 1))
        observed = (seen * between).sum(axis=(1, 2)) / n
        # Ranks have no unit, so the expected disagreement is the unit.
        return Corrected(1 - observed / np.where(expected > 0, expected, 1), np.where(expected > 0, 0.0, 1.0))

    return coefficient


def _distances(values: Sequence[Hashable], scale: AnswerScale) -> FloatArray:
    if scale == "nominal":
        return 1 - np.eye(len(values))
    distance = SET_DISTANCES[scale]
    sets = [value if isinstance(value, AbstractSet) else frozenset((value,)) for value in values]
    return np.array([[distance(one, other) for other in sets] for one in sets]).reshape(len(sets), len(sets))


def jaccard_distance(one: AbstractSet[object], other: AbstractSet[object]) -> float:
    """1 - |intersection| / |union|; 0 for two empty sets."""
    return 1 - len(one & other) / len(one | other) if one or other else 0.0


def masi_distance(one: AbstractSet[object], other: AbstractSet[object]) -> float:
    """MASI (Passonneau 2006): 1 - Jaccard index x 1 for equal sets, 2/3 for a subset, 1/3 for an overlap."""
    if one == other:
        return 0.0
    return 1 - (1 - jaccard_distance(one, other)) * (2 / 3 if one <= other or other <= one else 1 / 3)


SET_DISTANCES: Mapping[str, Callable[[AbstractSet[object], AbstractSet[object]], float]] = {
    "jaccard": jaccard_distance,
    "masi": masi_distance,
}
