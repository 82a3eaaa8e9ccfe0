"""Ablation: what a site says is taken away from the clean run, and something that knows nothing of it is put in its place.

`resample` puts in what the site says in another contrast of the same template about another Y, role by role: values as the
model knows them. The cue is the same there, so what is taken away is which Y is meant and in which texts; what the cue itself
does is taken away by noising, which puts in values of the corrupt run. `mean` puts in the mean over the same role in a reference set,
`zero` nothing at all, which no layer above has ever seen: where the three disagree, that is itself a finding.
"""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.mechanism.contrasts.records import HALVES, ROLES, ContrastHalf, MarkedContrast
from constraintsuite.mechanism.contrasts.tokens import Roles, TokenContrast, TokenPair, TokenRow
from constraintsuite.mechanism.effects.records import AblationKind, EffectMethod, Grid
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.patching.batches import PADDED, ContrastBatch, buckets, make_block
from constraintsuite.mechanism.patching.capacity import Budget
from constraintsuite.mechanism.patching.exact import join, patched_grid
from constraintsuite.mechanism.patching.patches import Donor, Observed, SitePatch, observe, sites_to_keep, twin_donor
from constraintsuite.mechanism.sites import Site
from constraintsuite.models.torch.device import inference

if TYPE_CHECKING:
    import torch

_METHODS: dict[AblationKind, EffectMethod] = {
    "resample": "ablation-resample",
    "mean": "ablation-mean",
    "zero": "ablation-zero",
}
REFERENCES = 64
"""Contrasts of a half over which means are taken."""


@dataclass(frozen=True)
class AblationReplacement:
    """What is put in the place of what is taken away."""

    kind: AblationKind
    others: Mapping[str, TokenContrast]
    """By contrast, whose values it is given; of `resample` alone."""
    means: Mapping[ContrastHalf, Mapping[Site, torch.Tensor]]
    """(roles, width of the site), NaN for a role that the reference set lacks; of `mean` alone."""

    def serves(self, contrasts: Sequence[TokenContrast]) -> list[TokenContrast]:
        """Those of the contrasts that have something to be given."""
        return [one for one in contrasts if self.kind != "resample" or one.contrast.id in self.others]


def choose_others(contrasts: Sequence[TokenContrast], seed: int) -> dict[str, TokenContrast]:
    """For each contrast another of the same template, side, control and half, about another Y and in other documents.

    Those that have none are left out. All stand in a ring, and each is given the next that fits: neither their order nor
    a contrast that does not stand between the two changes the choice.
    """
    alike: dict[tuple[str, ...], list[TokenContrast]] = defaultdict(list)
    for one in sorted(
        contrasts, key=lambda one: (stable_hash("resample", str(seed), one.contrast.id), one.contrast.id)
    ):
        about = one.contrast
        alike[about.template, about.side, about.control, about.half].append(one)
    found = {}
    for ring in alike.values():
        for place, one in enumerate(ring):
            following = (ring[(place + step) % len(ring)] for step in range(1, len(ring)))
            other = next((other for other in following if _is_other(one.contrast, other.contrast)), None)
            if other is not None:
                found[one.contrast.id] = other
    return found


def refuse_mean_of_patterns(kind: AblationKind, sites: Collection[Site]) -> None:
    """Rows of attention are as long as their text."""
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
    """What replaces what is taken away from any of the contrasts, and comes from their own half."""
    refuse_mean_of_patterns(kind, sites)
    means: dict[ContrastHalf, dict[Site, torch.Tensor]] = {}
    if kind == "mean":
        means = {half: role_means(model, _sample(contrasts, half, seed), sites, budget) for half in HALVES}
    return AblationReplacement(kind, choose_others(contrasts, seed) if kind == "resample" else {}, means)


def ablate_contrasts(
    model: LoadedModel,
    contrasts: Sequence[TokenContrast],
    patches: Sequence[SitePatch],
    replacement: AblationReplacement,
    budget: Budget,
) -> Grid:
    """What taking away each site does to the clean run of each contrast."""
    kind, sites = replacement.kind, {site for patch in patches for site in patch.sites}
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
                base = observe(model, block, "clean", kept)
                donor = _donor(model, block, base, kind, means, sites)
                grid = patched_grid(
                    model, block, donor, patches, budget, {"clean": base}, ("noising", _METHODS[kind])
                )
            found.append(([mine[i] for i in places], [grid]))
    return join(found)[0]


