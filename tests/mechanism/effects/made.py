"""Effects made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from constraintsuite.mechanism.contrasts.records import ControlKind, MarkedContrast
from constraintsuite.mechanism.effects.records import EffectMethod, Grid, PatchDirection, PatchEffects, grid_rows
from mechanism.planted import planted_contrasts


def grid(
    patched: Sequence[Sequence[float]],
    *,
    base: Sequence[float],
    donor: Sequence[float],
    patches: Sequence[tuple[str, str]] = (("L0.H0", "all"), ("L1.mlp", "q_cue")),
    direction: PatchDirection = "noising",
    method: EffectMethod = "exact",
) -> Grid:
    """Contrasts c0, c1, …, without pairs aside."""
    none = np.full(len(base), np.nan)
    return Grid(
        tuple(f"c{i}" for i in range(len(base))),
        tuple(patches)[: len(patched)],
        direction,
        method,
        np.array(base, dtype=float),
        np.array(donor, dtype=float),
        np.array(patched, dtype=float),
        none,
        np.full((len(patched), len(base)), np.nan),
    )


def effects(*grids: Grid) -> PatchEffects:
    """Their rows."""
    return PatchEffects.joined([grid_rows(one) for one in grids])


def contrasts(count: int, *, controls: Sequence[ControlKind] = ()) -> list[MarkedContrast]:
    """Contrasts c0, c1, …, each a cluster of its own; the last of them are controls."""
    main: ControlKind = ""
    kinds = [main] * (count - len(controls)) + list(controls)
    return [
        replace(one, id=f"c{i}", clusters=(f"k{i}",), control=kind)
        for i, (one, kind) in enumerate(zip(planted_contrasts(count), kinds, strict=True))
    ]
