"""What a patch did to a margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Names = npt.NDArray[np.object_]
"""Strings."""

PatchDirection = Literal["denoising", "noising"]
"""Clean values put into the corrupt run (are they sufficient?), or corrupt ones into the clean run (are they necessary?)."""
DIRECTIONS: tuple[PatchDirection, ...] = get_args(PatchDirection)
AblationKind = Literal["resample", "mean", "zero"]
ABLATIONS: tuple[AblationKind, ...] = get_args(AblationKind)
EffectMethod = Literal["exact", "attribution", "ablation-resample", "ablation-mean", "ablation-zero"]
ALL = "all"
"""The role of a patch of all positions."""


@dataclass(frozen=True)
class Grid:
    """Effects of the same patches on the same contrasts; NaN where a contrast has nothing that the patch could change."""

    contrasts: tuple[str, ...]
    patches: tuple[tuple[str, str], ...]
    """Site and role."""
    direction: PatchDirection
    method: EffectMethod
    margin_base: FloatArray
    """Of the run that is patched, before: (contrasts,)."""
    margin_donor: FloatArray
    """Of the run that the values come from; NaN for ablations."""
    margin_patched: FloatArray
    """(patches, contrasts)."""
    aside_base: FloatArray
    aside_patched: FloatArray


@dataclass(frozen=True, eq=False)
class PatchEffects:
    """Rows of effects as columns of equal length."""

    contrast: Names
    site: Names
    role: Names
    direction: Names
    method: Names
    margin_base: FloatArray
    margin_donor: FloatArray
    margin_patched: FloatArray
    aside_base: FloatArray
    """NaN, as the next, where there is no pair aside."""
    aside_patched: FloatArray

    def __len__(self) -> int:
        return len(self.contrast)

    @property
    def effect(self) -> FloatArray:
        """By how much the margin changed."""
        return self.margin_patched - self.margin_base

    def where(self, keep: BoolArray) -> PatchEffects:
        """Some of the rows."""
        return PatchEffects(*(getattr(self, field.name)[keep] for field in fields(self)))

    @classmethod
    def joined(cls, parts: Sequence[PatchEffects]) -> PatchEffects:
        """All rows of several, in order."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


def rows_of(grid: Grid) -> PatchEffects:
    """The rows of a grid, patch by patch; those that could change nothing are left out."""
    patches, contrasts = grid.margin_patched.shape
    keep = ~np.isnan(grid.margin_patched).ravel()
    count = int(keep.sum())

    def by_patch(names: Sequence[str]) -> Names:
        return np.repeat(np.array(names, dtype=object), contrasts)[keep]

    def by_contrast(values: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
        return np.tile(values, patches)[keep]

    return PatchEffects(
        by_contrast(np.array(grid.contrasts, dtype=object)).astype(object),
        by_patch([site for site, _ in grid.patches]),
        by_patch([role for _, role in grid.patches]),
        np.full(count, grid.direction, dtype=object),
        np.full(count, grid.method, dtype=object),
        by_contrast(grid.margin_base).astype(np.float64),
        by_contrast(grid.margin_donor).astype(np.float64),
        grid.margin_patched.ravel()[keep],
        by_contrast(grid.aside_base).astype(np.float64),
        grid.aside_patched.ravel()[keep],
    )
