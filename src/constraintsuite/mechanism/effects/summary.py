"""What effects say together, site by site: raw change, recovered fraction, flips, and what plain relevance suffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.mechanism.contrasts.records import ROLES, MarkedContrast
from constraintsuite.mechanism.effects.groups import groups_of
from constraintsuite.mechanism.effects.records import (
    ALL,
    BoolArray,
    EffectMethod,
    FloatArray,
    PatchDirection,
    PatchEffects,
)
from constraintsuite.mechanism.sites import Site, parse_site
from constraintsuite.metrics.intervals import IntArray, connected_components
from constraintsuite.metrics.resampling import estimate, ratios_of_means
from constraintsuite.records.scores import Interval


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


@dataclass(frozen=True)
class _Table:
    """Effects of one direction and method as matrices of (contrasts, patches); NaN where there is no row."""

    direction: PatchDirection
    method: EffectMethod
    patches: tuple[tuple[str, str], ...]
    contrasts: tuple[str, ...]
    base: FloatArray  # (contrasts,)
    donor: FloatArray
    patched: FloatArray  # (contrasts, patches)
    aside: FloatArray


def summarise_effects(effects: PatchEffects, contrasts: Sequence[MarkedContrast], seed: int) -> EffectSummary:
    """Figures of each site, role, direction and method over groups of contrasts that are never merged.

    In which order the rows come does not matter: it depends on how many contrasts were done at a time.
    """
    known = {contrast.id: contrast for contrast in contrasts}
    tables = list(_tables(effects, list(known)))
    clean = _clean_margins(tables)
    sites: list[SiteSummary] = []
    for table in tables:
        for items, keep in _groups(table.contrasts, known, clean).items():
            sites += _summarise(table, items, keep, _clusters(table.contrasts, known), seed)
    return EffectSummary(_baselines(tables, known, clean, seed), tuple(sites))


def _tables(effects: PatchEffects, order: Sequence[str]) -> Iterator[_Table]:
    kinds = sorted(set(zip(effects.direction.tolist(), effects.method.tolist(), strict=True)))
    for direction, method in kinds:
        mine = effects.where((effects.direction == direction) & (effects.method == method))
        there = set(mine.contrast.tolist())
        names = tuple(name for name in order if name in there)
        patches = tuple(sorted(set(zip(mine.site.tolist(), mine.role.tolist(), strict=True)), key=_from_below))
        row = _places(mine.contrast.tolist(), names)
        column = _places(list(zip(mine.site.tolist(), mine.role.tolist(), strict=True)), patches)
        base, donor = np.full(len(names), np.nan), np.full(len(names), np.nan)
        base[row], donor[row] = mine.margin_base, mine.margin_donor
        patched, aside = np.full((2, len(names), len(patches)), np.nan)
        patched[row, column] = mine.margin_patched
        aside[row, column] = mine.aside_patched - mine.aside_base
        yield _Table(direction, method, patches, names, base, donor, patched, aside)


def _from_below(patch: tuple[str, str]) -> tuple[Site, int, int, str]:
    """Sites as they lie in the model, and at each all positions, then roles as they follow in a row, then single positions."""
    site, role = patch
    known = (ALL, *ROLES)
    return parse_site(site), known.index(role) if role in known else len(known), len(role), role


def _places(values: Sequence[object], order: Sequence[object]) -> IntArray:
    place = {value: i for i, value in enumerate(order)}
    return np.array([place[value] for value in values], dtype=np.int64)


def _clean_margins(tables: Sequence[_Table]) -> dict[str, tuple[float, float]]:
    """Clean and corrupt margin of each contrast, NaN where it was not seen."""
    found: dict[str, tuple[float, float]] = {}
    for table in tables:
        noising = table.direction == "noising"
        clean, corrupt = (table.base, table.donor) if noising else (table.donor, table.base)
        for name, *margins in zip(table.contrasts, clean.tolist(), corrupt.tolist(), strict=True):
            found.setdefault(name, (margins[0], margins[1]))
    return found


def _groups(
    names: Sequence[str], known: Mapping[str, MarkedContrast], margins: Mapping[str, tuple[float, float]]
) -> dict[str, BoolArray]:
    right = np.array([margins[name][0] > 0 for name in names], dtype=bool)
    return groups_of([known[name] for name in names], right, known.values())


def _clusters(names: Sequence[str], known: Mapping[str, MarkedContrast]) -> IntArray:
    return connected_components([known[name].clusters for name in names])


def _summarise(table: _Table, items: str, keep: BoolArray, clusters: IntArray, seed: int) -> list[SiteSummary]:
    ablated = table.method.startswith("ablation")
    base, patched, clusters = table.base[keep][:, np.newaxis], table.patched[keep], clusters[keep]
    aim = np.zeros_like(base) if ablated else table.donor[keep][:, np.newaxis]
    change, wanted = patched - base, np.where(np.isnan(patched), np.nan, aim - base)
    aside, count = table.aside[keep], len(table.patches)
    figures = np.concatenate([change, aside, _flips(base, aim, patched, ablated=ablated)], axis=1)
    kinds = [*[False] * (2 * count), *[True] * count]
    means = estimate(figures, kinds, clusters, rng=np.random.default_rng(seed))
    ratios = ratios_of_means(change, wanted, clusters, rng=np.random.default_rng(seed))
    return [
        SiteSummary(
            items,
            table.direction,
            table.method,
            site,
            role,
            effect=means[i],
            recovered=ratios[i],
            flips=means[2 * count + i],
            aside=means[count + i],
        )
        for i, (site, role) in enumerate(table.patches)
    ]


def _flips(base: FloatArray, aim: FloatArray, patched: FloatArray, *, ablated: bool) -> FloatArray:
    """1 where the sign became the aim's, 0 where not, NaN where there was nothing to flip."""
    open_ = (base > 0) if ablated else (base > 0) != (aim > 0)
    flipped = ((patched > 0) != (base > 0)).astype(np.float64)
    return np.where(np.isnan(patched) | ~open_, np.nan, flipped)


def _baselines(
    tables: Sequence[_Table],
    known: Mapping[str, MarkedContrast],
    margins: Mapping[str, tuple[float, float]],
    seed: int,
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
