"""How good a circuit is: faithful, complete, minimal, specific, and better than chance. Ratios of means, never means of ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from constraintsuite.core.execution.shards import keyed_random
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import IntArray
from constraintsuite.core.statistics.resampling import estimate, estimate_statistic, ratios_of_means
from constraintsuite.mechanism.circuits.ranking import cluster_numbers
from constraintsuite.mechanism.circuits.records import (
    MATCHES,
    ChanceBand,
    ChanceCircuits,
    ChanceMatch,
    Completeness,
    ControlEffect,
    CurvePoint,
    Member,
    MemberRemoval,
)
from constraintsuite.mechanism.circuits.runner import EMPTY, Circuit, CircuitRunner, random_circuits, random_parts
from constraintsuite.mechanism.contrasts.records import ControlKind
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.mechanism.sites import Site

GREEDY = 5
"""Members that are taken away one after the other, each time the one that hurts most."""


@dataclass(frozen=True, eq=False)
class CircuitEvaluator:
    """Contrasts of one half, and what lies between keeping nothing of the model and keeping all of it."""

    runner: CircuitRunner
    contrasts: tuple[TokenContrast, ...]
    full: FloatArray
    empty: FloatArray
    seed: int

    @cached_property
    def clusters(self) -> IntArray:
        """The independent group of each contrast."""
        return cluster_numbers([one.contrast for one in self.contrasts])

    @property
    def scale(self) -> FloatArray:
        """M(full) - M(empty) of each contrast."""
        return self.full - self.empty

    def margins(self, circuits: Sequence[Circuit]) -> FloatArray:
        """The margin of each contrast under each circuit: (circuits, contrasts)."""
        return self.runner.margins(circuits, self.contrasts)

    def shares(self, changes: FloatArray) -> list[Interval]:
        """Each of some changes of the margin, (figures, contrasts), as a share of the scale."""
        scale = np.broadcast_to(self.scale, changes.shape)
        return ratios_of_means(changes.T, scale.T, self.clusters, rng=np.random.default_rng(self.seed))

    def share_values(self, changes: FloatArray) -> FloatArray:
        """The same without intervals; NaN where there is no scale."""
        total = float(self.scale.sum())
        return changes.sum(axis=1) / total if total else np.full(len(changes), np.nan)

    def mean(self, values: FloatArray) -> Interval:
        """Of one value a contrast, NaN where it has none."""
        rng = np.random.default_rng(self.seed)
        return estimate(values[:, None], [False], self.clusters, rng=rng)[0]


def make_evaluator(runner: CircuitRunner, contrasts: Sequence[TokenContrast], seed: int) -> CircuitEvaluator:
    """The contrasts with the model as it is, and with nothing kept of it."""
    full, empty = runner.margins([runner.full, EMPTY], contrasts)
    return CircuitEvaluator(runner, tuple(contrasts), full, empty, seed)


def draw_curve(
    order: Sequence[Site], sizes: Sequence[int], find: CircuitEvaluator, check: CircuitEvaluator, chance: int
) -> list[CurvePoint]:
    """The first sites of an order as circuits of growing size, beside `chance` random ones of each size."""
    circuits = [frozenset(order[:size]) for size in sizes]
    found = find.shares(find.margins(circuits) - find.empty)
    outcomes = check.runner.run([check.runner.full, *circuits], check.contrasts)
    checked = check.shares(outcomes.margins[1:] - check.empty)
    points = []
    for i, (size, circuit) in enumerate(zip(sizes, circuits, strict=True)):
        drawn = _drawn(circuit, "layer", chance, check, f"curve {size}")[0]
        aside = check.mean(outcomes.asides[1 + i] - outcomes.asides[0])
        points.append(CurvePoint(size, found[i], checked[i], _band(_faithfulness(drawn, check)), aside))
    return points


def area_under(order: Sequence[Site], sizes: Sequence[int], evaluator: CircuitEvaluator) -> Interval:
    """Under the faithfulness over the share of sites that is kept; 0 of nothing and 1 of everything are its ends."""
    gains = evaluator.margins([frozenset(order[:size]) for size in sizes]) - evaluator.empty
    heights = np.concatenate([np.zeros((1, len(evaluator.contrasts))), gains, evaluator.scale[None]])
    kept = np.array([0, *sizes, len(order)], dtype=np.float64) / len(order)
    area = ((heights[1:] + heights[:-1]) / 2 * np.diff(kept)[:, None]).sum(axis=0)
    return evaluator.shares(area[None])[0]


def judge_completeness(
    circuit: Sequence[Site], find: CircuitEvaluator, check: CircuitEvaluator, parts: int
) -> Completeness:
    """The circuit and the full model without the same members, for random ones and for those that hurt most."""
    chance = keyed_random(check.seed, "completeness")
    random = random_parts(circuit, parts, chance)
    greedy = _greedy(frozenset(circuit), find)
    removed = [*random, *greedy]
    gaps = _gaps(frozenset(circuit), removed, check)
    shares = check.shares(gaps)
    removals = tuple(
        MemberRemoval("random" if i < len(random) else "greedy", tuple(map(str, sorted(sites))), share)
        for i, (sites, share) in enumerate(zip(removed, shares, strict=True))
    )
    values = np.abs(check.share_values(gaps[: len(random)]))
    return Completeness(
        _mean_absolute(gaps[: len(random)], check),
        float(values.max()) if np.isfinite(values).all() else None,
        _mean_absolute(gaps[-1:], check),
        removals,
    )


def judge_members(circuit: Sequence[Site], evaluator: CircuitEvaluator) -> list[Member]:
    """What is lost without each member, in the order of the circuit."""
    whole = frozenset(circuit)
    margins = evaluator.margins([whole, *(whole - {site} for site in circuit)])
    drops = evaluator.shares(margins[0] - margins[1:])
    return [
        Member(str(site), drop, drop.low is not None and drop.low > 0)
        for site, drop in zip(circuit, drops, strict=True)
    ]


def judge_chance(circuit: Circuit, evaluator: CircuitEvaluator, count: int) -> list[ChanceCircuits]:
    """The circuit beside random ones of the same size, of either match."""
    (own,) = _faithfulness([circuit], evaluator)
    found = []
    for match in MATCHES:
        circuits, possible = _drawn(circuit, match, count, evaluator, "chance")
        others = _faithfulness(circuits, evaluator)
        known = len(others) > 0 and bool(np.isfinite(own))
        reached = int((others >= own - 1e-9).sum())
        below = 1 - reached / len(others) if known else None
        p = (1 + reached) / (1 + len(others)) if known else None
        found.append(ChanceCircuits(match, len(others), possible, below, p, _band(others)))
    return found


def _drawn(
    circuit: Circuit, match: ChanceMatch, count: int, evaluator: CircuitEvaluator, purpose: str
) -> tuple[tuple[Circuit, ...], int]:
    chance = keyed_random(evaluator.seed, "circuits", purpose, match)
    return random_circuits(circuit, evaluator.runner.sites, match, count, chance)


def _faithfulness(circuits: Sequence[Circuit], evaluator: CircuitEvaluator) -> FloatArray:
    return evaluator.share_values(evaluator.margins(circuits) - evaluator.empty) if circuits else np.empty(0)


def _band(values: FloatArray) -> ChanceBand | None:
    if not len(values) or not np.isfinite(values).all():
        return None
    low, middle, high = np.percentile(values, [5, 50, 95]).tolist()
    return ChanceBand(low, middle, high, len(values))


def _gaps(circuit: Circuit, removed: Sequence[Circuit], evaluator: CircuitEvaluator) -> FloatArray:
    """M(C without K) - M(full without K) of each K: (K, contrasts)."""
    asked = [*(circuit - some for some in removed), *(evaluator.runner.full - some for some in removed)]
    margins = evaluator.margins(asked)
    gaps: FloatArray = margins[: len(removed)] - margins[len(removed) :]
    return gaps


def _greedy(circuit: Circuit, evaluator: CircuitEvaluator) -> list[Circuit]:
    """Growing parts, each with the member more that makes circuit and model differ most; the worst of them comes last."""
    parts: list[tuple[float, Circuit]] = []
    gone: Circuit = EMPTY
    for _ in range(min(GREEDY, len(circuit))):
        candidates = [gone | {site} for site in sorted(circuit - gone)]
        sizes = np.abs(_gaps(circuit, candidates, evaluator).mean(axis=1))
        best = int(np.argmax(sizes))
        gone = candidates[best]
        parts.append((float(sizes[best]), gone))
    return [part for _, part in sorted(parts, key=lambda one: one[0])]


def _mean_absolute(gaps: FloatArray, evaluator: CircuitEvaluator) -> Interval:
    """The mean over K of |mean gap|, as a share of the scale."""

    def statistic(sums: FloatArray) -> FloatArray:
        found: FloatArray = np.abs(sums[:, :-1] / sums[:, -1:]).mean(axis=1)
        return found

    columns = np.concatenate([gaps, evaluator.scale[None]]).T
    return estimate_statistic(columns, statistic, evaluator.clusters, rng=np.random.default_rng(evaluator.seed))


def compare_controls(
    circuit: Circuit, main: CircuitEvaluator, controls: Mapping[ControlKind, CircuitEvaluator]
) -> list[ControlEffect]:
    """What the circuit does to the contrasts that are studied, and then to each kind of controls."""
    studied = _carried(circuit, main)
    found = [_effect("", main, studied, main, studied)]
    found += [
        _effect(kind, evaluator, _carried(circuit, evaluator), main, studied)
        for kind, evaluator in sorted(controls.items())
    ]
    return found


def _effect(
    kind: ControlKind, evaluator: CircuitEvaluator, carried: FloatArray, main: CircuitEvaluator, studied: FloatArray
) -> ControlEffect:
    difference, both = _difference(np.abs(studied), np.abs(carried), (main, evaluator), evaluator.seed)
    return ControlEffect(
        kind,
        len(carried),
        len(np.unique(evaluator.clusters)),
        total=evaluator.mean(evaluator.scale),
        carried=evaluator.mean(carried),
        size=evaluator.mean(np.abs(carried)),
        difference=difference if kind else Interval(0.0, 0.0, 0.0, len(carried)),
        paired_clusters=both,
    )


def _carried(circuit: Circuit, evaluator: CircuitEvaluator) -> FloatArray:
    difference: FloatArray = evaluator.margins([circuit])[0] - evaluator.empty
    return difference


def _difference(
    one: FloatArray, other: FloatArray, evaluators: Sequence[CircuitEvaluator], seed: int
) -> tuple[Interval, int]:
    """The difference of two means; a cluster is drawn with all its contrasts of both groups."""
    clusters = cluster_numbers([each.contrast for evaluator in evaluators for each in evaluator.contrasts])
    first = np.arange(len(clusters)) < len(one)
    values = np.concatenate([one, other])
    columns = np.stack([np.where(first, values, 0), first, np.where(first, 0, values), ~first], axis=1)

    def statistic(sums: FloatArray) -> FloatArray:
        return sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]

    found = estimate_statistic(columns.astype(np.float64), statistic, clusters, rng=np.random.default_rng(seed))
    return found, len(np.intersect1d(clusters[first], clusters[~first]))
