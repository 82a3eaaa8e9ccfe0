"""Do people who judged the same items agree, and by more than chance? Every figure with an interval over items.

Of two annotators or more, with gaps: raw agreement, Cohen's kappa (1960; of exactly two), Gwet's AC1 (2008, with missing
answers as in his Handbook of 2014) and Krippendorff's alpha (2011), whose distance may be one between sets.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from constraintsuite.metrics.alpha import AnswerScale, alpha
from constraintsuite.metrics.intervals import DRAWS, FEW_CLUSTERS, FloatArray, IntArray, estimate, wilson_bounds
from constraintsuite.metrics.ratings import Coefficient, Corrected, Counted, Ratings
from constraintsuite.metrics.sets import SET_DISTANCES
from constraintsuite.records.scores import Interval

MOST_UNDEFINED = 0.05
"""Share of draws in which a coefficient may be undefined; beyond it the others are no fair sample, and there are no bounds."""
_CELLS = 4_000_000  # of the matrix of draws that is in memory at a time


@dataclass(frozen=True, slots=True)
class Agreement:
    """Over the items that two people or more have answered; what is undefined is None."""

    raw: Interval
    """Share of pairs of annotators who said exactly the same, averaged over items."""
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
    """All coefficients; `options` are the answers there were to choose from, in the order of the scale.

    Kappa and AC1 take answers as the same or not, so that numbers have none, and sets only where all possible ones are given.

    Whole clusters of items are resampled; of fewer than ten, each is left out in turn. Where all agree, the lower bound is the
    one that Wilson's interval of the raw agreement gives, as resampling would call 10 of 10 certain.
    """
    assert options or scale != "ordinal", "an order cannot be guessed from the answers"
    members = _members(len(ratings), clusters)
    answered = Counted.of(ratings, options, members)
    draw = _Drawing(rng, draws)
    nothing = Interval(None, None, None, answered.pairable)
    by_value = scale in ("nominal", "ordinal") or (scale in SET_DISTANCES and bool(options))
    return Agreement(
        raw=_raw(ratings, members, rng, draws),
        kappa=draw.interval(_kappa(ratings, answered), answered) if by_value else nothing,
        ac1=draw.interval(_ac1(answered, len(options)), answered) if by_value else nothing,
        alpha=draw.interval(alpha(answered, scale), answered),
    )


@dataclass(frozen=True)
class _Drawing:
    rng: np.random.Generator
    draws: int

    def interval(self, coefficient: Coefficient | None, counted: Counted) -> Interval:
        """The coefficient of all items, with percentiles of resampled clusters."""
        n, clusters = counted.pairable, int(counted.members.max()) + 1 if len(counted.members) else 0
        if coefficient is None or not n:
            return Interval(None, None, None, n)
        found = coefficient(np.ones((1, clusters)))
        value = float(found.coefficient[0])
        if np.isnan(value):
            return Interval(None, None, None, n)
        if found.seen[0] > 1 - 1e-12:
            least = Corrected(np.array([wilson_bounds(1.0, counted.groups).low]), found.chance)
            return Interval(1.0, float(least.coefficient[0]), 1.0, n)
        if counted.groups < FEW_CLUSTERS:
            return Interval(value, *self._leaving_one_out(coefficient, counted, found), n)
        drawn = np.concatenate([coefficient(times).coefficient for times in self._times(clusters)])
        if np.isnan(drawn).mean() > MOST_UNDEFINED:
            return Interval(value, None, None, n)
        low, high = np.nanpercentile(drawn, [2.5, 97.5]).tolist()
        return Interval(value, min(low, value), max(high, value), n)

    def _leaving_one_out(
        self, coefficient: Coefficient, counted: Counted, found: Corrected
    ) -> tuple[float | None, float | None]:
        """Of few clusters: Student's t with the spread of the jackknife's pseudo-values (Tukey 1958), and never narrower
        than Wilson's interval of the agreement that was seen in as many independent items."""
        present = np.unique(counted.members[counted.answers >= 2])
        times = np.ones((len(present), int(counted.members.max()) + 1))
        times[np.arange(len(present)), present] = 0
        value = float(found.coefficient[0])
        pseudo = len(present) * value - (len(present) - 1) * coefficient(times).coefficient
        spread = estimate(pseudo[:, np.newaxis], [False], present, rng=self.rng, draws=1)[0]
        if np.isnan(pseudo).any() or spread.low is None or spread.high is None:
            return None, None
        seen = np.array(wilson_bounds(max(0.0, float(found.seen[0])), counted.pairable))
        low, high = Corrected(seen, np.repeat(found.chance, 2)).coefficient.tolist()
        half = (spread.high - spread.low) / 2
        return min(low, value - half), max(high, min(1.0, value + half))

    def _times(self, clusters: int) -> Sequence[FloatArray]:
        block = max(1, _CELLS // clusters)
        sizes = [min(block, self.draws - start) for start in range(0, self.draws, block)]
        return [self.rng.multinomial(clusters, [1 / clusters] * clusters, size).astype(np.float64) for size in sizes]


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
    all_or_nothing = bool(np.isin(shares[~np.isnan(shares)], (0.0, 1.0)).all())
    return estimate(shares[:, np.newaxis], [all_or_nothing], members, rng=rng, draws=draws)[0]


def _kappa(ratings: Ratings, counted: Counted) -> Coefficient | None:
    """Of exactly two annotators, over the items that both have answered."""
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
    """Chance is how evenly the values are spread, over the categories there were to choose from."""
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
