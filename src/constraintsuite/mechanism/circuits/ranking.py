"""Rank sites by their effects on one half of the contrasts, and compare with the other half and with untrained models."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and records are read without it

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import IntArray, clipped, connected_components, symmetric
from constraintsuite.core.statistics.resampling import DRAWS, estimate, estimate_statistic, per_draw
from constraintsuite.core.statistics.significance import MaxT, cluster_t, max_t
from constraintsuite.mechanism.attribution import attribute_contrasts
from constraintsuite.mechanism.circuits.records import RandomModels, RankedSite, SiteRanking
from constraintsuite.mechanism.circuits.runner import CircuitRunner, group_by_length, load_or_compute
from constraintsuite.mechanism.contrasts.records import HALVES, MarkedContrast
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, without_unrelated_pairs
from constraintsuite.mechanism.effects.agreement import spearman
from constraintsuite.mechanism.effects.records import (
    ALL,
    BoolArray,
    EffectMethod,
    FloatArray,
    Grid,
    PatchDirection,
    PatchEffects,
)
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.patching.capacity import Budget
from constraintsuite.mechanism.patching.exact import patch_contrasts
from constraintsuite.mechanism.patching.patches import SitePatch
from constraintsuite.mechanism.sites import Site, parse_site

ROUNDING = 1e-5
"""Effects below this share of the largest margin are rounding errors of fp32."""


def without_rounding(effects: FloatArray, floor: float) -> FloatArray:
    """The effects, with 0 for effects of at most `floor`."""
    return np.where(np.abs(effects) <= floor, 0.0, effects)


def untrained_model(model: LoadedModel, seed: int) -> LoadedModel:
    """A model of the same shape and tokenizer with random weights."""
    import torch

    trained = model.module
    devices = [trained.device] if trained.device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        drawn = type(trained)(copy.deepcopy(trained.config))
    drawn = drawn.to(device=trained.device, dtype=trained.dtype).eval().requires_grad_(False)
    classifier = replace(model.classifier, model=drawn)
    name = f"{model.name}, random weights {seed}"
    return replace(model, name=name, classifier=classifier, fingerprint=f"{model.fingerprint}/random-{seed}")


_METHODS: tuple[EffectMethod, ...] = ("exact", "attribution")


class SiteEffects(NamedTuple):
    """Effects of sites at all positions, complete for every contrast."""

    contrasts: tuple[MarkedContrast, ...]
    sites: tuple[str, ...]
    values: FloatArray
    """Changes of the margin: (contrasts, sites)."""
    clean: FloatArray
    """Margins of the clean and the corrupt run without patches: (contrasts,)."""
    corrupt: FloatArray
    direction: PatchDirection
    method: EffectMethod

    @property
    def clusters(self) -> IntArray:
        """The number of the cluster of each contrast."""
        return cluster_numbers(self.contrasts)

    @property
    def floor(self) -> float:
        """The size up to which an effect may be a rounding error."""
        return _rounding_of(self.clean, self.corrupt)

    def half(self, name: str) -> BoolArray:
        """A mask of the contrasts of a half."""
        return np.array([contrast.half == name for contrast in self.contrasts])


def cluster_numbers(contrasts: Sequence[MarkedContrast]) -> IntArray:
    """The number of the cluster of each contrast."""
    return connected_components([contrast.clusters for contrast in contrasts])


def _rounding_of(*margins: FloatArray) -> float:
    """The largest rounding error that such margins can have in fp32."""
    return ROUNDING * max((float(np.abs(some).max()) for some in margins if len(some)), default=0.0)


def site_effects(
    effects: PatchEffects,
    contrasts: Sequence[MarkedContrast],
    sites: Sequence[str],
    direction: PatchDirection,
    method: EffectMethod | None = None,
) -> SiteEffects:
    """The effects of these sites on the contrasts: exact ones if every site has them, or else estimates.

    Contrasts without an effect of some site are left out. Raises UserError if a site has no effects at all.
    """
    mine = effects.where((effects.direction == direction) & (effects.role == ALL))
    gaps = []
    for each in (method,) if method else _METHODS:
        rows = mine.where(mine.method == each)
        missing = sorted(set(sites) - set(rows.site.tolist()))
        if not missing:
            return _table(rows, contrasts, sites, direction, each)
        gaps.append(f"no {each} effects for {len(missing)} of {len(sites)} sites (first: {missing[0]})")
    raise UserError(
        f"A circuit needs the {direction} effects of every head and MLP at all positions. The folder has "
        f"{'; '.join(gaps)}. Make them with `csuite explain attribute` or `csuite explain patch --sites heads,mlp`."
    )


def rank_sites(effects: SiteEffects, rng: np.random.Generator) -> SiteRanking:
    """Rank the sites by the size of their mean effect on the half `find`."""
    halves = [effects.half(name) for name in HALVES]
    clusters = effects.clusters
    tests = [max_t(without_rounding(effects.values[half], effects.floor), clusters[half], rng=rng) for half in halves]
    every = [False] * len(effects.sites)
    found, checked = (estimate(effects.values[half], every, clusters[half], rng=rng) for half in halves)
    strength = np.abs(effects.values[halves[0]].mean(axis=0)) if halves[0].any() else np.zeros(len(effects.sites))
    order = sorted(range(len(effects.sites)), key=lambda i: (-strength[i], i))
    return SiteRanking(
        effects.direction,
        effects.method,
        tuple(
            RankedSite(effects.sites[i], found[i], *_t_and_p(tests[0], i), checked[i], *_t_and_p(tests[1], i))
            for i in order
        ),
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


def _t_and_p(test: MaxT, i: int) -> tuple[float, float]:
    return float(test.t[i]), float(test.p[i])


def _reliability(effects: SiteEffects, halves: Sequence[BoolArray], rng: np.random.Generator) -> Interval:
    """Spearman's correlation of the effects of the sites on the two halves."""
    columns = np.concatenate([np.where(half[:, None], effects.values, 0.0) for half in halves], axis=1)
    found = estimate_statistic(columns, per_draw(spearman, 2), effects.clusters, rng=rng, draws=DRAWS // 4)
    return replace(clipped(symmetric(found), -1.0, 1.0), n=len(effects.sites))


def effects_of(
    model: LoadedModel,
    contrasts: Sequence[TokenContrast],
    sites: Sequence[Site],
    direction: PatchDirection,
    method: EffectMethod,
    budget: Budget,
    advance: Callable[[int], None] = lambda _: None,
) -> SiteEffects:
    """Compute the effects of sites at all positions on contrasts."""
    run: Callable[..., list[Grid]] = attribute_contrasts if method == "attribution" else patch_contrasts
    values, margins = np.empty((len(contrasts), len(sites))), np.empty((2, len(contrasts)))
    asked = without_unrelated_pairs(contrasts)
    for places in group_by_length(contrasts):
        (grid,) = run(model, [asked[i] for i in places], [SitePatch((site,)) for site in sites], [direction], budget)
        # A site that cannot reach a contrast does not change it.
        values[places] = np.nan_to_num((grid.margin_patched - grid.margin_base).T)
        margins[:, places] = grid.margin_base, grid.margin_donor
        advance(len(places))
    base, donor = margins
    clean, corrupt = (base, donor) if direction == "noising" else (donor, base)
    return SiteEffects(
        tuple(one.contrast for one in contrasts), tuple(map(str, sites)), values, clean, corrupt, direction, method
    )


def compare_untrained(
    runner: CircuitRunner, contrasts: Sequence[TokenContrast], studied: SiteEffects, models: int, seed: int
) -> RandomModels:
    """Compare the t values of the model with those of `models` untrained ones on the same contrasts.

    Effects in an untrained model are not 0 on average, since its contrasts share words. So a test by exchanged signs is not
    enough: the t values of the trained model must also exceed those of untrained ones. If training had no effect, all models
    would be exchangeable, and p is exact however similar the contrasts are.
    """
    clusters = cluster_numbers([one.contrast for one in contrasts])
    place = {contrast.id: i for i, contrast in enumerate(studied.contrasts)}
    mine = [place[one.contrast.id] for one in contrasts]
    sites = [parse_site(name) for name in studied.sites]

    def strength(number: int) -> FloatArray:
        untrained = untrained_model(runner.model, number)
        found = effects_of(
            untrained, contrasts, sites, studied.direction, studied.method, runner.budget, runner.progress.count
        )
        return _strength(found.values, found.clean, found.corrupt, clusters)

    def file(number: int) -> Path | None:
        return None if runner.folder is None else runner.folder / f"untrained-{number}.npy"

    own = _strength(studied.values[mine], studied.clean[mine], studied.corrupt[mine], clusters)
    others = np.stack([load_or_compute(file(n), partial(strength, n)) for n in range(seed, seed + models)])
    p = (1 + (others >= own).sum(axis=0)) / (1 + models)
    drawn = (tuple(column.tolist()) for column in others.T)
    return RandomModels(models, len(contrasts), studied.method, *own.tolist(), *p.tolist(), *drawn)


def _strength(values: FloatArray, clean: FloatArray, corrupt: FloatArray, clusters: IntArray) -> FloatArray:
    """Two t values: of clean minus corrupt margins, and of the strongest site; `values` are effects (contrasts, sites)."""
    floor = _rounding_of(clean, corrupt)
    behaviour = cluster_t(without_rounding((clean - corrupt)[:, None], floor), clusters)
    sites = cluster_t(without_rounding(values, floor), clusters)
    return np.array([float(behaviour[0]), float(np.abs(sites).max())])
