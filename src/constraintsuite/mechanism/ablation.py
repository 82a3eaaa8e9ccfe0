"""Ablation: replace the values of a site in the clean run by values without the information that it carries.

`resample` takes the values of another contrast of the same template about another Y, role by role. The model knows such values,
but they have the same cue: they remove which Y is meant and in which texts. Noising, which takes values of the corrupt run,
removes what the cue does. `mean` takes the mean over the same role in a reference set. `zero` takes zeros, which no later layer
has ever seen. Where the three disagree, that is itself a finding.
"""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.mechanism.contrasts.alignment import IntArray
from constraintsuite.mechanism.contrasts.records import HALVES, ROLES, ContrastHalf, MarkedContrast
from constraintsuite.mechanism.contrasts.tokens import Roles, TokenContrast, TokenPair, TokenRow
from constraintsuite.mechanism.effects.records import AblationKind, EffectMethod, Grid
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.patching.batches import PADDED, ContrastBatch, buckets, join_grids, make_block
from constraintsuite.mechanism.patching.capacity import Budget
from constraintsuite.mechanism.patching.exact import patched_grid
from constraintsuite.mechanism.patching.patches import (
    Donor,
    Observed,
    SitePatch,
    observe,
    other_run_donor,
    sites_to_keep,
)
from constraintsuite.mechanism.sites import Site
from constraintsuite.models.torch.device import inference

if TYPE_CHECKING:
    import torch

REFERENCES = 64
"""Number of contrasts of a half that means are computed over."""


@dataclass(frozen=True)
class AblationReplacement:
    """The values that replace the values of the ablated sites."""

    kind: AblationKind
    donors: Mapping[str, TokenContrast]
    """For `resample`: by the id of a contrast, the one whose values it gets."""
    means: Mapping[ContrastHalf, Mapping[Site, torch.Tensor]]
    """For `mean`: (roles, width of the site), NaN for a role that the reference set lacks."""

    def serves(self, contrasts: Sequence[TokenContrast]) -> list[TokenContrast]:
        """Those of the contrasts for which there are values."""
        return [one for one in contrasts if self.kind != "resample" or one.contrast.id in self.donors]


def choose_donors(contrasts: Sequence[TokenContrast], seed: int) -> dict[str, TokenContrast]:
    """For each contrast another of the same template, side, control and half, about another Y and in other documents.

    Contrasts without such another are left out. All are put into a ring by a hash, and each gets the next one that fits, so
    the choice does not depend on their order, nor on contrasts elsewhere in the ring.
    """
    alike: dict[tuple[str, ...], list[TokenContrast]] = defaultdict(list)
    for one in _shuffled(contrasts, "resample", seed):
        about = one.contrast
        alike[about.template, about.side, about.control, about.half].append(one)
    found = {}
    for ring in alike.values():
        for place, one in enumerate(ring):
            following = (ring[(place + step) % len(ring)] for step in range(1, len(ring)))
            other = next((other for other in following if _differs(one.contrast, other.contrast)), None)
            if other is not None:
                found[one.contrast.id] = other
    return found


def refuse_mean_of_patterns(kind: AblationKind, sites: Collection[Site]) -> None:
    """Raise a UserError for means of attention weights: their rows are as long as their text."""
    if kind == "mean" and any(site.kind == "pattern" for site in sites):
        raise UserError("Weights of attention have no mean over texts of different lengths. Use resample or zero.")


def prepare_ablation(
    model: LoadedModel,
    kind: AblationKind,
    contrasts: Sequence[TokenContrast],
    sites: Collection[Site],
    budget: Budget,
    seed: int,
) -> AblationReplacement:
    """Choose or compute the replacement values for all contrasts; they come from the half of each contrast."""
    refuse_mean_of_patterns(kind, sites)
    means: dict[ContrastHalf, dict[Site, torch.Tensor]] = {}
    if kind == "mean":
        means = {half: role_means(model, _sample(contrasts, half, seed), sites, budget) for half in HALVES}
    return AblationReplacement(kind, choose_donors(contrasts, seed) if kind == "resample" else {}, means)


def ablate_contrasts(
    model: LoadedModel,
    contrasts: Sequence[TokenContrast],
    patches: Sequence[SitePatch],
    replacement: AblationReplacement,
    budget: Budget,
) -> Grid:
    """What the ablation of each site does to the clean run of each contrast."""
    kind, sites = replacement.kind, {site for patch in patches for site in patch.sites}
    method = cast(EffectMethod, f"ablation-{kind}")
    kept = sorted(sites_to_keep(model, patches) | sites)
    found: list[tuple[list[int], list[Grid]]] = []
    for half in HALVES:
        mine = [place for place, one in enumerate(contrasts) if one.contrast.half == half]
        pairs = [_pairs(contrasts[place], replacement) for place in mine]
        means = replacement.means.get(half, {})
        for places in buckets([contrasts[i] for i in mine], budget.block, pairs):
            some, stacked = [contrasts[mine[i]] for i in places], [pair for i in places for pair in pairs[i]]
            block = make_block(model, some, stacked)
            with inference():
                base = observe(block, "clean", kept)
                donor = _donor(block, base, kind, means, sites)
                grid = patched_grid(block, donor, patches, budget, {"clean": base}, ("noising", method))
            found.append(([mine[i] for i in places], [grid]))
    return join_grids(found)[0]


