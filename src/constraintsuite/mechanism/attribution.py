"""Attribution patching: estimate what every patch would do by gradients, for the cost of a few passes.

The effect of the donor's values at a site is estimated by (donor - base) x gradient of the score of the base, summed over the
positions of a role (Nanda 2023). With `steps`, gradients are means along the straight line from the embeddings of the base to
those of the donor, which helps where the score saturates (integrated gradients at the embeddings, not at each site's input).
"""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.records import FloatArray, Grid, PatchDirection
from constraintsuite.mechanism.hooks import Edit, SiteTensors, capturing, refuse_infinite, replacing, tracing
from constraintsuite.mechanism.loaded_model import LoadedModel, Tensors
from constraintsuite.mechanism.patching.batches import INTO, OTHER, ContrastBatch, RunName, join_grids, make_blocks
from constraintsuite.mechanism.patching.capacity import Budget, refuse_untraced
from constraintsuite.mechanism.patching.patches import Donor, Observed, SitePatch, other_run_donor
from constraintsuite.mechanism.sites import EMBEDDINGS, Site
from constraintsuite.models.torch.device import as_out_of_memory

if TYPE_CHECKING:
    import torch


def attribute_contrasts(
    model: LoadedModel,
    contrasts: Sequence[TokenContrast],
    patches: Sequence[SitePatch],
    directions: Sequence[PatchDirection],
    budget: Budget,
    *,
    steps: int = 0,
) -> list[Grid]:
    """Estimate what each patch of a single site would do to each contrast; one grid per direction.

    Without `steps` this takes two forward passes and one backward pass per row and direction, for any number of patches.
    """
    sites = {site for patch in patches for site in patch.sites}
    longest = max(contrasts, key=lambda one: len(one.pairs) * one.longest)
    refuse_untraced(model, sites, budget, len(OTHER) * len(longest.pairs), longest.longest)
    hooked = sorted({_hooked_site(site) for site in sites})
    found: list[tuple[list[int], list[Grid]]] = []
    bases = [INTO[direction] for direction in directions]
    for places, block in make_blocks(model, contrasts, budget.traced):
        with as_out_of_memory():
            runs = _trace(block, bases, hooked, steps)
            if len(runs) == 1:
                runs[OTHER[bases[0]]] = _capture(block, OTHER[bases[0]], hooked)
            if steps:
                mean = _gradients_between(block, bases, hooked, runs, steps)
                runs |= {run: replace(runs[run], gradients=mean[run]) for run in bases}
            grids = [_grid(block, patches, direction, runs) for direction in directions]
            for run, traced in runs.items():  # last, as it waits for a GPU
                refuse_infinite(model, traced.scores, run, block.inputs[run])
        found.append((places, grids))
    return join_grids(found)


def _hooked_site(site: Site) -> Site:
    """The site to hook: for a single head, the combined output of all heads in its layer."""
    return Site(site.layer, "head") if site.kind == "head" else site


def _trace(
    block: ContrastBatch, runs: Collection[RunName], sites: Collection[Site], steps: int
) -> dict[RunName, Observed]:
    """Trace the runs that are patched in one pass; with `steps`, which take gradients later, capture both runs."""
    if steps:
        return {run: _capture(block, run, {*sites, EMBEDDINGS}) for run in OTHER}
    with tracing(block.model, sites) as trace:
        scores = block.model.scores(_together(block, runs))
        gradients, values = trace.gradients(scores), trace.values()
    return {
        run: Observed(scores[part].detach(), _rows(values, part), _rows(gradients, part))
        for run, part in _parts(block, runs).items()
    }


def _capture(block: ContrastBatch, run: RunName, sites: Collection[Site]) -> Observed:
    """The values at the sites in a run that only gives values, without gradients."""
    import torch

    with torch.no_grad(), capturing(block.model, sites) as seen:
        scores = block.model.scores(block.inputs[run])
    return Observed(scores, seen)


