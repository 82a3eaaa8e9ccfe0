"""Who gives the values that are put in, and what a run shows before anything is put into it."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong name is told without it

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from constraintsuite.errors import UserError
from constraintsuite.mechanism.contrasts.stacking import RunName
from constraintsuite.mechanism.hooks import SiteTensors, capturing, watching
from constraintsuite.mechanism.patching.blocks import OTHER, ContrastBatch, carried
from constraintsuite.mechanism.sites import Site
from constraintsuite.mechanism.subject import Subject

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Observed:
    """A run as it is."""

    scores: torch.Tensor
    seen: SiteTensors


@dataclass(frozen=True)
class Donor:
    """Values for the rows of a run, place by place."""

    where: torch.Tensor
    """Which places can be given anything: bool (rows, positions)."""
    values: Callable[[Site], torch.Tensor]
    """(rows, positions, width of the site); of a pattern, (rows, queries, keys)."""


def observe(subject: Subject, block: ContrastBatch, run: RunName, sites: Iterable[Site]) -> Observed:
    """The scores of a run and what passes some sites in it."""
    with capturing(subject, sites) as seen:
        scores = subject.scores(block.inputs[run])
    if not bool(scores.isfinite().all()):
        with watching(subject):
            subject.scores(block.inputs[run])
        raise UserError(f"{subject.name}: a score of the {run} run is infinite or no number.")
    return Observed(scores, seen)


def twin_donor(block: ContrastBatch, into: RunName, runs: dict[RunName, Observed]) -> Donor:
    """The other run of the same contrasts."""
    given = runs[OTHER[into]]
    weights, where = carried(block, into, given.scores.device)

    @cache  # sites of one layer are asked for several times in turn
    def values(site: Site) -> torch.Tensor:
        return moved(given.seen[site], weights, site)

    return Donor(where, values)


def moved(values: torch.Tensor, weights: torch.Tensor | None, site: Site) -> torch.Tensor:
    """Values at the places of those who take them; the weights of a pattern then add up to 1 again."""
    import torch

    if weights is None:
        return values
    if site.kind != "pattern":
        return weights @ values
    taken = weights @ values @ weights.transpose(1, 2)
    total = taken.sum(dim=-1, keepdim=True)
    return taken / torch.where(total > 0, total, 1)