def _donor(
    model: LoadedModel,
    block: ContrastBatch,
    base: Observed,
    kind: AblationKind,
    means: Mapping[Site, torch.Tensor],
    sites: Collection[Site],
) -> Donor:
    import torch

    if kind == "resample":
        others = observe(model, block, "corrupt", sorted(sites))
        return twin_donor(block, "clean", {"clean": base, "corrupt": others})
    roles = torch.from_numpy(block.stacked.clean.roles.astype(np.int64)).to(model.device)
    filled = roles != PADDED
    if kind == "zero":
        return Donor(filled, lambda site: torch.zeros_like(base.seen[site]))
    known = next(iter(means.values())).isfinite().all(dim=1)
    given = {site: values.nan_to_num() for site, values in means.items()}
    return Donor(filled & known[roles.clamp(min=0)], lambda site: given[site][roles.clamp(min=0)])


def role_means(
    model: LoadedModel, contrasts: Sequence[TokenContrast], sites: Collection[Site], budget: Budget
) -> dict[Site, torch.Tensor]:
    """The mean of each site over the tokens of each role in the clean runs: (roles, width)."""
    import torch

    order, sums, count = sorted(sites), dict[Site, "torch.Tensor"](), torch.zeros(len(ROLES), device=model.device)
    with inference():
        for places in buckets(contrasts, budget.block):
            some = [contrasts[i] for i in places]
            block = make_block(model, some, [pair for one in some for pair in (one.better, one.worse)])
            seen = observe(model, block, "clean", order).seen
            mask = torch.from_numpy(_by_role(block.stacked.clean.roles)).to(model.device)  # (roles, rows, positions)
            count += mask.sum(dim=(1, 2))
            for site in order:
                sums[site] = sums.get(site, 0) + torch.einsum("rnp,npw->rw", mask, seen[site])
    return {site: total / count[:, None] for site, total in sums.items()}  # 0 / 0 is NaN


def _by_role(roles: Roles) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    mask: np.ndarray[tuple[int, ...], np.dtype[np.float32]] = roles[None] == np.arange(len(ROLES))[:, None, None]
    return mask.astype(np.float32)


def _sample(contrasts: Sequence[TokenContrast], half: ContrastHalf, seed: int) -> list[TokenContrast]:
    """Main contrasts of a half, or what else there is of it; of all, where a half has none. Their order does not matter."""
    mine = [one for one in contrasts if one.contrast.half == half] or list(contrasts)
    main = [one for one in mine if not one.contrast.control] or mine
    return sorted(main, key=lambda one: (stable_hash("reference", str(seed), one.contrast.id), one.contrast.id))[
        :REFERENCES
    ]


def _is_other(one: MarkedContrast, other: MarkedContrast) -> bool:
    return one.y != other.y and set(one.clusters).isdisjoint(other.clusters)


def _pairs(one: TokenContrast, replacement: AblationReplacement) -> list[TokenPair]:
    """The clean rows of a contrast beside those that they are given values of."""
    if replacement.kind != "resample":
        return [role_aligned(pair.clean, pair.clean) for pair in one.pairs]
    other = replacement.others[one.contrast.id]
    # Where the other has no pair aside, plain relevance is given what its better pair says.
    theirs = other.pairs if other.aside is not None else (other.better, other.worse, other.better)
    return [role_aligned(mine.clean, their.clean) for mine, their in zip(one.pairs, theirs, strict=False)]


def role_aligned(mine: TokenRow, theirs: TokenRow) -> TokenPair:
    """Rows about different things: the first token of a role takes from the first of the same role, and so on, in turn."""
    return TokenPair(mine, theirs, _in_turn(theirs.roles, mine.roles), _in_turn(mine.roles, theirs.roles))


def _in_turn(takers: Roles, givers: Roles) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    partners = np.full(len(takers), -1, dtype=np.int64)
    for role in np.unique(takers):
        places, there = np.flatnonzero(takers == role), np.flatnonzero(givers == role)
        if len(there):
            partners[places] = there[np.arange(len(places)) % len(there)]
    return partners
