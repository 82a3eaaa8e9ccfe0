"""Observe a checkpoint: effects of its sites, activations by role, and the effect of values of another checkpoint."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.store.files import atomic_writer
from constraintsuite.mechanism.attribution import attribute_contrasts
from constraintsuite.mechanism.circuits.runner import studied_sites
from constraintsuite.mechanism.contrasts.records import ROLES, TokenRole
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, without_unrelated_pairs
from constraintsuite.mechanism.effects.records import DIRECTIONS, FloatArray, PatchDirection
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.patching.batches import INTO, OTHER, ContrastBatch, RunName, make_blocks
from constraintsuite.mechanism.patching.capacity import Budget, plan_memory
from constraintsuite.mechanism.patching.exact import patched_grid
from constraintsuite.mechanism.patching.patches import (
    Donor,
    SitePatch,
    observe,
    other_run_donor,
    residual,
    sites_to_keep,
)
from constraintsuite.mechanism.sites import Site
from constraintsuite.models.torch.device import inference

if TYPE_CHECKING:
    import torch

POOLED: tuple[TokenRole, ...] = ("cls", "q_cue", "q_y", "d_cue", "d_y", "d_scope")
"""Roles whose activations are averaged; the others are not part of a contrast."""
RUNS: tuple[RunName, ...] = ("clean", "corrupt")


@dataclass(frozen=True, eq=False)
class Observation:
    """Margins, effects and activations; contrasts and sites are the same for every checkpoint."""

    clean: FloatArray
    """The margin of each contrast in its clean run, in the order of the contrasts."""
    corrupt: FloatArray
    effects: FloatArray
    """By attribution, in the order of DIRECTIONS: (directions, contrasts, sites)."""
    pooled: npt.NDArray[np.float32]
    """Means over the tokens of a role, NaN where a row lacks it: (embeddings and layers, roles, runs, contrasts, better and
    worse, width)."""


def plan(model: LoadedModel, contrasts: Sequence[TokenContrast], mib: int | None) -> Budget:
    """How many tokens fit into memory, for everything that drift measures."""
    sites = [*studied_sites(model), *layers_of(model)]
    return plan_memory(model, sites, mib, max(one.longest for one in contrasts))


def observe_checkpoint(model: LoadedModel, contrasts: Sequence[TokenContrast], budget: Budget) -> Observation:
    """Measure everything that needs no other checkpoint."""
    asked = without_unrelated_pairs(contrasts)
    patches = [SitePatch((site,)) for site in studied_sites(model)]
    grids = attribute_contrasts(model, asked, patches, DIRECTIONS, budget)
    effects = np.stack([(grid.margin_patched - grid.margin_base).T for grid in grids])
    denoising = grids[DIRECTIONS.index("denoising")]
    return Observation(denoising.margin_donor, denoising.margin_base, effects, _pool(model, asked, budget))


def save_observation(path: Path, observation: Observation) -> None:
    """Write an observation to a file, which appears when it is complete."""
    with atomic_writer(path) as file:
        np.savez(file, **{field.name: getattr(observation, field.name) for field in fields(observation)})


def load_observation(path: Path) -> Observation:
    """Read what `save_observation` wrote."""
    with np.load(path) as arrays:
        return Observation(**{field.name: arrays[field.name] for field in fields(Observation)})


def layers_of(model: LoadedModel) -> list[Site]:
    """The input of the first block, and the output of each."""
    return [residual(layer) for layer in range(-1, model.layers)]


def _pool(model: LoadedModel, contrasts: Sequence[TokenContrast], budget: Budget) -> npt.NDArray[np.float32]:
    sites = layers_of(model)
    width: int = model.module.config.hidden_size
    pooled = np.full((len(sites), len(POOLED), len(RUNS), len(contrasts), 2, width), np.nan, dtype=np.float32)
    with inference():
        for places, block in make_blocks(model, contrasts, budget.block):
            for number, run in enumerate(RUNS):
                seen = observe(block, run, sites).seen
                for layer, site in enumerate(sites):
                    # (contrasts, roles, better and worse, width)
                    means = _means(block, run, seen[site]).unflatten(0, (-1, 2)).transpose(1, 2)
                    pooled[layer, :, number, places] = means.cpu().numpy()
    return pooled


def _means(block: ContrastBatch, run: RunName, values: torch.Tensor) -> torch.Tensor:
    """The mean of each row over the tokens of each role: (rows, roles, width); NaN without such tokens."""
    import torch

    roles = block.stacked[run].roles
    masks = np.stack([roles == ROLES.index(role) for role in POOLED], axis=1).astype(np.float32)
    mask = torch.from_numpy(masks).to(values.device)
    return torch.einsum("nrp,npw->nrw", mask, values) / mask.sum(dim=2, keepdim=True)


CROSSED = 64
"""The largest number of contrasts that get values of another checkpoint."""


class Crossed(NamedTuple):
    """Margins of the checkpoint that gets the values."""

    base: FloatArray
    """Of the run that is patched: (contrasts,)."""
    donor: FloatArray
    """Of its other run."""
    own: FloatArray
    """Effect of patching in the checkpoint's own opposite run, shape (patches, contrasts)."""
    other: FloatArray
    """With values of the giver's other run."""
    same: FloatArray
    """With values of the giver's same run."""


def cross_patch(
    giver: LoadedModel,
    taker: LoadedModel,
    contrasts: Sequence[TokenContrast],
    patches: Sequence[SitePatch],
    direction: PatchDirection,
    budget: Budget,
) -> Crossed:
    """What patches with values of the giver do to the taker, in the order of the contrasts."""
    asked, into = without_unrelated_pairs(contrasts), INTO[direction]
    sites = sorted({site for patch in patches for site in patch.sites})
    kept = sorted({*sites, *sites_to_keep(taker, patches)})
    found: list[Crossed] = []
    order: list[int] = []
    with inference():
        for places, block in make_blocks(taker, asked, budget.block):
            runs = {run: observe(block, run, kept if run == into else sites) for run in OTHER}
            given = {run: observe(replace(block, model=giver), run, sites) for run in OTHER}
            own = other_run_donor(block, into, runs)
            donors = (own, other_run_donor(block, into, given), Donor(own.where, given[into].seen.__getitem__))
            grids = [patched_grid(block, donor, patches, budget, runs, (direction, "exact")) for donor in donors]
            margins = (grid.margin_patched for grid in grids)
            found.append(Crossed(grids[0].margin_base, grids[0].margin_donor, *margins))
            order += places
    back = np.argsort(order)
    return Crossed(*(np.concatenate(parts, axis=-1)[..., back] for parts in zip(*found, strict=True)))
