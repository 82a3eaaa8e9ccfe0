"""What effects say together, site by site: raw change, recovered fraction, flips, and the change of an unrelated score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import IntArray, connected_components
from constraintsuite.core.statistics.resampling import estimate, ratios_of_means
from constraintsuite.mechanism.contrasts.records import (
    CONTROL_KINDS,
    ROLES,
    SIDES,
    ContrastSide,
    ControlKind,
    MarkedContrast,
)
from constraintsuite.mechanism.effects.records import (
    ALL,
    BoolArray,
    EffectMethod,
    FloatArray,
    PatchDirection,
    PatchEffects,
)
from constraintsuite.mechanism.sites import Site, parse_site

EVERY, CORRECT, FAILED = "all", "correct", "failed"
_CARRYING = ("embeddings", "residual")


@dataclass(frozen=True)
class SiteSummary:
    """Figures of one site over the contrasts of a group."""

    items: str
    """`all` main contrasts, those that the model gets right (`correct`: its clean margin is above 0) or not (`failed`), or the
    kind of a control. Where there are contrasts of both sides, each side has its own: `query`, `query correct`, ..."""
    direction: PatchDirection
    method: EffectMethod
    site: str
    role: str
    effect: Interval
    """Mean change of the margin."""
    recovered: Interval
    """mean(patched - base) / mean(donor - base); of an ablation, the share of the margin that is lost."""
    flips: Interval
    """Share of contrasts whose margin gets the sign of the donor's, among those where the two signs differ; of an ablation,
    those whose margin was above 0 and no longer is."""
    aside: Interval
    """Mean change of the score of an unrelated pair."""


@dataclass(frozen=True)
class Baseline:
    """How the model does without any patch."""

    items: str
    clean_margin: Interval
    corrupt_margin: Interval
    difference: Interval
    """Clean minus corrupt margin, contrast by contrast."""
    correct: Interval
    """Share whose clean margin is above 0."""


@dataclass(frozen=True)
class EffectSummary:
    """All figures of an explain folder; intervals are 95 % and resample whole clusters of contrasts."""

    baselines: tuple[Baseline, ...]
    sites: tuple[SiteSummary, ...]


@dataclass(frozen=True, eq=False)
class EffectMatrices:
    """Effects of one direction and method, contrasts by patches; NaN where there is no row."""

    direction: PatchDirection
    method: EffectMethod
    patches: tuple[tuple[str, str], ...]
    """Site and role, from the lowest layer upwards."""
    contrasts: tuple[str, ...]
    base: FloatArray
    """The margin of the run that is patched, before: (contrasts, 1)."""
    donor: FloatArray
    """The margin of the run that the values come from: (contrasts, 1); NaN for ablations."""
    patched: FloatArray
    """The margin afterwards: (contrasts, patches), as all that follow."""
    aside: FloatArray
    """The change of the score of an unrelated pair."""

    @property
    def ablated(self) -> bool:
        """Whether sites were ablated: then there is no donor, and the margin can only be lost."""
        return self.method.startswith("ablation")

    @property
    def change(self) -> FloatArray:
        """By how much each patch changed the margin."""
        return self.patched - self.base

    @property
    def wanted(self) -> FloatArray:
        """By how much a patch of everything would have changed it."""
        return np.where(np.isnan(self.patched), np.nan, self._aim - self.base)

    @property
    def flips(self) -> FloatArray:
        """1 where the margin got the sign of a patch of everything, 0 where not, NaN where the signs were equal before."""
        is_open = (self.base > 0) if self.ablated else (self.base > 0) != (self._aim > 0)
        flipped = ((self.patched > 0) != (self.base > 0)).astype(np.float64)
        return np.where(np.isnan(self.patched) | ~is_open, np.nan, flipped)

    @property
    def _aim(self) -> FloatArray:
        """The margin that a patch of everything would give: (contrasts, 1)."""
        return np.zeros_like(self.base) if self.ablated else self.donor


@dataclass(frozen=True)
class ContrastEffects:
    """Effects by direction and method, with the contrasts that they were measured on."""

    contrasts: Mapping[str, MarkedContrast]
    matrices: tuple[EffectMatrices, ...]
    margins: Mapping[str, tuple[float, float]]
    """The clean and the corrupt margin of each contrast; NaN where it was not measured."""

    def groups(self, names: Sequence[str]) -> dict[str, BoolArray]:
        """Which of these contrasts are in which group; the names of groups depend on all contrasts."""
        right = np.array([self.margins[name][0] > 0 for name in names], dtype=bool)
        groups: dict[str, BoolArray] = {}
        for kind in CONTROL_KINDS:
            sides = _sides(kind, self.contrasts.values())
            for side in sides:
                items = " ".join(filter(None, (side if len(sides) > 1 else "", kind))) or EVERY
                mine = np.array([self._kind(name) == (kind, side) for name in names], dtype=bool)
                groups[items] = mine
                if not kind:
                    groups |= {name_part(items, CORRECT): mine & right, name_part(items, FAILED): mine & ~right}
        return {items: keep for items, keep in groups.items() if keep.any()}

    def clusters(self, names: Sequence[str]) -> IntArray:
        """The number of the cluster of each of these contrasts; contrasts of one cluster share documents."""
        return connected_components([self.contrasts[name].clusters for name in names])

    def _kind(self, name: str) -> tuple[ControlKind, ContrastSide]:
        return self.contrasts[name].control, self.contrasts[name].side


def studied_items(contrasts: Iterable[MarkedContrast]) -> tuple[str, ...]:
    """The groups of all main contrasts: `all` if they are of one side, else one group per side."""
    sides = _sides("", contrasts)
    return sides if len(sides) > 1 else (EVERY,)


def name_part(items: str, part: str) -> str:
    """The name of the part of such a group that the model gets right (CORRECT), or not (FAILED)."""
    return part if items == EVERY else f"{items} {part}"


def collect_effects(effects: PatchEffects, contrasts: Sequence[MarkedContrast]) -> ContrastEffects:
    """Arrange rows of effects by direction and method; the order of the rows does not matter."""
    kinds = sorted(set(zip(effects.direction.tolist(), effects.method.tolist(), strict=True)))
    matrices = []
    for direction, method in kinds:
        mine = effects.where((effects.direction == direction) & (effects.method == method))
        there = set(mine.contrast.tolist())
        names = tuple(one.id for one in contrasts if one.id in there)
        sites = list(zip(mine.site.tolist(), mine.role.tolist(), strict=True))
        patches = tuple(sorted(set(sites), key=_from_below))
        row, column = _places(mine.contrast.tolist(), names), _places(sites, patches)
        base, donor = np.full((2, len(names), 1), np.nan)
        base[row, 0], donor[row, 0] = mine.margin_base, mine.margin_donor
        patched, aside = np.full((2, len(names), len(patches)), np.nan)
        patched[row, column] = mine.margin_patched
        aside[row, column] = mine.aside_patched - mine.aside_base
        matrices.append(EffectMatrices(direction, method, patches, names, base, donor, patched, aside))
    margins: dict[str, tuple[float, float]] = {}
    for each in matrices:
        runs = (each.base, each.donor) if each.direction == "noising" else (each.donor, each.base)
        clean, corrupt = (run[:, 0].tolist() for run in runs)
        margins = dict(zip(each.contrasts, zip(clean, corrupt, strict=True), strict=True)) | margins
    return ContrastEffects({one.id: one for one in contrasts}, tuple(matrices), margins)


def summarise_effects(effects: PatchEffects, contrasts: Sequence[MarkedContrast], seed: int) -> EffectSummary:
    """Figures of each site, role, direction and method over groups of contrasts that are never merged."""
    found = collect_effects(effects, contrasts)
    sites = [
        one
        for each in found.matrices
        for items, keep in found.groups(each.contrasts).items()
        for one in _summarise(each, items, keep, found.clusters(each.contrasts)[keep], seed)
    ]
    return EffectSummary(tuple(_baselines(found, seed)), tuple(sites))


def components(summaries: Iterable[SiteSummary]) -> list[SiteSummary]:
    """Figures of heads, attention and MLPs, or all if there are no others.

    A residual carries everything below it, and would come before all of them.
    """
    found = list(summaries)
    return [one for one in found if parse_site(one.site).kind not in _CARRYING] or found


def _summarise(
    matrices: EffectMatrices, items: str, keep: BoolArray, clusters: IntArray, seed: int
) -> list[SiteSummary]:
    change, count = matrices.change[keep], len(matrices.patches)
    figures = np.concatenate([change, matrices.aside[keep], matrices.flips[keep]], axis=1)
    are_shares = [*[False] * (2 * count), *[True] * count]
    means = estimate(figures, are_shares, clusters, rng=np.random.default_rng(seed))
    ratios = ratios_of_means(change, matrices.wanted[keep], clusters, rng=np.random.default_rng(seed))
    kind = (items, matrices.direction, matrices.method)
    return [
        SiteSummary(*kind, *patch, effect=effect, recovered=recovered, flips=flips, aside=aside)
        for patch, effect, aside, flips, recovered in zip(
            matrices.patches, means[:count], means[count : 2 * count], means[2 * count :], ratios, strict=True
        )
    ]


def _baselines(effects: ContrastEffects, seed: int) -> Iterable[Baseline]:
    names = [name for name in effects.contrasts if name in effects.margins]
    values = np.array([effects.margins[name] for name in names])
    right = np.where(np.isnan(values[:, 0]), np.nan, (values[:, 0] > 0).astype(np.float64))
    clusters = effects.clusters(names)
    for items, keep in effects.groups(names).items():
        figures = np.column_stack([values[keep], values[keep, 0] - values[keep, 1], right[keep]])
        rng = np.random.default_rng(seed)
        yield Baseline(items, *estimate(figures, [False, False, False, True], clusters[keep], rng=rng))


def _sides(kind: ControlKind, contrasts: Iterable[MarkedContrast]) -> tuple[ContrastSide, ...]:
    there = {one.side for one in contrasts if one.control == kind}
    return tuple(side for side in SIDES if side in there)


def _from_below(patch: tuple[str, str]) -> tuple[Site, int, int, str]:
    """The order of patches: by site from below; at each site all positions, then roles in their order, then single positions."""
    site, role = patch
    known = (ALL, *ROLES)
    return parse_site(site), known.index(role) if role in known else len(known), len(role), role


def _places(values: Sequence[object], order: Sequence[object]) -> IntArray:
    place = {value: i for i, value in enumerate(order)}
    return np.array([place[value] for value in values], dtype=np.int64)
