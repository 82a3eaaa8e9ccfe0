"""Compare systems item by item: their difference, whether it could be chance, and which difference the items could show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import UNDEFINED, FloatArray, IntArray, clipped, wilson_bounds
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.core.statistics.resampling import estimate
from constraintsuite.core.statistics.significance import PERMUTATIONS, detect_after, holm, mcnemar, sign_flip
from constraintsuite.experiments.figures import generator, round_off, rounded
from constraintsuite.experiments.outcome_table import Details, OutcomeTable

ALPHA = 0.05
"""A change is significant if its corrected p is below this."""
MIN_CLUSTERS = 6
"""With fewer clusters that differ, no p of the sign-flip test is below 5 %: the smallest is 2 / 2^5."""


class SystemPair(NamedTuple):
    """Two systems to compare: `second` minus `first`."""

    first: str
    second: str


class ComparedCell(NamedTuple):
    """One test: two systems, one metric, and the items of one group."""

    pair: SystemPair
    metric: Metric
    group: str
    members: Sequence[int]


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The difference of two systems in one metric on one group of items: `second` minus `first`."""

    first: str
    second: str
    metric: str
    group: str
    """`overall`, `headline`, or `grouping=value`."""
    share: bool
    """Whether values lie between 0 and 1 and are shown in percent."""
    value_first: float | None
    value_second: float | None
    difference: Interval
    """Paired, with whole clusters resampled; n counts the items that have both values."""
    only_first: int | None
    """Items that only the first gets right; None for a metric that is neither right nor wrong."""
    only_second: int | None
    mcnemar: float | None
    """Exact two-sided p of McNemar's test, which treats items as independent."""
    p: float | None
    """Two-sided p of the clustered sign-flip test."""
    holm: float | None
    """That p corrected for all tests of the comparison."""
    detectable: float | None
    """The smallest difference that these items show with a probability of 80 %; None if they cannot show any."""


@dataclass(frozen=True, slots=True)
class ItemChange:
    """An item whose value differs between two systems."""

    id: str
    first: float | None
    """The value of the item under the first system; None if there is no first system."""
    second: float
    texts: Details
    seen_first: Details
    seen_second: Details


@dataclass(frozen=True, slots=True)
class Comparison:
    """The tests of each pair of systems in every metric and group."""

    data: str
    """The name of the data, such as the name of the suite."""
    ties: str | None
    """The rule for ties, if the kind of run has one."""
    systems: tuple[str, ...]
    titles: Mapping[str, str]
    """The title of each metric, by its name."""
    items: int
    """Number of main items that all systems have."""
    left_out: int
    """Number of items that some system does not have."""
    tests: tuple[PairedDifference, ...]
    changes: Mapping[str, tuple[ItemChange, ...]]
    """By `first -> second`: the items that changed in the first metric, the largest change first."""
    settings: Mapping[str, Mapping[str, Details]]
    """The settings of systems that depend on the group, by system and group."""


def compare_systems(
    table: OutcomeTable,
    pairs: Sequence[SystemPair],
    metrics: Sequence[str],
    groups: Mapping[str, Sequence[int]],
    *,
    seed: int = 0,
) -> list[PairedDifference]:
    """Test every pair in every metric and group, with Holm's correction over all tests."""
    for name in metrics:
        refuse_incomparable(table.metric(name))
    cells = [
        ComparedCell(pair, table.metric(name), *part) for pair in pairs for name in metrics for part in groups.items()
    ]
    return run_tests(table, cells, seed=seed)


def run_tests(
    table: OutcomeTable, cells: Sequence[ComparedCell], *, seed: int = 0, alpha: float = ALPHA
) -> list[PairedDifference]:
    """Run the test of each cell, with Holm's correction over all tests.

    If two groups hold the same items under different names, the test is made once, with the same random draws.
    """
    keys = [_same_test(table, cell) for cell in cells]
    distinct = dict(zip(keys, cells, strict=True))
    made = {
        key: paired_test(table, *cell, seed=seed, alpha=alpha, tests=len(distinct)) for key, cell in distinct.items()
    }
    adjusted = dict(zip(made, apply_holm(list(made.values())), strict=True))
    return [replace(adjusted[key], group=cell.group) for key, cell in zip(keys, cells, strict=True)]


