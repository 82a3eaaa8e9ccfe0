"""The plain way to patch: one row, one patch, one forward pass from the tokens up. The fast way is held against it."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong name is told without it

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.records import PatchDirection
from constraintsuite.mechanism.hooks import Edit, capturing, replacing
from constraintsuite.mechanism.patching.blocks import INTO, OTHER, ContrastBatch, FloatArray, carried, make_block
from constraintsuite.mechanism.patching.donors import moved
from constraintsuite.mechanism.patching.stacking import SitePatch
from constraintsuite.mechanism.sites import Site
from constraintsuite.mechanism.subject import Subject
from constraintsuite.models.torch.device import inference


def patch_one_by_one(
    subject: Subject, contrast: TokenContrast, patches: Sequence[SitePatch], direction: PatchDirection
) -> FloatArray:
    """The margin of a contrast under each patch."""
    rows = [make_block(subject, [contrast], [pair]) for pair in (contrast.better, contrast.worse)]
    better, worse = (_scores(subject, row, patches, direction) for row in rows)
    return better - worse


def _scores(
    subject: Subject, row: ContrastBatch, patches: Sequence[SitePatch], direction: PatchDirection
) -> FloatArray:
    """The score of a single row under each patch; what is put in is seen once."""
    import torch

    into, first = INTO[direction], torch.zeros(1, dtype=torch.long, device=subject.device)
    sites = sorted({site for patch in patches for site in patch.sites})
    places = {role: torch.from_numpy(row.places(role, into)).to(subject.device) for role in {p.role for p in patches}}
    weights, where = carried(row, into, subject.device)
    scores: list[torch.Tensor] = []
    with inference():
        with capturing(subject, sites) as given:
            subject.scores(row.inputs[OTHER[into]])
        with capturing(subject, sites) as own:
            subject.scores(row.inputs[into])
        values = {site: moved(given[site], weights, site) for site in sites}

        def edit(site: Site, role: str) -> Edit:
            if site.kind != "pattern":
                return Edit(site, first, values[site], places[role] & where)
            return Edit(site, first, values[site].where(places[role][:, None], own[site]), where)

        for patch in patches:
            with replacing(subject, [edit(site, patch.role) for site in patch.sites]):
                scores.append(subject.scores(row.inputs[into]))
    return np.array([float(score) for score in scores])
