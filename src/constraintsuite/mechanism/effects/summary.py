"""What effects say together, site by site: raw change, recovered fraction, flips, and what plain relevance suffers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import IntArray, connected_components
from constraintsuite.core.statistics.resampling import estimate, ratios_of_means
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.effects.groups import groups_of
from constraintsuite.mechanism.effects.matrices import EffectMatrices, clean_margins, make_matrices
from constraintsuite.mechanism.effects.records import BoolArray, EffectMethod, PatchDirection, PatchEffects
from constraintsuite.mechanism.sites import parse_site

_CARRYING = ("embeddings", "residual")


@dataclass(frozen=True)
class SiteSummary:
    """Over the contrasts of a group."""

    items: str
    """`all` main contrasts, those the model gets right (`correct`: its clean margin is above 0) or not (`failed`), or the kind
    of a control. Where there are contrasts of both sides, each side has its own: `query`, `query correct`, ..."""
    direction: PatchDirection
    method: EffectMethod
    site: str
    role: str
    effect: Interval
    """Mean change of the margin."""
    recovered: Interval
    """mean(patched - base) / mean(donor - base); of an ablation, the share of the margin that is lost."""
    flips: Interval
    """Share of contrasts whose margin changes its sign towards the donor's, among those where the two signs differ; of an
    ablation, whose margin was above 0 and no longer is."""
    aside: Interval
    """Mean change of the score of a pair about something else."""


@dataclass(frozen=True)
class Baseline:
    """How the model does without any patch."""

    items: str
    clean_margin: Interval
    corrupt_margin: Interval
    difference: Interval
    """Clean less corrupt margin, contrast by contrast."""
    correct: Interval
    """Share whose clean margin is above 0."""


@dataclass(frozen=True)
class EffectSummary:
    """All figures of an explain folder; intervals are of 95 %, with whole clusters of contrasts resampled."""

    baselines: tuple[Baseline, ...]
    sites: tuple[SiteSummary, ...]


def summarise_effects(effects: PatchEffects, contrasts: Sequence[MarkedContrast], seed: int) -> EffectSummary:
    """Figures of each site, role, direction and method over groups of contrasts that are never merged.

    In which order the rows come does not matter: it depends on how many contrasts were done at a time.
    """
    known = {contrast.id: contrast for contrast in contrasts}
    matrices = make_matrices(effects, list(known))
    clean = clean_margins(matrices)
    sites: list[SiteSummary] = []
    for each in matrices:
        for items, keep in _groups(each.contrasts, known, clean).items():
            sites += _summarise(each, items, keep, _clusters(each.contrasts, known), seed)
    return EffectSummary(_baselines(known, clean, seed), tuple(sites))


def components(summaries: Iterable[SiteSummary]) -> list[SiteSummary]:
    """Those of heads and parts of layers: a residual carries all that lies below it, and would stand before them all."""
    found = list(summaries)
    return [one for one in found if parse_site(one.site).kind not in _CARRYING] or found


def _groups(
    names: Sequence[str], known: Mapping[str, MarkedContrast], margins: Mapping[str, tuple[float, float]]
) -> dict[str, BoolArray]:
    right = np.array([margins[name][0] > 0 for name in names], dtype=bool)
    return groups_of([known[name] for name in names], right, known.values())


def _clusters(names: Sequence[str], known: Mapping[str, MarkedContrast]) -> IntArray:
    return connected_components([known[name].clusters for name in names])


def _summarise(
    matrices: EffectMatrices, items: str, keep: BoolArray, clusters: IntArray, seed: int
) -> list[SiteSummary]:
    clusters, count = clusters[keep], len(matrices.patches)
    change = matrices.change[keep]
    figures = np.concatenate([change, matrices.aside[keep], matrices.flips[keep]], axis=1)
    kinds = [*[False] * (2 * count), *[True] * count]
    means = estimate(figures, kinds, clusters, rng=np.random.default_rng(seed))
    ratios = ratios_of_means(change, matrices.wanted[keep], clusters, rng=np.random.default_rng(seed))
    return [
        SiteSummary(
            items,
            matrices.direction,
            matrices.method,
            site,
            role,
            effect=means[i],
            recovered=ratios[i],
            flips=means[2 * count + i],
            aside=means[count + i],
        )
        for i, (site, role) in enumerate(matrices.patches)
    ]


def _baselines(
    known: Mapping[str, MarkedContrast], margins: Mapping[str, tuple[float, float]], seed: int
) -> tuple[Baseline, ...]:
    names = [name for name in known if name in margins]
    values = np.array([margins[name] for name in names])
    right = np.where(np.isnan(values[:, 0]), np.nan, (values[:, 0] > 0).astype(np.float64))
    clusters = _clusters(names, known)
    found = []
    for items, keep in _groups(names, known, margins).items():
        figures = np.column_stack([values[keep], values[keep, 0] - values[keep, 1], right[keep]])
        rng = np.random.default_rng(seed)
        found.append(Baseline(items, *estimate(figures, [False, False, False, True], clusters[keep], rng=rng)))
    return tuple(found)