def refuse_incomparable(metric: Metric) -> None:
    """Refuse a metric whose paired differences have no meaning."""
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
    """Run one test, without a correction for other tests.

    `tests` is the number of tests made together. A p that is corrected for all of them must be able to fall below `alpha`, so
    the number of random draws and the detectable difference depend on it.
    """
    a, b = (table.column(system, metric.name, members) for system in pair)
    both = np.isfinite(a) & np.isfinite(b)
    ids = table.ids(i for i, shared in zip(members, both.tolist(), strict=True) if shared)
    clusters = table.clusters(members).numbers[both]
    a, b = a[both], b[both]
    binary = metric.share and len(a) > 0 and bool(np.isin(np.concatenate([a, b]), (0.0, 1.0)).all())
    only_first, only_second = (int(((x == 1) & (y == 0)).sum()) for x, y in ((a, b), (b, a)))
    draws = max(PERMUTATIONS, round(20 * tests / alpha))
    found = detect_after(b - a, clusters, alpha=alpha / tests, bounded=metric.bounds is not None)
    return PairedDifference(
        first=pair.first,
        second=pair.second,
        metric=metric.name,
        group=group,
        share=metric.share,
        value_first=round_off(float(a.mean())) if len(a) else None,
        value_second=round_off(float(b.mean())) if len(b) else None,
        difference=mean_difference(b - a, clusters, metric, generator(seed, ids)),
        only_first=only_first if binary else None,
        only_second=only_second if binary else None,
        mcnemar=round_off(mcnemar(only_first, only_second)) if binary else None,
        p=round_off(sign_flip(b - a, clusters, rng=generator(seed, ids), draws=draws)) if len(a) else None,
        holm=None,
        detectable=round_off(found),
    )


def mean_difference(values: FloatArray, clusters: IntArray, metric: Metric, rng: np.random.Generator) -> Interval:
    """The mean of paired differences, with an interval that is not too narrow if nearly all items agree.

    Resampling only sees what was observed: if two clusters agree, it calls the result certain. So unless six clusters differ
    from the most common value, the interval of a metric on a bounded scale is widened. It then reaches as far as Wilson's
    bound for 0 out of all clusters, as a share of the scale. On a scale without bounds there is no interval if all
    differences agree.
    """
    if not len(values):
        return UNDEFINED
    (found,) = estimate(values[:, np.newaxis], [False], clusters, rng=rng)
    if metric.bounds is None:
        return rounded(replace(found, low=None, high=None) if values.min() == values.max() else found)
    assert found.value is not None
    width = metric.bounds[1] - metric.bounds[0]
    _, members = np.unique(clusters, return_inverse=True)
    means = np.bincount(members, weights=values) / np.bincount(members)
    _, counts = np.unique(means.round(9), return_counts=True)
    if len(means) - counts.max() < MIN_CLUSTERS:
        reach = width * wilson_bounds(0.0, len(means)).high
        low, high = (found.value if end is None else end for end in (found.low, found.high))
        found = replace(found, low=min(low, found.value - reach), high=max(high, found.value + reach))
    # One system's values may be scaled, and differences then exceed the scale.
    return rounded(clipped(found, min(-width, float(values.min())), max(width, float(values.max()))))


def apply_holm(tests: Sequence[PairedDifference]) -> list[PairedDifference]:
    """The tests with Holm's correction over those that have a p."""
    adjusted = iter(holm([test.p for test in tests if test.p is not None]))
    return [test if test.p is None else replace(test, holm=round_off(next(adjusted))) for test in tests]


def _same_test(table: OutcomeTable, cell: ComparedCell) -> object:
    """A key that two tests share if they compare the same values of the same items, whatever the group is called."""
    pair, metric, _, members = cell
    asked = tuple(table.items[i].narrow or (table.items[i].id,) for i in members)
    first, second = (table.column(system, metric.name, members).tobytes() for system in pair)
    return pair, metric.name, asked, table.clusters(members).numbers.tobytes(), first, second


def changed_items(
    table: OutcomeTable, pair: SystemPair, metric: str, members: Sequence[int], most: int | None = None
) -> tuple[ItemChange, ...]:
    """The items whose value differs between two systems, the largest distance first; at most `most` of them."""
    a, b = (table.column(system, metric, members) for system in pair)
    changed = [i for i in range(len(members)) if not (np.isnan(a[i]) or np.isnan(b[i])) and a[i] != b[i]]
    distances = {i: table.distance(*pair, metric, members[i]) for i in changed}
    ordered = sorted(changed, key=lambda i: (-distances[i], table.items[members[i]].id))[:most]
    return tuple(describe_change(table, members[i], pair, float(a[i]), float(b[i])) for i in ordered)


def describe_change(
    table: OutcomeTable, item: int, systems: tuple[str | None, str], first: float | None, second: float
) -> ItemChange:
    """An item with its texts, its values and what each system did; the first system may be missing."""
    before, after = systems
    return ItemChange(
        id=table.items[item].id,
        first=first,
        second=second,
        texts=table.describe_item(item),
        seen_first={} if before is None else table.describe_outcome(before, item),
        seen_second=table.describe_outcome(after, item),
    )
