"""Two runs of the same suite, example by example: how far apart they are, and whether that could be chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.experiments.alignment import Aligned, align
from constraintsuite.experiments.figures import generator, round_off, rounded
from constraintsuite.experiments.groupings import OVERALL, pick
from constraintsuite.experiments.load import Run, Suite
from constraintsuite.metrics.intervals import FloatArray, IntArray, clipped, wilson_bounds
from constraintsuite.metrics.pairwise import Metric, PairResult
from constraintsuite.metrics.resampling import DRAWS, estimate
from constraintsuite.metrics.significance import holm, mcnemar, sign_flip
from constraintsuite.metrics.ties import STRICT, TieRule
from constraintsuite.records.examples import QueryRole
from constraintsuite.records.scores import Interval
from constraintsuite.suites.audit.groups import group_examples


@dataclass(frozen=True, slots=True)
class RunDifference:
    """The difference of two runs in one metric on one group of examples; `second` less `first`."""

    first: str
    second: str
    metric: str
    group: str
    """`overall`, or `grouping=value`."""
    value_first: float | None
    value_second: float | None
    difference: Interval
    """Paired and resampled by cluster; n counts the examples that have a value."""
    only_first: int | None
    """Examples that only the first gets right; None for a metric that is neither right nor wrong."""
    only_second: int | None
    mcnemar: float | None
    """Exact two-sided p, as if examples were independent."""
    p: float | None
    """Two-sided p of the clustered sign-flip test."""
    holm: float | None
    """That p corrected for all tests of the comparison."""


@dataclass(frozen=True, slots=True)
class ExampleChange:
    """An example in which the second run fares otherwise than the first."""

    id: str
    slice: str
    queries: dict[QueryRole, str]
    """Those that both runs were asked."""
    satisfying: str
    """Id of the document."""
    violating: str
    first: float
    """What the example counts in the metric."""
    second: float
    gaps_first: dict[QueryRole, float]
    """Score of the satisfying document less that of the violating one, by the role of the query."""
    gaps_second: dict[QueryRole, float]


@dataclass(frozen=True, slots=True)
class Comparison:
    """All tests of some runs, each pair of them in every metric and group."""

    suite: str
    rule: TieRule
    runs: tuple[str, ...]
    examples: int
    """Main examples that all runs have a result for."""
    left_out: int
    """Examples and controls of the suite that some run has no result for."""
    tests: tuple[RunDifference, ...]
    changes: Mapping[str, tuple[ExampleChange, ...]]
    """By `first -> second`: what changed in the first metric, the largest move of the gap first."""


def compare_runs(
    suite: Suite,
    runs: Mapping[str, Run],
    metrics: Sequence[Metric],
    *,
    by: str | None = None,
    rule: TieRule = STRICT,
    seed: int = 0,
    changed: int = 0,
) -> Comparison:
    """Every pair of the named runs in every metric, overall and by group; Holm's correction is over all of it."""
    for metric in metrics:
        if metric.own_unit:
            raise UserError(
                f"{metric.name} is in each model's own unit, so that a difference says nothing. Compare "
                "normalised_gap, normalised_sensitivity, superiority or responsiveness."
            )
    aligned = align(suite, runs, rule)
    parts = {OVERALL: list(range(aligned.main))}
    if by is not None:
        parts |= {f"{by}={name}": members for name, members in pick(aligned.groups(), by).items()}
    tests = [
        paired_test(aligned, first, second, metric, group, members, seed=seed)
        for first, second in combinations(runs, 2)
        for metric in metrics
        for group, members in parts.items()
    ]
    return Comparison(
        suite=suite.name,
        rule=rule,
        runs=tuple(runs),
        examples=aligned.main,
        left_out=len(suite.examples) + len(suite.controls) - len(aligned.examples),
        tests=tuple(corrected(tests)),
        changes={
            f"{first} -> {second}": tuple(islice(_changes(aligned, first, second, metrics[0]), changed))
            for first, second in combinations(runs, 2)
        },
    )


