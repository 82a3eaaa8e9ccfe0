"""Effects as matrices of contrasts by patches: what figures over contrasts, and outcomes of single contrasts, are made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.core.statistics.intervals import IntArray
from constraintsuite.mechanism.contrasts.records import ROLES
from constraintsuite.mechanism.effects.records import ALL, EffectMethod, FloatArray, PatchDirection, PatchEffects
from constraintsuite.mechanism.sites import Site, parse_site


@dataclass(frozen=True, eq=False)
class EffectMatrices:
    """Effects of one direction and method; NaN where there is no row."""

    direction: PatchDirection
    method: EffectMethod
    patches: tuple[tuple[str, str], ...]
    """Site and role, as they lie in the model."""
    contrasts: tuple[str, ...]
    base: FloatArray
    """The margin of the run that is patched, before: (contrasts, 1)."""
    donor: FloatArray
    """The margin of the run that the values come from; NaN for ablations."""
    patched: FloatArray
    """The margin after: (contrasts, patches), as all that follow."""
    aside: FloatArray
    """The change of the score of a pair about something else."""

    @property
    def ablated(self) -> bool:
        """Whether sites were taken away: then nothing is given, and the margin can only be lost."""
        return self.method.startswith("ablation")

    @property
    def aim(self) -> FloatArray:
        """The margin that a patch of everything would give: (contrasts, 1)."""
        return np.zeros_like(self.base) if self.ablated else self.donor

    @property
    def change(self) -> FloatArray:
        """By how much each patch changed the margin."""
        return self.patched - self.base

    @property
    def wanted(self) -> FloatArray:
        """By how much a patch of everything would have changed it."""
        return np.where(np.isnan(self.patched), np.nan, self.aim - self.base)

    @property
    def flips(self) -> FloatArray:
        """1 where the sign of the margin became the aim's, 0 where not, NaN where there was nothing to flip."""
        is_open = (self.base > 0) if self.ablated else (self.base > 0) != (self.aim > 0)
        flipped = ((self.patched > 0) != (self.base > 0)).astype(np.float64)
        return np.where(np.isnan(self.patched) | ~is_open, np.nan, flipped)


def make_matrices(effects: PatchEffects, order: Sequence[str]) -> list[EffectMatrices]:
    """The effects of each direction and method; `order` is that of contrasts, whatever the order of rows."""
    kinds = sorted(set(zip(effects.direction.tolist(), effects.method.tolist(), strict=True)))
    found = []
    for direction, method in kinds:
        mine = effects.where((effects.direction == direction) & (effects.method == method))
        there = set(mine.contrast.tolist())
        names = tuple(name for name in order if name in there)
        patches = tuple(sorted(set(zip(mine.site.tolist(), mine.role.tolist(), strict=True)), key=_from_below))
        row = _places(mine.contrast.tolist(), names)
        column = _places(list(zip(mine.site.tolist(), mine.role.tolist(), strict=True)), patches)
        base, donor = np.full((2, len(names), 1), np.nan)
        base[row, 0], donor[row, 0] = mine.margin_base, mine.margin_donor
        patched, aside = np.full((2, len(names), len(patches)), np.nan)
        patched[row, column] = mine.margin_patched
        aside[row, column] = mine.aside_patched - mine.aside_base
        found.append(EffectMatrices(direction, method, patches, names, base, donor, patched, aside))
    return found


def clean_margins(matrices: Sequence[EffectMatrices]) -> dict[str, tuple[float, float]]:
    """The clean and the corrupt margin of each contrast, NaN where it was not seen."""
    found: dict[str, tuple[float, float]] = {}
    for each in matrices:
        noising = each.direction == "noising"
        clean, corrupt = (each.base, each.donor) if noising else (each.donor, each.base)
        for name, *margins in zip(each.contrasts, clean[:, 0].tolist(), corrupt[:, 0].tolist(), strict=True):
            found.setdefault(name, (margins[0], margins[1]))
    return found


def _from_below(patch: tuple[str, str]) -> tuple[Site, int, int, str]:
    """Sites as they lie in the model, and at each all positions, then roles as they follow in a row, then single positions."""
    site, role = patch
    known = (ALL, *ROLES)
    return parse_site(site), known.index(role) if role in known else len(known), len(role), role


def _places(values: Sequence[object], order: Sequence[object]) -> IntArray:
    place = {value: i for i, value in enumerate(order)}
    return np.array([place[value] for value in values], dtype=np.int64)
