"""How much attention tokens of some roles pay to tokens of each role, head by head."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import connected_components
from constraintsuite.core.statistics.resampling import estimate
from constraintsuite.mechanism.contrasts.records import ROLES, TokenRole
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, without_unrelated_pairs
from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.patching.batches import ContrastBatch, make_blocks
from constraintsuite.mechanism.patching.capacity import plan_memory
from constraintsuite.mechanism.patching.patches import observe
from constraintsuite.mechanism.sites import Site
from constraintsuite.models.torch.device import inference

if TYPE_CHECKING:
    import torch

FROM_ROLES: tuple[TokenRole, ...] = ("q_cue", "cls", "q_y", "d_y")
"""The roles whose attention is measured."""


@dataclass(frozen=True, slots=True)
class AttentionShare:
    """The share of a head's attention that tokens of one role pay to tokens of another, in the clean runs."""

    site: str
    """The site of the head."""
    of: TokenRole
    to: TokenRole
    share: Interval


def measure_attention(model: LoadedModel, contrasts: Sequence[TokenContrast], *, seed: int = 0) -> list[AttentionShare]:
    """The attention shares of all heads in the clean runs, as means over contrasts; clusters are resampled."""
    if not contrasts:
        raise UserError("Attention is measured on main contrasts (not controls), and there are none.")
    asked = without_unrelated_pairs(contrasts)
    sites = model.sites({"pattern"})
    budget = plan_memory(model, sites, None, max(one.longest for one in asked))
    shares = np.full((len(asked), len(sites), len(FROM_ROLES), len(ROLES)), np.nan)
    with inference():
        for places, block in make_blocks(model, asked, budget.block):
            seen = observe(block, "clean", sites).seen
            for number, site in enumerate(sites):
                # The mean over the rows of a contrast (one or two) that have the role: (contrasts, roles in FROM_ROLES, roles).
                paired = _shares(block, seen[site]).unflatten(0, (-1, 2)).nanmean(dim=1)
                shares[places, number] = paired.cpu().numpy().astype(np.float64)
    clusters = connected_components([one.contrast.clusters for one in asked])
    return list(_estimate(sites, shares, clusters, np.random.default_rng(seed)))


def _estimate(
    sites: Sequence[Site], shares: FloatArray, clusters: npt.NDArray[np.int64], rng: np.random.Generator
) -> Iterator[AttentionShare]:
    columns = shares.reshape(len(shares), -1)
    found = iter(estimate(columns, [True] * columns.shape[1], clusters, rng=rng))
    for site in sites:
        head = str(Site(site.layer, "head", site.head))
        for of in FROM_ROLES:
            for to in ROLES:
                share = next(found)
                if share.value is not None:
                    yield AttentionShare(head, of, to, share)


def _shares(block: ContrastBatch, weights: torch.Tensor) -> torch.Tensor:
    """The mean attention from tokens of a role to each role: (rows, roles in FROM_ROLES, roles); NaN without such a token."""
    import torch

    roles = block.stacked["clean"].roles
    masks = np.stack([roles == number for number in range(len(ROLES))], axis=1).astype(np.float32)
    to = torch.from_numpy(masks).to(weights.device)
    of = to[:, [ROLES.index(role) for role in FROM_ROLES]]
    paid = torch.einsum("nfq,nqk,ntk->nft", of, weights, to)
    return paid / of.sum(dim=2, keepdim=True)