def _gradients_between(
    block: ContrastBatch, runs: Sequence[RunName], sites: Collection[Site], seen: Mapping[RunName, Observed], steps: int
) -> dict[RunName, SiteTensors]:
    """Mean gradients at the middles of `steps` equal parts of the line from the embeddings of a run to the embeddings of the other."""
    import torch

    model = block.model
    base = torch.cat([seen[run].seen[EMBEDDINGS] for run in runs])
    donors = [other_run_donor(block, run, seen) for run in runs]
    there = torch.cat([donor.values(EMBEDDINGS) for donor in donors])
    where = torch.cat([donor.where for donor in donors])
    rows, inputs = torch.arange(len(base), device=base.device), _together(block, runs)
    total: SiteTensors = {}
    for step in range(steps):
        between = torch.lerp(base, there, (step + 0.5) / steps)
        with replacing(model, [Edit(EMBEDDINGS, rows, between, where)]), tracing(model, sites) as trace:
            scores = model.scores(inputs)
            refuse_infinite(model, scores, " or ".join(runs), inputs)
            gradients = trace.gradients(scores)
        total = {site: gradient / steps + total.get(site, 0) for site, gradient in gradients.items()}
    return {run: _rows(total, part) for run, part in _parts(block, runs).items()}


def _grid(
    block: ContrastBatch, patches: Sequence[SitePatch], direction: PatchDirection, runs: Mapping[RunName, Observed]
) -> Grid:
    import torch

    into = INTO[direction]
    base, given, donor = runs[into], runs[OTHER[into]], other_run_donor(block, into, runs)
    sites = sorted({site for patch in patches for site in patch.sites})
    estimates = _effects_by_position(block.model, sites, base, donor)
    roles = list(dict.fromkeys(patch.role for patch in patches))
    places = np.stack([block.places(role, into) for role in roles])  # (roles, rows, positions)
    number = {name: i for names in (sites, roles) for i, name in enumerate(names)}
    of_site, of_role = [number[patch.sites[0]] for patch in patches], [number[patch.role] for patch in patches]
    masks = torch.from_numpy(places).to(estimates.device, estimates.dtype)
    summed = torch.einsum("snp,rnp->srn", estimates, masks)[of_site, of_role]  # over the positions of a role
    changes: FloatArray = summed.cpu().numpy().astype(np.float64)
    if not np.isfinite(changes).all():
        _name_fault(block, runs, dict(zip(sites, estimates, strict=True)))
    touched = (places & donor.where.cpu().numpy())[of_role]
    scores, donated = (run.scores.cpu().numpy().astype(np.float64) for run in (base, given))
    names = [(str(patch.sites[0]), patch.role) for patch in patches]
    return block.grid(names, (direction, "attribution"), scores, donated, scores + changes, touched)


def _effects_by_position(model: LoadedModel, sites: Sequence[Site], base: Observed, donor: Donor) -> torch.Tensor:
    """Estimated effect of each position, shape (sites, rows, positions). For attention patterns, positions are keys."""
    import torch

    found: dict[Site, torch.Tensor] = {}
    for hooked in dict.fromkeys(map(_hooked_site, sites)):
        change = (donor.values(hooked) - base.seen[hooked]) * base.gradients[hooked]
        if hooked.kind == "pattern":
            found[hooked] = torch.where(donor.where[..., None], change, 0).sum(dim=1)
        elif hooked.kind == "head":
            by_head = change.unflatten(-1, (model.heads, -1)).sum(dim=-1)
            heads = torch.where(donor.where[..., None], by_head, 0).unbind(dim=-1)
            found |= {Site(hooked.layer, "head", number): head for number, head in enumerate(heads)}
        else:
            found[hooked] = torch.where(donor.where, change.sum(dim=-1), 0)
    return torch.stack([found[site] for site in sites])


def _together(block: ContrastBatch, runs: Collection[RunName]) -> Tensors:
    import torch

    return {name: torch.cat([block.inputs[run][name] for run in runs]) for name in block.inputs["clean"]}


def _parts(block: ContrastBatch, runs: Collection[RunName]) -> dict[RunName, slice]:
    rows = len(block.pairs)
    return {run: slice(i * rows, (i + 1) * rows) for i, run in enumerate(runs)}


def _rows(seen: SiteTensors, part: slice) -> SiteTensors:
    return {site: tensor[part] for site, tensor in seen.items()}


def _name_fault(block: ContrastBatch, runs: Mapping[RunName, Observed], estimates: SiteTensors) -> NoReturn:
    """Raise a UserError that names the score, or else the gradients, that are infinite or undefined."""
    for run, traced in runs.items():
        refuse_infinite(block.model, traced.scores, run, block.inputs[run])
    broken = ", ".join(str(site) for site, values in estimates.items() if not bool(values.isfinite().all()))
    raise UserError(f"{block.model.name}: gradients at {broken} are infinite or not numbers.")
