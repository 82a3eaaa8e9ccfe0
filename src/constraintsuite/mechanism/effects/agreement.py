"""How far attribution can be trusted: its estimates compared with exact patches of the same contrasts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from constraintsuite.core.execution.shards import keyed_random
from constraintsuite.mechanism.contrasts.records import ContrastSide
from constraintsuite.mechanism.effects.records import DIRECTIONS, FloatArray, PatchDirection, PatchEffects
from constraintsuite.mechanism.effects.summary import EVERY

SiteAndRole = tuple[str, str]


@dataclass(frozen=True)
class PatchSelection:
    """The patches to run exactly: those that attribution estimates as strongest, and a random share of the rest."""

    top: tuple[SiteAndRole, ...]
    random: tuple[SiteAndRole, ...]
    candidates: int


@dataclass(frozen=True)
class AttributionAgreement:
    """How well attribution predicted exact patches, in one direction and for one side. A place is a site and role."""

    direction: PatchDirection
    contrasts: int
    """Contrasts that were both estimated and patched exactly; all figures are means over them."""
    places: int
    """Places that were patched exactly."""
    rank_correlation: float | None
    """Spearman's correlation of estimated and exact effects with their signs."""
    rank_correlation_random: float | None
    """The same over the random share alone."""
    mean_absolute_error: float
    mean_absolute_effect: float
    cut: float
    """The weakest estimate of the top. A place whose exact effect is stronger and which is not in the top was missed."""
    missed: int
    """Missed places in the random share."""
    looked_at: int
    """Places in the random share."""
    false_negative_rate: float | None
    """Estimated share of all places stronger than the cut that are not in the top, extrapolated from the random share."""
    items: str = EVERY
    """`all`, or the side if there are exact patches of both."""


def choose_patches(estimates: Iterable[PatchEffects], top: float, rest: float, seed: int) -> PatchSelection:
    """Choose the `top` share of places that are strongest in any direction and side, and a random `rest` share of the others.

    `estimates` has one entry per side.
    """
    strength: dict[SiteAndRole, float] = {}
    for of_side in estimates:
        for direction in sorted(set(of_side.direction.tolist())):
            for place, value in _mean_effects(of_side, direction).items():
                strength[place] = max(strength.get(place, 0.0), abs(value))
    order = sorted(strength, key=lambda place: (-strength[place], place))
    count = round(top * len(order))
    others = order[count:]
    chosen = keyed_random(seed, "exact").sample(others, min(len(others), round(rest * len(order))))
    return PatchSelection(tuple(order[:count]), tuple(sorted(chosen)), len(order))


def _mean_effects(effects: PatchEffects, direction: str) -> dict[SiteAndRole, float]:
    """The mean change of the margin at each place, over the contrasts that have a value there."""
    mine = effects.where(effects.direction == direction)
    places = list(zip(mine.site.tolist(), mine.role.tolist(), strict=True))
    order = list(dict.fromkeys(places))
    number = {place: i for i, place in enumerate(order)}
    rows = np.array([number[place] for place in places], dtype=np.int64)
    if not len(rows):
        return {}
    sums, counts = np.bincount(rows, weights=mine.effect), np.bincount(rows)
    return dict(zip(order, (sums / counts).tolist(), strict=True))


def compare_estimates(
    estimates: Mapping[ContrastSide, PatchEffects], exact: Mapping[ContrastSide, PatchEffects], choice: PatchSelection
) -> list[AttributionAgreement]:
    """Compare estimates with exact patches of the same contrasts, for each side and direction."""
    return [
        replace(_of_direction(estimates[side], patched, choice, direction), items=side if len(exact) > 1 else EVERY)
        for side, patched in exact.items()
        if side in estimates
        for direction in DIRECTIONS
        if (patched.direction == direction).any()
    ]


def _of_direction(
    estimates: PatchEffects, patched: PatchEffects, choice: PatchSelection, direction: PatchDirection
) -> AttributionAgreement:
    estimates, patched = (some.where(some.direction == direction) for some in (estimates, patched))
    shared = sorted(set(estimates.contrast.tolist()) & set(patched.contrast.tolist()))
    estimated, exact = (
        _mean_effects(some.where(np.isin(some.contrast, shared)), direction) for some in (estimates, patched)
    )
    places = [place for place in (*choice.top, *choice.random) if place in exact and place in estimated]
    random = [place for place in choice.random if place in exact and place in estimated]
    guess, truth = _values(estimated, places), _values(exact, places)
    strongest = sorted(map(abs, estimated.values()), reverse=True)[: len(choice.top)]
    cut = strongest[-1] if strongest else 0.0
    missed = sum(abs(exact[place]) > cut for place in random)
    found = sum(abs(exact[place]) > cut for place in choice.top if place in exact)
    rest = choice.candidates - len(choice.top)
    unseen = missed * rest / len(random) if random else 0.0
    return AttributionAgreement(
        direction,
        len(shared),
        len(places),
        spearman(guess, truth),
        spearman(_values(estimated, random), _values(exact, random)),
        float(np.abs(guess - truth).mean()) if places else 0.0,
        float(np.abs(truth).mean()) if places else 0.0,
        cut,
        missed,
        len(random),
        unseen / (found + unseen) if found + unseen and random else None,
    )


def _values(of: Mapping[SiteAndRole, float], places: Collection[SiteAndRole]) -> FloatArray:
    return np.array([of[place] for place in places], dtype=np.float64)


def spearman(one: FloatArray, other: FloatArray) -> float | None:
    """Spearman's rank correlation, with mean ranks for ties; None if all values of either are equal."""
    if len(one) < 2:
        return None
    a, b = (ranks - ranks.mean() for ranks in map(_ranks, (one, other)))
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale else None


def _ranks(values: Sequence[float] | FloatArray) -> FloatArray:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[place]
