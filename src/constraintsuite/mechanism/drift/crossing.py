"""Values of one checkpoint put into another: does what the old model says still mean something to the new one?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from constraintsuite.mechanism.circuits.running import bare
from constraintsuite.mechanism.contrasts.stacking import RunName, buckets
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.records import FloatArray, PatchDirection
from constraintsuite.mechanism.patching.blocks import INTO, OTHER, ContrastBatch, make_block
from constraintsuite.mechanism.patching.donors import Donor, Observed, observe, twin_donor
from constraintsuite.mechanism.patching.exact import patched_grid
from constraintsuite.mechanism.patching.memory import Budget
from constraintsuite.mechanism.patching.stacking import SitePatch, sites_to_keep
from constraintsuite.mechanism.subject import Subject
from constraintsuite.models.torch.device import inference

CROSSED = 64
"""Most contrasts in which values of another checkpoint are put in."""


class Crossed(NamedTuple):
    """Margins of the checkpoint that takes."""

    base: FloatArray
    """Of the run that is patched: (contrasts,)."""
    donor: FloatArray
    """Of its other run."""
    own: FloatArray
    """With values of its own other run: (patches, contrasts)."""
    other: FloatArray
    """With values of the giver's other run."""
    same: FloatArray
    """With values of the giver's same run."""


def cross_patch(
    giver: Subject,
    taker: Subject,
    contrasts: Sequence[TokenContrast],
    patches: Sequence[SitePatch],
    direction: PatchDirection,
    budget: Budget,
) -> Crossed:
    """What each patch with the giver's values does to the taker, on contrasts in the order given."""
    asked = bare(contrasts)
    found: list[Crossed] = []
    order: list[int] = []
    with inference():
        for places in buckets(asked, min(budget.kept, 2 * budget.stacked)):
            block = make_block(taker, [asked[i] for i in places])
            found.append(_cross(giver, taker, block, patches, direction, budget))
            order += places
    back = np.argsort(order)
    return Crossed(*(np.concatenate(parts, axis=-1)[..., back] for parts in zip(*found, strict=True)))


def _cross(
    giver: Subject,
    taker: Subject,
    block: ContrastBatch,
    patches: Sequence[SitePatch],
    direction: PatchDirection,
    budget: Budget,
) -> Crossed:
    into = INTO[direction]
    sites = sorted({site for patch in patches for site in patch.sites})
    kept = sorted({*sites, *sites_to_keep(taker, patches)})
    runs: dict[RunName, Observed] = {run: observe(taker, block, run, kept if run == into else sites) for run in OTHER}
    given: dict[RunName, Observed] = {run: observe(giver, block, run, sites) for run in OTHER}
    own = twin_donor(block, into, runs)
    donors = (own, twin_donor(block, into, given), Donor(own.where, given[into].seen.__getitem__))
    grids = [patched_grid(taker, block, donor, patches, budget, runs, (direction, "exact")) for donor in donors]
    return Crossed(grids[0].margin_base, grids[0].margin_donor, *(grid.margin_patched for grid in grids))
