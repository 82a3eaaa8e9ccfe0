"""Systems compared item by item: how far apart they are, whether that could be chance, and what could have been found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import UNDEFINED, FloatArray, IntArray, clipped, wilson_bounds
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.core.statistics.resampling import estimate
from constraintsuite.core.statistics.significance import PERMUTATIONS, holm, mcnemar, sign_flip
from constraintsuite.experiments.figures import generator, round_off, rounded
from constraintsuite.experiments.outcome_table import Details, OutcomeTable
from constraintsuite.experiments.power import detect_after

ALPHA = 0.05
"""A change is called significant if its corrected p is below this."""
FEWEST = 6
"""With fewer clusters that differ no exchange of signs is rarer than 5 % (2 in 2^5)."""


class SystemPair(NamedTuple):
    """Two systems of a table that are compared, `second` less `first`."""

    first: str
    second: str


class ComparedCell(NamedTuple):
    """What one test compares: two systems in one metric on the items of a group."""

    pair: SystemPair
    metric: Metric
    group: str
    members: Sequence[int]


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The difference of two systems in one metric on one group of items; `second` less `first`."""

    first: str
    second: str
    metric: str
    group: str
    """`overall`, `headline`, or `grouping=value`."""
    share: bool
    """Whether values lie between 0 and 1, to be shown in per cent."""
    value_first: float | None
    value_second: float | None
    difference: Interval
    """Paired, with whole clusters resampled; n counts the items that have both values."""
    only_first: int | None
    """Items that only the first gets right; None for a metric that is neither right nor wrong."""
    only_second: int | None
    mcnemar: float | None
    """Exact two-sided p, as if items were independent."""
    p: float | None
    """Two-sided p of the clustered sign-flip test."""
    holm: float | None
    """That p corrected for all tests of the comparison."""
    detectable: float | None
    """The smallest difference that these items would show with a probability of 80 %; None where they cannot show any."""


@dataclass(frozen=True, slots=True)
class ItemChange:
    """An item in which the second system fares otherwise than the first."""

    id: str
    first: float | None
    """What the item counts in the metric; None where there is no first system."""
    second: float
    texts: Details
    seen_first: Details
    seen_second: Details


@dataclass(frozen=True, slots=True)
class Comparison:
    """All tests of some systems, each pair of them in every metric and group."""

    data: str
    """What was measured on, such as the name of the suite."""
    ties: str | None
    """What equal scores count, where that is a question."""
    systems: tuple[str, ...]
    titles: Mapping[str, str]
    """What people call each metric, by its name."""
    items: int
    """Main items that all systems have."""
    left_out: int
    """Items that some system does not have."""
    tests: tuple[PairedDifference, ...]
    changes: Mapping[str, tuple[ItemChange, ...]]
    """By `first -> second`: what changed in the first metric, the largest move first."""
    settings: Mapping[str, Mapping[str, Details]]
    """By system and group: how the system was set there, where that depends on the group."""


def compare_systems(
    table: OutcomeTable,
    pairs: Sequence[SystemPair],
    metrics: Sequence[str],
    groups: Mapping[str, Sequence[int]],
    *,
    seed: int = 0,
) -> list[PairedDifference]:
    """Every pair in every metric and group; Holm's correction is over all of it."""
    for name in metrics:
        refuse_incomparable(table.metric(name))
    cells = [
        ComparedCell(pair, table.metric(name), *part) for pair in pairs for name in metrics for part in groups.items()
    ]
    return run_tests(table, cells, seed=seed)


def run_tests(
    table: OutcomeTable, cells: Sequence[ComparedCell], *, seed: int = 0, alpha: float = ALPHA
) -> list[PairedDifference]:
    """The test of each cell, with Holm's correction over all of them.

    A test that is the same under two names of a group is made once, so that its random draws are the same too.
    """
    keys = [_same_test(table, cell) for cell in cells]
    distinct = dict(zip(keys, cells, strict=True))
    made = {
        key: paired_test(table, *cell, seed=seed, alpha=alpha, tests=len(distinct)) for key, cell in distinct.items()
    }
    adjusted = dict(zip(made, corrected(list(made.values())), strict=True))
    return [replace(adjusted[key], group=cell.group) for key, cell in zip(keys, cells, strict=True)]


def refuse_incomparable(metric: Metric) -> None:
    """Refuse a metric of which a paired difference says nothing."""
    if metric.own_unit:
        raise UserError(
            f"{metric} is in each system's own unit, so a difference means nothing. Compare normalised_gap, "
            "normalised_sensitivity, superiority or responsiveness."
        )
    if metric.average == "median":
        raise UserError(f"{metric} is a median, which has no paired differences. Compare another metric.")