def paired_test(
    aligned: Aligned, first: str, second: str, metric: Metric, group: str, members: Sequence[int], *, seed: int
) -> RunDifference:
    """One test, not yet corrected for the others."""
    a, b = (metric.column([aligned.results[name][i] for i in members]) for name in (first, second))
    clusters = group_examples([aligned.examples[i] for i in members]).groups
    both = ~(np.isnan(a) | np.isnan(b))
    a, b, clusters = a[both], b[both], clusters[both]
    ids = [aligned.examples[i].id for i, shared in zip(members, both, strict=True) if shared]
    binary = metric.share and len(a) > 0 and bool(np.isin(np.concatenate([a, b]), (0.0, 1.0)).all())
    only_first, only_second = (int(((x == 1) & (y == 0)).sum()) for x, y in ((a, b), (b, a)))
    return RunDifference(
        first=first,
        second=second,
        metric=metric.name,
        group=group,
        value_first=_mean(a),
        value_second=_mean(b),
        difference=_difference(b - a, clusters, metric, generator(seed, ids)),
        only_first=only_first if binary else None,
        only_second=only_second if binary else None,
        mcnemar=round_off(mcnemar(only_first, only_second)) if binary else None,
        p=round_off(sign_flip(b - a, clusters, rng=generator(seed, ids))) if len(a) else None,
        holm=None,
    )


def corrected(tests: Sequence[RunDifference]) -> list[RunDifference]:
    """The tests with Holm's correction over those that have a p."""
    made = [test for test in tests if test.p is not None]
    adjusted = iter(holm([test.p for test in made if test.p is not None]))
    return [test if test.p is None else replace(test, holm=round_off(next(adjusted))) for test in tests]


def _difference(values: FloatArray, clusters: IntArray, metric: Metric, rng: np.random.Generator) -> Interval:
    (interval,) = estimate(values[:, np.newaxis], [False], clusters, rng=rng, draws=DRAWS)
    if metric.share and interval.value is not None and values.min() == values.max():
        # Resampling calls agreement in a few examples certain; so many clusters rule out no more than this share.
        reach = wilson_bounds(0.0, len(np.unique(clusters))).high
        interval = replace(interval, low=interval.value - reach, high=interval.value + reach)
    return rounded(clipped(interval, -1.0, 1.0) if metric.share else interval)


def _mean(values: FloatArray) -> float | None:
    return round_off(float(values.mean())) if len(values) else None


def _changes(aligned: Aligned, first: str, second: str, metric: Metric) -> Iterator[ExampleChange]:
    before, after = (aligned.results[name][: aligned.main] for name in (first, second))
    a, b = metric.column(before), metric.column(after)
    places = [i for i in range(aligned.main) if not (np.isnan(a[i]) or np.isnan(b[i])) and a[i] != b[i]]
    for i in sorted(places, key=lambda i: (-_move(before[i], after[i]), before[i].id)):
        example = aligned.examples[i]
        asked = before[i].outcomes.keys() & after[i].outcomes.keys()
        queries = {role: query for role, query in example.queries.items() if role in asked}
        yield ExampleChange(
            id=example.id,
            slice=example.slice,
            queries=queries,
            satisfying=example.satisfying.id,
            violating=example.violating.id,
            first=float(a[i]),
            second=float(b[i]),
            gaps_first={role: gap for role, gap in before[i].gaps.items() if role in queries},
            gaps_second={role: gap for role, gap in after[i].gaps.items() if role in queries},
        )


def _move(before: PairResult, after: PairResult) -> float:
    """How far the gap moved under the query where it moved most, in standard deviations of each run's scores.

    Queries that state no preference say nothing; people may have been asked about some of the others only.
    """
    shared = before.outcomes.keys() & after.outcomes.keys()
    return max(
        abs(after.gaps[role] / (after.unit or 1.0) - before.gaps[role] / (before.unit or 1.0)) for role in shared
    )
