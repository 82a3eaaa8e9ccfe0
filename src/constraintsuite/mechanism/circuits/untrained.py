"""The same search in models of the same shape that were never trained: what a circuit must stand out from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from constraintsuite.mechanism.attribution import attribute_contrasts
from constraintsuite.mechanism.circuits.ranking import SiteEffects, cluster_numbers, rounding_of
from constraintsuite.mechanism.circuits.records import RandomModels
from constraintsuite.mechanism.circuits.running import bare, lots, remembered
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.records import EffectMethod, FloatArray, Grid, PatchDirection
from constraintsuite.mechanism.nulls import random_twin, without_rounding
from constraintsuite.mechanism.patching.exact import patch_contrasts
from constraintsuite.mechanism.patching.memory import Budget
from constraintsuite.mechanism.patching.stacking import SitePatch
from constraintsuite.mechanism.sites import Site, parse_site
from constraintsuite.mechanism.subject import Subject
from constraintsuite.metrics.intervals import IntArray
from constraintsuite.metrics.significance import cluster_t


class Strength(NamedTuple):
    """How clearly a model tells clean from corrupt, and how clearly its strongest site does."""

    behaviour_t: float
    strongest_t: float


def effects_of(
    subject: Subject,
    contrasts: Sequence[TokenContrast],
    sites: Sequence[Site],
    direction: PatchDirection,
    method: EffectMethod,
    budget: Budget,
    told: Callable[[int], None] = lambda _: None,
) -> SiteEffects:
    """The effects of whole sites on contrasts, run anew."""
    run: Callable[..., list[Grid]] = attribute_contrasts if method == "attribution" else patch_contrasts
    values, margins = np.empty((len(contrasts), len(sites))), np.empty((2, len(contrasts)))
    asked = bare(contrasts)
    for places in lots(contrasts):
        (grid,) = run(subject, [asked[i] for i in places], [SitePatch((site,)) for site in sites], [direction], budget)
        # A contrast that a site cannot reach is not changed by it.
        values[places] = np.nan_to_num((grid.margin_patched - grid.margin_base).T)
        margins[:, places] = grid.margin_base, grid.margin_donor
        told(len(places))
    base, donor = margins
    clean, corrupt = (base, donor) if direction == "noising" else (donor, base)
    return SiteEffects(
        tuple(one.contrast for one in contrasts), tuple(map(str, sites)), values, clean, corrupt, direction, method
    )


def compare_untrained(
    subject: Subject,
    contrasts: Sequence[TokenContrast],
    studied: SiteEffects,
    models: int,
    budget: Budget,
    seed: int,
    folder: Path | None = None,
    told: Callable[[int], None] = lambda _: None,
) -> RandomModels:
    """The model's own t beside those of `models` untrained ones on the same contrasts.

    Effects in such a model are not 0 on average: it is one model, and its contrasts share words. So sites of it can be told
    from 0 by exchanged signs, and what is asked here is more: are they told more clearly than in models that know nothing?
    If training gave nothing, all of the models are exchangeable, and p is exact however alike contrasts are.
    """
    clusters = cluster_numbers([one.contrast for one in contrasts])
    place = {contrast.id: i for i, contrast in enumerate(studied.contrasts)}
    mine = [place[one.contrast.id] for one in contrasts]
    own = strength_of(studied.values[mine], studied.clean[mine], studied.corrupt[mine], clusters)

    def strength(number: int) -> FloatArray:
        sites = [parse_site(name) for name in studied.sites]
        twin = random_twin(subject, number)
        found = effects_of(twin, contrasts, sites, studied.direction, studied.method, budget, told)
        return np.array(strength_of(found.values, found.clean, found.corrupt, clusters))

    others = []
    for number in range(seed, seed + models):
        file = None if folder is None else folder / f"untrained-{number}.npy"
        others.append(Strength(*remembered(file, partial(strength, number)).tolist()))
    return RandomModels(
        models,
        len(contrasts),
        studied.method,
        own.behaviour_t,
        own.strongest_t,
        _p(own.behaviour_t, [other.behaviour_t for other in others]),
        _p(own.strongest_t, [other.strongest_t for other in others]),
        tuple(other.behaviour_t for other in others),
        tuple(other.strongest_t for other in others),
    )


def strength_of(values: FloatArray, clean: FloatArray, corrupt: FloatArray, clusters: IntArray) -> Strength:
    """Of effects (contrasts, sites) and of the margins of the two runs."""
    floor = rounding_of(clean, corrupt)
    behaviour = cluster_t(without_rounding((clean - corrupt)[:, None], floor), clusters)
    sites = cluster_t(without_rounding(values, floor), clusters)
    return Strength(float(behaviour[0]), float(np.abs(sites).max()))


def _p(own: float, others: Sequence[float]) -> float:
    return (1 + sum(other >= own for other in others)) / (1 + len(others))
