"""Sites by their effects on the half on which circuits are found, and how far the other half agrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.mechanism.circuits.records import RankedSite, SiteRanking
from constraintsuite.mechanism.contrasts.records import HALVES, MarkedContrast
from constraintsuite.mechanism.effects.agreement import spearman
from constraintsuite.mechanism.effects.records import (
    ALL,
    BoolArray,
    EffectMethod,
    FloatArray,
    PatchDirection,
    PatchEffects,
)
from constraintsuite.mechanism.nulls import ROUNDING, without_rounding
from constraintsuite.metrics.intervals import IntArray, clipped, connected_components, symmetric
from constraintsuite.metrics.resampling import DRAWS, estimate, estimate_statistic, per_draw
from constraintsuite.metrics.significance import MaxT, max_t
from constraintsuite.records.scores import Interval

_EITHER: tuple[EffectMethod, ...] = ("exact", "attribution")


class SiteEffects(NamedTuple):
    """Effects of whole sites, without gaps."""

    contrasts: tuple[MarkedContrast, ...]
    sites: tuple[str, ...]
    values: FloatArray
    """Change of the margin: (contrasts, sites)."""
    clean: FloatArray
    """Margins of the two runs as they are: (contrasts,)."""
    corrupt: FloatArray
    direction: PatchDirection
    method: EffectMethod

    @property
    def clusters(self) -> IntArray:
        """The number of the independent group that each contrast is in."""
        return cluster_numbers(self.contrasts)

    @property
    def floor(self) -> float:
        """What is smaller is rounding."""
        return rounding_of(self.clean, self.corrupt)

    def half(self, name: str) -> BoolArray:
        """Which contrasts are of a half."""
        return np.array([contrast.half == name for contrast in self.contrasts])


def cluster_numbers(contrasts: Sequence[MarkedContrast]) -> IntArray:
    """The number of the independent group that each contrast is in."""
    return connected_components([contrast.clusters for contrast in contrasts])


def rounding_of(*margins: FloatArray) -> float:
    """How large an effect can be that is only fp32's rounding of such margins."""
    return ROUNDING * max((float(np.abs(some).max()) for some in margins if len(some)), default=0.0)


def site_effects(
    effects: PatchEffects,
    contrasts: Sequence[MarkedContrast],
    sites: Sequence[str],
    direction: PatchDirection,
    method: EffectMethod | None = None,
) -> SiteEffects:
    """The effects of all these sites on the contrasts, exact ones if they are whole, or else estimated ones.

    Contrasts that lack a site are left out; a direction of which some site has no effects at all is a UserError.
    """
    mine = effects.where((effects.direction == direction) & (effects.role == ALL))
    gaps = []
    for each in (method,) if method else _EITHER:
        rows = mine.where(mine.method == each)
        missing = sorted(set(sites) - set(rows.site.tolist()))
        if not missing:
            return _table(rows, contrasts, sites, direction, each)
        gaps.append(f"{each}: {len(missing)} of {len(sites)} sites, as {missing[0]}")
    raise UserError(
        f"A circuit needs the {direction} effects of every head and MLP at all positions. Missing are, of "
        f"{'; of '.join(gaps)}. Make them with `csuite explain attribute` or `csuite explain patch --sites heads,mlp`."
    )


def rank_sites(effects: SiteEffects, rng: np.random.Generator) -> SiteRanking:
    """The sites, the largest mean effect of either sign first; equal ones by name."""
    halves = [effects.half(name) for name in HALVES]
    clusters = effects.clusters
    tests = [max_t(without_rounding(effects.values[half], effects.floor), clusters[half], rng=rng) for half in halves]
    means = [_means(effects.values[half], clusters[half], rng) for half in halves]
    strength = np.abs(effects.values[halves[0]].mean(axis=0)) if halves[0].any() else np.zeros(len(effects.sites))
    order = sorted(range(len(effects.sites)), key=lambda i: (-strength[i], i))
    return SiteRanking(
        effects.direction,
        effects.method,
        tuple(_ranked(effects.sites[i], i, means, tests) for i in order),
        _reliability(effects, halves, rng),
        (len(np.unique(clusters[halves[0]])), len(np.unique(clusters[halves[1]]))),
    )


def _table(
    rows: PatchEffects,
    contrasts: Sequence[MarkedContrast],
    sites: Sequence[str],
    direction: PatchDirection,
    method: EffectMethod,
) -> SiteEffects:
    row = {contrast.id: i for i, contrast in enumerate(contrasts)}
    column = {site: i for i, site in enumerate(sites)}
    rows = rows.where(
        np.array([a in row and b in column for a, b in zip(rows.contrast, rows.site, strict=True)], dtype=bool)
    )
    values, base, donor = np.full((len(contrasts), len(sites)), np.nan), *np.full((2, len(contrasts)), np.nan)
    places = [row[name] for name in rows.contrast]
    values[places, [column[name] for name in rows.site]] = rows.effect
    base[places], donor[places] = rows.margin_base, rows.margin_donor
    whole = ~np.isnan(values).any(axis=1)
    kept = tuple(contrast for contrast, fine in zip(contrasts, whole.tolist(), strict=True) if fine)
    clean, corrupt = (base, donor) if direction == "noising" else (donor, base)
    return SiteEffects(kept, tuple(sites), values[whole], clean[whole], corrupt[whole], direction, method)


def _means(values: FloatArray, clusters: IntArray, rng: np.random.Generator) -> list[Interval]:
    return estimate(values, [False] * values.shape[1], clusters, rng=rng)


def _ranked(site: str, i: int, means: Sequence[Sequence[Interval]], tests: Sequence[MaxT]) -> RankedSite:
    (found, checked), (one, other) = means, tests
    return RankedSite(
        site, found[i], float(one.t[i]), float(one.p[i]), checked[i], float(other.t[i]), float(other.p[i])
    )


def _reliability(effects: SiteEffects, halves: Sequence[BoolArray], rng: np.random.Generator) -> Interval:
    """Spearman's correlation between the effects of the sites in one half and in the other."""
    columns = np.concatenate([np.where(half[:, None], effects.values, 0.0) for half in halves], axis=1)
    found = estimate_statistic(columns, per_draw(spearman, 2), effects.clusters, rng=rng, draws=DRAWS // 4)
    return replace(clipped(symmetric(found), -1.0, 1.0), n=len(effects.sites))