def paired_test(
    table: OutcomeTable,
    pair: SystemPair,
    metric: Metric,
    group: str,
    members: Sequence[int],
    *,
    seed: int = 0,
    alpha: float = ALPHA,
    tests: int = 1,
) -> PairedDifference:
    """One test, not yet corrected for others.

    `tests` is how many are made together: what can be detected, and how finely p is drawn, depends on it, as a p that is
    corrected for all of them must still be able to lie below `alpha`.
    """
    a, b = (table.column(system, metric.name, members) for system in pair)
    both = ~(np.isnan(a) | np.isnan(b) | np.isinf(a) | np.isinf(b))
    kept = [i for i, shared in zip(members, both.tolist(), strict=True) if shared]
    clusters = table.clusters(members).numbers[both]
    a, b = a[both], b[both]
    ids = table.ids(kept)
    binary = metric.share and len(a) > 0 and bool(np.isin(np.concatenate([a, b]), (0.0, 1.0)).all())
    only_first, only_second = (int(((x == 1) & (y == 0)).sum()) for x, y in ((a, b), (b, a)))
    found = detect_after(b - a, clusters, alpha=alpha / tests, bounded=metric.bounds is not None)
    return PairedDifference(
        first=pair.first,
        second=pair.second,
        metric=metric.name,
        group=group,
        share=metric.share,
        value_first=_mean(a),
        value_second=_mean(b),
        difference=mean_difference(b - a, clusters, metric, generator(seed, ids)),
        only_first=only_first if binary else None,
        only_second=only_second if binary else None,
        mcnemar=round_off(mcnemar(only_first, only_second)) if binary else None,
        p=round_off(
            sign_flip(b - a, clusters, rng=generator(seed, ids), draws=max(PERMUTATIONS, round(20 * tests / alpha)))
        )
        if len(a)
        else None,
        holm=None,
        detectable=round_off(found.smallest),
    )


def mean_difference(values: FloatArray, clusters: IntArray, metric: Metric, rng: np.random.Generator) -> Interval:
    """The mean of paired differences, with an interval that does not overrate agreement.

    Resampling knows only what happened: it would call agreement in two clusters certain, and one exception among ten
    harmless. So unless six clusters differ from the commonest value, the interval of a metric on a scale with ends reaches at
    least as far from the mean as the share of the scale that can escape so many clusters altogether: Wilson's bound of 0 in n.
    Where all differences agree on a scale without ends there is no interval.
    """
    if not len(values):
        return UNDEFINED
    (found,) = estimate(values[:, np.newaxis], [False], clusters, rng=rng)
    if metric.bounds is None:
        agreed = (
            values.min() == values.max()
        )  # nothing varies that could be resampled, and no end of a scale tells how far it may
        return rounded(replace(found, low=None, high=None) if agreed else found)
    assert found.value is not None
    width = metric.bounds[1] - metric.bounds[0]
    means = _cluster_means(values, clusters)
    if _count_unlike(means) < FEWEST:
        reach = width * wilson_bounds(0.0, len(means)).high
        low, high = (found.value if end is None else end for end in (found.low, found.high))
        found = replace(found, low=min(low, found.value - reach), high=max(high, found.value + reach))
    # One side may be scaled: an end that a difference lies beyond is none.
    return rounded(clipped(found, min(-width, float(values.min())), max(width, float(values.max()))))


def corrected(tests: Sequence[PairedDifference]) -> list[PairedDifference]:
    """The tests with Holm's correction over those that have a p."""
    adjusted = iter(holm([test.p for test in tests if test.p is not None]))
    return [test if test.p is None else replace(test, holm=round_off(next(adjusted))) for test in tests]


def _same_test(table: OutcomeTable, cell: ComparedCell) -> object:
    """A key that two tests share if they compare the same values of the same things asked, whatever the groups are called."""
    pair, metric, _, members = cell
    asked = tuple(table.items[i].narrow or (table.items[i].id,) for i in members)
    first, second = (table.column(system, metric.name, members).tobytes() for system in pair)
    return pair, metric.name, asked, table.clusters(members).numbers.tobytes(), first, second


def changed_items(
    table: OutcomeTable, pair: SystemPair, metric: str, members: Sequence[int], most: int | None = None
) -> tuple[ItemChange, ...]:
    """The items whose value differs between two systems, those first that distances furthest."""
    return tuple(islice(_changes(table, pair, metric, members), most))


def _changes(table: OutcomeTable, pair: SystemPair, metric: str, members: Sequence[int]) -> Iterator[ItemChange]:
    a, b = (table.column(system, metric, members) for system in pair)
    places = [i for i in range(len(members)) if not (np.isnan(a[i]) or np.isnan(b[i])) and a[i] != b[i]]
    distances = {i: table.distance(*pair, metric, members[i]) for i in places}
    for i in sorted(places, key=lambda i: (-distances[i], table.items[members[i]].id)):
        item = members[i]
        yield ItemChange(
            id=table.items[item].id,
            first=float(a[i]),
            second=float(b[i]),
            texts=table.describe_item(item),
            seen_first=table.describe_outcome(pair.first, item),
            seen_second=table.describe_outcome(pair.second, item),
        )


def _mean(values: FloatArray) -> float | None:
    return round_off(float(values.mean())) if len(values) else None


def _cluster_means(values: FloatArray, clusters: IntArray) -> FloatArray:
    _, members = np.unique(clusters, return_inverse=True)
    means: FloatArray = np.bincount(members, weights=values) / np.bincount(members)
    return means


def _count_unlike(means: FloatArray) -> int:
    """How many are not the commonest one."""
    _, counts = np.unique(means.round(9), return_counts=True)
    return len(means) - int(counts.max())
