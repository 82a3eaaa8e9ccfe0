"""How good a circuit is: faithful, complete, minimal, specific, and better than chance; as ratios of means."""

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
"""Number of members that the greedy test of completeness removes, each time the one with the largest effect."""


@dataclass(frozen=True, eq=False)
class CircuitEvaluator:
    """Contrasts of one half, with their margins in the full model and in the empty circuit."""

    runner: CircuitRunner
    contrasts: tuple[TokenContrast, ...]
    full: FloatArray
    empty: FloatArray
    seed: int

    @cached_property
    def clusters(self) -> IntArray:
        """The number of the cluster of each contrast."""
        return cluster_numbers([one.contrast for one in self.contrasts])

    @property
    def scale(self) -> FloatArray:
        """M(full) - M(empty) of each contrast."""
        return self.full - self.empty

    def margins(self, circuits: Sequence[Circuit]) -> FloatArray:
        """The margin of each contrast under each circuit: (circuits, contrasts)."""
        return self.runner.margins(circuits, self.contrasts)

    def shares(self, changes: FloatArray) -> list[Interval]:
        """Changes of the margin, (figures, contrasts), as shares of the scale."""
        scale = np.broadcast_to(self.scale, changes.shape)
        return ratios_of_means(changes.T, scale.T, self.clusters, rng=np.random.default_rng(self.seed))

    def share_values(self, changes: FloatArray) -> FloatArray:
        """The same without intervals; NaN if the scale is 0."""
        total = float(self.scale.sum())
        return changes.sum(axis=1) / total if total else np.full(len(changes), np.nan)

    def mean(self, values: FloatArray) -> Interval:
        """The mean of one value per contrast; NaN values are left out."""
        rng = np.random.default_rng(self.seed)
        return estimate(values[:, None], [False], self.clusters, rng=rng)[0]


def make_evaluator(runner: CircuitRunner, contrasts: Sequence[TokenContrast], seed: int) -> CircuitEvaluator:
    """Run the full model and the empty circuit on the contrasts."""
    full, empty = runner.margins([runner.full, EMPTY], contrasts)
    return CircuitEvaluator(runner, tuple(contrasts), full, empty, seed)


def draw_curve(
    order: Sequence[Site], sizes: Sequence[int], selection: CircuitEvaluator, held_out: CircuitEvaluator, chance: int
) -> list[CurvePoint]:
    """The first sites of an order as circuits of growing size, with `chance` random circuits of each size."""
    circuits = [frozenset(order[:size]) for size in sizes]
    found = selection.shares(selection.margins(circuits) - selection.empty)
    outcomes = held_out.runner.run([held_out.runner.full, *circuits], held_out.contrasts)
    checked = held_out.shares(outcomes.margins[1:] - held_out.empty)
    points = []
    for i, (size, circuit) in enumerate(zip(sizes, circuits, strict=True)):
        drawn = _drawn(circuit, "layer", chance, held_out, f"curve {size}")[0]
        aside = held_out.mean(outcomes.unrelated[1 + i] - outcomes.unrelated[0])
        points.append(CurvePoint(size, found[i], checked[i], _band(_faithfulness(drawn, held_out)), aside))
    return points


def area_under(order: Sequence[Site], sizes: Sequence[int], evaluator: CircuitEvaluator) -> Interval:
    """The area under faithfulness over the share of kept sites, from 0 for no sites to 1 for all."""
    gains = evaluator.margins([frozenset(order[:size]) for size in sizes]) - evaluator.empty
    heights = np.concatenate([np.zeros((1, len(evaluator.contrasts))), gains, evaluator.scale[None]])
    kept = np.array([0, *sizes, len(order)], dtype=np.float64) / len(order)
    area = ((heights[1:] + heights[:-1]) / 2 * np.diff(kept)[:, None]).sum(axis=0)
    return evaluator.shares(area[None])[0]


def judge_completeness(
    circuit: Sequence[Site], selection: CircuitEvaluator, held_out: CircuitEvaluator, parts: int
) -> Completeness:
    """Compare the circuit and the full model without the same members: random ones, and greedily chosen ones."""
    chance = keyed_random(held_out.seed, "completeness")
    random = random_parts(circuit, parts, chance)
    greedy = _greedy(frozenset(circuit), selection)
    removed = [*random, *greedy]
    gaps = _gaps(frozenset(circuit), removed, held_out)
    shares = held_out.shares(gaps)
    removals = tuple(
        MemberRemoval("random" if i < len(random) else "greedy", tuple(map(str, sorted(sites))), share)
        for i, (sites, share) in enumerate(zip(removed, shares, strict=True))
    )
    values = np.abs(held_out.share_values(gaps[: len(random)]))
    return Completeness(
        _mean_absolute(gaps[: len(random)], held_out),
        float(values.max()) if np.isfinite(values).all() else None,
        _mean_absolute(gaps[-1:], held_out),
        removals,
    )


def judge_members(circuit: Sequence[Site], evaluator: CircuitEvaluator) -> list[Member]:
    """The loss without each member, in the order of the circuit."""
    whole = frozenset(circuit)
    margins = evaluator.margins([whole, *(whole - {site} for site in circuit)])
    drops = evaluator.shares(margins[0] - margins[1:])
    return [
        Member(str(site), drop, drop.low is not None and drop.low > 0)
        for site, drop in zip(circuit, drops, strict=True)
    ]


def judge_chance(circuit: Circuit, evaluator: CircuitEvaluator, count: int) -> list[ChanceCircuits]:
    """Compare the circuit with random ones of the same size, for each kind of match."""
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
    return margins[: len(removed)] - margins[len(removed) :]


def _greedy(circuit: Circuit, evaluator: CircuitEvaluator) -> list[Circuit]:
    """Growing sets of removed members, each with the one more that makes circuit and model differ most; the worst set is last."""
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
    """The mean over K of |mean gap|, as a share of the scale; K are the sets of removed members."""

    def statistic(sums: FloatArray) -> FloatArray:
        found: FloatArray = np.abs(sums[:, :-1] / sums[:, -1:]).mean(axis=1)
        return found

    columns = np.concatenate([gaps, evaluator.scale[None]]).T
    return estimate_statistic(columns, statistic, evaluator.clusters, rng=np.random.default_rng(evaluator.seed))


def compare_controls(
    circuit: Circuit, main: CircuitEvaluator, controls: Mapping[ControlKind, CircuitEvaluator]
) -> list[ControlEffect]:
    """The effect of the circuit on the main contrasts, and on each kind of control."""
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
    """The difference of the means of two groups, and the number of clusters in both; clusters are resampled as a whole."""
    clusters = cluster_numbers([each.contrast for evaluator in evaluators for each in evaluator.contrasts])
    first = np.arange(len(clusters)) < len(one)
    values = np.concatenate([one, other])
    columns = np.stack([np.where(first, values, 0), first, np.where(first, 0, values), ~first], axis=1)

    def statistic(sums: FloatArray) -> FloatArray:
        return sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]

    found = estimate_statistic(columns.astype(np.float64), statistic, clusters, rng=np.random.default_rng(seed))
    return found, len(np.intersect1d(clusters[first], clusters[~first]))
