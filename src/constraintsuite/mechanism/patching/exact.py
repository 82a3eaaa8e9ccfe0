"""Exact patching: runs every patch in each direction that is asked for, and keeps the directions apart."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.records import EffectMethod, FloatArray, Grid, PatchDirection
from constraintsuite.mechanism.hooks import Edit, capturing, replacing
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.patching.batches import (
    INTO,
    OTHER,
    ContrastBatch,
    RunName,
    join_grids,
    make_block,
    make_blocks,
    transfer_tensors,
)
from constraintsuite.mechanism.patching.capacity import Budget
from constraintsuite.mechanism.patching.patches import (
    Donor,
    Observed,
    PatchableRun,
    SitePatch,
    batches,
    move_values,
    name_fault,
    observe,
    other_run_donor,
    sites_to_keep,
    stacked_scores,
)
from constraintsuite.mechanism.sites import Site
from constraintsuite.models.torch.device import inference

if TYPE_CHECKING:
    import torch


def patch_contrasts(
    model: LoadedModel,
    contrasts: Sequence[TokenContrast],
    patches: Sequence[SitePatch],
    directions: Sequence[PatchDirection],
    budget: Budget,
) -> list[Grid]:
    """What each patch does to each contrast; one grid per direction."""
    sites, kept = {site for patch in patches for site in patch.sites}, sites_to_keep(model, patches)
    receiving = {INTO[direction] for direction in directions}
    giving = {OTHER[run] for run in receiving}
    needed = {run: sorted((kept if run in receiving else set()) | (sites if run in giving else set())) for run in OTHER}
    found: list[tuple[list[int], list[Grid]]] = []
    for places, block in make_blocks(model, contrasts, budget.block):
        with inference():
            runs = {run: observe(block, run, needed[run]) for run in OTHER}
            grids = []
            for direction in directions:
                donor = other_run_donor(block, INTO[direction], runs)
                grids.append(patched_grid(block, donor, patches, budget, runs, (direction, "exact")))
        found.append((places, grids))
    return join_grids(found)


def patched_grid(
    block: ContrastBatch,
    donor: Donor,
    patches: Sequence[SitePatch],
    budget: Budget,
    runs: dict[RunName, Observed],
    kind: tuple[PatchDirection, EffectMethod],
) -> Grid:
    """The effects of patches of one direction with the values of a donor, on rows whose runs were observed."""
    import torch

    into = INTO[kind[0]]
    base, given = runs[into], runs.get(OTHER[into])
    roles = {patch.role for patch in patches}
    places = {role: torch.from_numpy(block.places(role, into)).to(block.model.device) for role in roles}
    patchable = PatchableRun(block.model, block.inputs[into], base, donor, places)
    scores = np.full((len(patches), patchable.rows), np.nan)
    by_role = {role: (some & donor.where).cpu().numpy() for role, some in places.items()}
    touched = np.stack([by_role[patch.role] for patch in patches])  # (patches, rows, positions)
    doing = [i for i, reached in enumerate(block.touches(touched)) if reached.any()]
    for numbers, some in _run(patchable, [patches[i] for i in doing], budget):
        scores[np.array(doing)[numbers]] = some
    names = [(" + ".join(map(str, patch.sites)), patch.role) for patch in patches]
    donated = None if given is None else _numbers(given.scores)
    return block.grid(names, kind, _numbers(base.scores), donated, scores, touched)


def _run(
    patchable: PatchableRun, patches: Sequence[SitePatch], budget: Budget
) -> Iterator[tuple[list[int], FloatArray]]:
    """The scores of the patches, batch by batch; they are read after all batches have started, so that a GPU does not wait."""
    tokens = patchable.inputs["input_ids"].numel()
    asked = [
        (numbers, stacked_scores(patchable, [patches[i] for i in numbers]))
        for numbers in batches(patchable.model, patches, max(1, budget.stacked // tokens))
    ]
    for numbers, scores in asked:
        found = _numbers(scores)
        if not np.isfinite(found).all():
            name_fault(patchable, [patches[i] for i in numbers])
        yield numbers, found


def _numbers(scores: torch.Tensor) -> FloatArray:
    values: FloatArray = scores.detach().cpu().numpy().astype(np.float64)
    return values


def patch_one_by_one(
    model: LoadedModel, contrast: TokenContrast, patches: Sequence[SitePatch], direction: PatchDirection
) -> FloatArray:
    """The margin of a contrast with each patch, run alone and from the tokens upwards: a check of `patch_contrasts`."""
    rows = [make_block(model, [contrast], [pair]) for pair in (contrast.better, contrast.worse)]
    better, worse = (_scores_one_by_one(row, patches, direction) for row in rows)
    return better - worse


def _scores_one_by_one(row: ContrastBatch, patches: Sequence[SitePatch], direction: PatchDirection) -> FloatArray:
    """The score of a single row with each patch."""
    import torch

    model = row.model
    into, first = INTO[direction], torch.zeros(1, dtype=torch.long, device=model.device)
    sites = sorted({site for patch in patches for site in patch.sites})
    places = {role: torch.from_numpy(row.places(role, into)).to(model.device) for role in {p.role for p in patches}}
    weights, where = transfer_tensors(row, into)
    scores: list[torch.Tensor] = []
    with inference():
        with capturing(model, sites) as given:
            model.scores(row.inputs[OTHER[into]])
        with capturing(model, sites) as own:
            model.scores(row.inputs[into])
        values = {site: move_values(given[site], weights, site) for site in sites}

        def edit(site: Site, role: str) -> Edit:
            if site.kind != "pattern":
                return Edit(site, first, values[site], places[role] & where)
            return Edit(site, first, values[site].where(places[role][:, None], own[site]), where)

        for patch in patches:
            with replacing(model, [edit(site, patch.role) for site in patch.sites]):
                scores.append(model.scores(row.inputs[into]))
    return np.array([float(score) for score in scores])
