"""Figures of one checkpoint and of two compared: which sites matter, similar representations, and linear probes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import IntArray, clipped, symmetric
from constraintsuite.core.statistics.ranking import chance_overlap, rank_biased_overlap
from constraintsuite.core.statistics.resampling import estimate, estimate_statistic, per_draw, ratios_of_means
from constraintsuite.mechanism.contrasts.records import MarkedContrast, TokenRole
from constraintsuite.mechanism.drift import similarity
from constraintsuite.mechanism.drift.observation import POOLED, RUNS, Crossed, Observation
from constraintsuite.mechanism.drift.records import (
    Alignment,
    CrossCheckpointPatch,
    Importance,
    ImportanceSimilarity,
    Margins,
    Probe,
    Reliability,
)
from constraintsuite.mechanism.drift.similarity import FEWEST, cka_interval, fit_line, probe_accuracy
from constraintsuite.mechanism.effects.agreement import spearman
from constraintsuite.mechanism.effects.records import DIRECTIONS, BoolArray, FloatArray, PatchDirection
from constraintsuite.mechanism.patching.patches import SitePatch, residual
from constraintsuite.mechanism.sites import Site

PROBED: tuple[TokenRole, ...] = ("cls", "q_y", "d_y")
"""Roles without the cue itself: what a probe reads there was moved there."""
_Similarity = Callable[[FloatArray, FloatArray], float | None]


@dataclass(frozen=True)
class DriftContext:
    """What all checkpoints share: sites, contrasts, clusters, and how figures are resampled."""

    sites: tuple[Site, ...]
    contrasts: tuple[MarkedContrast, ...]
    clusters: IntArray
    draws: int
    """The number of resamples for an interval of a ranking."""
    top: int
    seed: int

    @property
    def find(self) -> BoolArray:
        """A mask of the contrasts of the half `find`."""
        return np.array([contrast.half == "find" for contrast in self.contrasts])

    @property
    def swapped_queries(self) -> BoolArray:
        """A mask of the contrasts in which the clean query excludes Y and the corrupt one does not."""
        return np.array([contrast.side == "query" for contrast in self.contrasts])

    def chance(self) -> np.random.Generator:
        """A generator with the same seed for each figure, so that no figure depends on others."""
        return np.random.default_rng(self.seed)

    def compare(
        self,
        columns: FloatArray,
        of: Callable[..., float | None],
        least: float = 0.0,
        most: float = 1.0,
        parts: int = 2,
    ) -> Interval:
        """Compare the importances of sites in equal parts of the columns; the figure is between `least` and `most`.

        The importance of a site is the absolute value of its summed effects.
        """
        statistic = per_draw(lambda *sums: of(*map(np.abs, sums)), parts)
        found = estimate_statistic(columns, statistic, self.clusters, rng=self.chance(), draws=self.draws)
        return clipped(symmetric(found), least, most)


def margins_of(checkpoint: str, seen: Observation, context: DriftContext) -> Margins:
    """The margins of the two runs, and their difference."""
    columns = np.stack([seen.clean, seen.corrupt, seen.clean - seen.corrupt, (seen.clean > 0).astype(float)], axis=1)
    found = estimate(columns, [False, False, False, True], context.clusters, rng=context.chance())
    return Margins(checkpoint, *found)


def importances_of(checkpoint: str, seen: Observation, context: DriftContext) -> Iterator[Importance]:
    """The mean effect of each site, also as a share of the difference between the runs."""
    for direction, effects in zip(DIRECTIONS, seen.effects, strict=True):
        aim = seen.clean - seen.corrupt if direction == "denoising" else seen.corrupt - seen.clean
        shares = ratios_of_means(effects, _repeat(aim, effects), context.clusters, rng=context.chance())
        means = estimate(effects, [False] * len(context.sites), context.clusters, rng=context.chance())
        for site, effect, recovered in zip(context.sites, means, shares, strict=True):
            yield Importance(checkpoint, direction, str(site), effect, recovered)


def importance(effects: FloatArray) -> FloatArray:
    """The importance of each site, from effects (contrasts, sites)."""
    strength: FloatArray = np.abs(effects.mean(axis=0))
    return strength


def circuit_of(seen: Observation, direction: PatchDirection, context: DriftContext) -> list[Site]:
    """The most important sites on the half `find`, the strongest first."""
    strength = importance(seen.effects[DIRECTIONS.index(direction)][context.find])
    return [context.sites[place] for place in similarity.order_of(strength)[: context.top].tolist()]


def compare_importances(
    pair: tuple[str, str], one: Observation, other: Observation, context: DriftContext
) -> Iterator[ImportanceSimilarity]:
    """How similar the importances of two checkpoints are, per direction."""
    layers = np.array([site.layer for site in context.sites], dtype=np.int64)
    count, top = len(context.sites), context.top

    def shared(a: FloatArray, b: FloatArray) -> float:
        return similarity.jaccard(similarity.top_sites(a, top), similarity.top_sites(b, top))

    def overlap(a: FloatArray, b: FloatArray) -> float | None:
        return rank_biased_overlap(similarity.order_of(a).tolist(), similarity.order_of(b).tolist())

    for number, direction in enumerate(DIRECTIONS):
        columns = np.concatenate([one.effects[number], other.effects[number]], axis=1)
        figure = partial(context.compare, columns)
        halves = np.concatenate([_halved(seen.effects[number], context) for seen in (one, other)], axis=1)
        yield ImportanceSimilarity(
            *pair,
            direction,
            spearman=figure(spearman, -1.0),
            across=context.compare(halves, _across(spearman), -1.0, parts=4),
            rbo=figure(overlap),
            rbo_chance=chance_overlap(count),
            jaccard=figure(shared),
            jaccard_across=context.compare(halves, _across(shared), parts=4),
            jaccard_chance=similarity.chance_jaccard(count, top),
            jaccard_p=_sharing_p(one.effects[number], other.effects[number], context),
            weighted=figure(similarity.weighted_overlap),
            moved=figure(lambda a, b: similarity.moved_mass(a, b, layers), most=float(layers.max())),
        )


def reliability_of(checkpoint: str, seen: Observation, context: DriftContext) -> Iterator[Reliability]:
    """The agreement of the importances on the two halves."""
    for number, direction in enumerate(DIRECTIONS):
        columns = _halved(seen.effects[number], context)
        yield Reliability(checkpoint, direction, context.compare(columns, spearman, -1.0))


def alignments_of(
    pair: tuple[str, str], one: Observation, other: Observation, context: DriftContext
) -> Iterator[Alignment]:
    """CKA of the clean rows of two checkpoints, at each role and layer."""
    clusters = np.repeat(context.clusters, 2)
    clean = RUNS.index("clean")
    for layer, (mine, theirs) in enumerate(zip(one.pooled, other.pooled, strict=True)):
        for number, role in enumerate(POOLED):
            rows, others = (part[number, clean].reshape(len(clusters), -1) for part in (mine, theirs))
            kept = np.isfinite(rows).all(axis=1)
            if kept.sum() < FEWEST:
                continue
            a, b = rows[kept].astype(np.float64), others[kept].astype(np.float64)
            found = cka_interval(a, b, clusters[kept], context.chance())
            if found.value is None:
                continue  # the first token is the same in all rows
            yield Alignment(*pair, str(residual(layer - 1)), role, found)


def probes_of(checkpoint: str, first: Observation, seen: Observation, context: DriftContext) -> Iterator[Probe]:
    """Probes fitted on one half of the contrasts and tested on the other, by layer and role."""
    for layer in range(len(seen.pooled)):
        for role in PROBED:
            own, before = (_differences(each, layer, role) for each in (seen, first))
            whole = np.isfinite(own).all(axis=1) & context.swapped_queries  # a contrast may lack a role
            learnt, asked = whole & context.find, whole & ~context.find
            if min(learnt.sum(), asked.sum()) < FEWEST:
                continue
            lines = fit_line(before[learnt]), fit_line(own[learnt])
            frozen, fresh = (
                probe_accuracy(line, own[asked], context.clusters[asked], context.chance()) for line in lines
            )
            yield Probe(checkpoint, str(residual(layer - 1)), role, frozen, fresh)


def crossings_of(
    pair: tuple[str, str],
    direction: PatchDirection,
    patches: Sequence[SitePatch],
    crossed: Crossed,
    clusters: IntArray,
    rng: np.random.Generator,
) -> Iterator[CrossCheckpointPatch]:
    """What each patch does to the margins of the second checkpoint."""
    own, carried = (crossed.own - crossed.base).T, (crossed.other - crossed.same).T
    columns = np.concatenate([own, carried, (crossed.same - crossed.base).T], axis=1)
    means = estimate(columns, [False] * columns.shape[1], clusters, rng=rng)
    aim = _repeat(crossed.donor - crossed.base, carried)
    shares = ratios_of_means(carried, aim, clusters, rng=rng)
    for number, (patch, share) in enumerate(zip(patches, shares, strict=True)):
        name = "circuit" if len(patch.sites) > 1 else str(patch)
        alone, crossing, harm = means[number :: len(patches)]
        yield CrossCheckpointPatch(*pair, direction, name, alone, crossing, harm, share)


def _repeat(values: FloatArray, columns: FloatArray) -> FloatArray:
    """The same values for every column."""
    return np.broadcast_to(values[:, np.newaxis], columns.shape)


def _halved(effects: FloatArray, context: DriftContext) -> FloatArray:
    """Effects of the half `find`, then of the half `check`, 0 for other contrasts: (contrasts, 2 x sites)."""
    find = context.find[:, np.newaxis]
    return np.concatenate([np.where(find, effects, 0.0), np.where(find, 0.0, effects)], axis=1)


def _sharing_p(one: FloatArray, other: FloatArray, context: DriftContext) -> float:
    """p-value for the overlap of circuits chosen on opposite halves; the larger of the two directions."""
    find, count, top = context.find, len(context.sites), context.top
    mine, theirs = (
        [similarity.top_sites(importance(effects[half]), top) for half in (find, ~find)] for effects in (one, other)
    )
    shared = min(len(mine[0] & theirs[1]), len(mine[1] & theirs[0]))
    return similarity.chance_of_sharing(count, top, shared)


def _across(of: _Similarity) -> Callable[[FloatArray, FloatArray, FloatArray, FloatArray], float | None]:
    """The similarity of checkpoints A and B across the halves, so that they share no noise.

    The mean of of(A on find, B on check) and of(A on check, B on find); undefined if either is.
    """

    def figure(a_find: FloatArray, a_check: FloatArray, b_find: FloatArray, b_check: FloatArray) -> float | None:
        one, other = of(a_find, b_check), of(a_check, b_find)
        return None if one is None or other is None else (one + other) / 2

    return figure


def _differences(seen: Observation, layer: int, role: TokenRole) -> FloatArray:
    """Clean minus corrupt of each contrast, over its rows (one or two) that have the role: (contrasts, width)."""
    clean, corrupt = seen.pooled[layer, POOLED.index(role)].astype(np.float64)
    difference = clean - corrupt  # (contrasts, better and worse, width)
    there = np.isfinite(difference)
    count = there.sum(axis=1)
    summed = np.where(there, difference, 0.0).sum(axis=1)
    return np.where(count > 0, summed / np.maximum(count, 1), np.nan)