def _donor(
    block: ContrastBatch,
    base: Observed,
    kind: AblationKind,
    means: Mapping[Site, torch.Tensor],
    sites: Collection[Site],
) -> Donor:
    import torch

    if kind == "resample":
        others = observe(block, "corrupt", sorted(sites))
        return other_run_donor(block, "clean", {"clean": base, "corrupt": others})
    roles = torch.from_numpy(block.stacked["clean"].roles.astype(np.int64)).to(block.model.device)
    filled = roles != PADDED
    if kind == "zero":
        return Donor(filled, lambda site: torch.zeros_like(base.seen[site]))
    known = next(iter(means.values())).isfinite().all(dim=1)
    given = {site: values.nan_to_num() for site, values in means.items()}
    return Donor(filled & known[roles.clamp(min=0)], lambda site: given[site][roles.clamp(min=0)])


def role_means(
    model: LoadedModel, contrasts: Sequence[TokenContrast], sites: Collection[Site], budget: Budget
) -> dict[Site, torch.Tensor]:
    """The mean of each site over the tokens of each role in clean runs: (roles, width)."""
    import torch

    order, sums, count = sorted(sites), dict[Site, "torch.Tensor"](), torch.zeros(len(ROLES), device=model.device)
    with inference():
        for places in buckets(contrasts, budget.block):
            some = [contrasts[i] for i in places]
            block = make_block(model, some, [pair for one in some for pair in (one.better, one.worse)])
            seen = observe(block, "clean", order).seen
            by_role = block.stacked["clean"].roles[None] == np.arange(len(ROLES))[:, None, None]
            mask = torch.from_numpy(by_role.astype(np.float32)).to(model.device)  # (roles, rows, positions)
            count += mask.sum(dim=(1, 2))
            for site in order:
                sums[site] = sums.get(site, 0) + torch.einsum("rnp,npw->rw", mask, seen[site])
    return {site: total / count[:, None] for site, total in sums.items()}  # 0 / 0 is NaN


def _shuffled(contrasts: Sequence[TokenContrast], purpose: str, seed: int) -> list[TokenContrast]:
    """The contrasts in an order that depends on their ids and the seed alone."""
    return sorted(contrasts, key=lambda one: (stable_hash(purpose, str(seed), one.contrast.id), one.contrast.id))


def _sample(contrasts: Sequence[TokenContrast], half: ContrastHalf, seed: int) -> list[TokenContrast]:
    """A sample of main contrasts from this half; if there are none, controls; if there are none, the other half."""
    mine = [one for one in contrasts if one.contrast.half == half] or list(contrasts)
    main = [one for one in mine if not one.contrast.control] or mine
    return _shuffled(main, "reference", seed)[:REFERENCES]


def _differs(one: MarkedContrast, other: MarkedContrast) -> bool:
    return one.y != other.y and set(one.clusters).isdisjoint(other.clusters)


def _pairs(one: TokenContrast, replacement: AblationReplacement) -> list[TokenPair]:
    """The clean rows of a contrast, paired with the rows whose values they get."""
    if replacement.kind != "resample":
        return [role_aligned(pair.clean, pair.clean) for pair in one.pairs]
    other = replacement.donors[one.contrast.id]
    # If the other contrast has no unrelated pair, its better pair takes that place.
    theirs = other.pairs if other.aside is not None else (other.better, other.worse, other.better)
    return [role_aligned(mine.clean, their.clean) for mine, their in zip(one.pairs, theirs, strict=False)]


def role_aligned(mine: TokenRow, theirs: TokenRow) -> TokenPair:
    """Pair two rows by roles: the first token of a role takes from the first token of that role in the other row, and so on."""
    return TokenPair(mine, theirs, _in_turn(theirs.roles, mine.roles), _in_turn(mine.roles, theirs.roles))


def _in_turn(takers: Roles, givers: Roles) -> IntArray:
    partners = np.full(len(takers), -1, dtype=np.int64)
    for role in np.unique(takers):
        places, there = np.flatnonzero(takers == role), np.flatnonzero(givers == role)
        if len(there):
            partners[places] = there[np.arange(len(places)) % len(there)]
    return partners
