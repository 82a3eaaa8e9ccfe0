"""How far attribution can be trusted: its estimates compared with exact patches of the same contrasts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from constraintsuite.core.execution.shards import keyed_random
from constraintsuite.mechanism.contrasts.records import ContrastSide
from constraintsuite.mechanism.effects.groups import EVERY
from constraintsuite.mechanism.effects.records import DIRECTIONS, FloatArray, PatchDirection, PatchEffects

SiteAndRole = tuple[str, str]
"""Site and role."""


@dataclass(frozen=True)
class PatchSelection:
    """Which patches are run exactly: those that attribution calls strongest, and some of the rest by chance."""

    top: tuple[SiteAndRole, ...]
    random: tuple[SiteAndRole, ...]
    candidates: int


@dataclass(frozen=True)
class AttributionAgreement:
    """Of one direction and side; the figures are of means over contrasts, a place each."""

    direction: PatchDirection
    contrasts: int
    """Those that were both estimated and patched exactly: the figures are of them alone."""
    places: int
    """Those that were run exactly."""
    rank_correlation: float | None
    """Spearman's, of estimated and exact effects with their signs."""
    rank_correlation_random: float | None
    """The same over the random share alone, which was not chosen for being strong."""
    mean_absolute_error: float
    mean_absolute_effect: float
    cut: float
    """As many places as the top has are estimated at least as strong: what is exactly stronger and not in the top was missed."""
    missed: int
    """Of the random share."""
    looked_at: int
    """How many the random share has."""
    false_negative_rate: float | None
    """Estimated share of all places stronger than the cut that are not in the top: what was missed of the random share stands
    for as much of the rest as was not looked at."""
    items: str = EVERY
    """`all`, or the side where exact patches are of both."""


def choose(estimates: Iterable[PatchEffects], top: float, rest: float, seed: int) -> PatchSelection:
    """The `top` share of places that are strongest in any direction and side, and a `rest` share of all places by chance from
    the others; `estimates` are those of a side each."""
    strength: dict[SiteAndRole, float] = {}
    for of_side in estimates:
        for direction in sorted(set(of_side.direction.tolist())):
            for place, value in mean_effects(of_side, direction).items():
                strength[place] = max(strength.get(place, 0.0), abs(value))
    order = sorted(strength, key=lambda place: (-strength[place], place))
    count = round(top * len(order))
    others = order[count:]
    chosen = keyed_random(seed, "exact").sample(others, min(len(others), round(rest * len(order))))
    return PatchSelection(tuple(order[:count]), tuple(sorted(chosen)), len(order))


def mean_effects(effects: PatchEffects, direction: str) -> dict[SiteAndRole, float]:
    """The mean change of the margin at each place, over the contrasts that have it."""
    mine = effects.where(effects.direction == direction)
    places = list(zip(mine.site.tolist(), mine.role.tolist(), strict=True))
    order = list(dict.fromkeys(places))
    number = {place: i for i, place in enumerate(order)}
    rows = np.array([number[place] for place in places], dtype=np.int64)
    if not len(rows):
        return {}
    sums, counts = np.bincount(rows, weights=mine.effect), np.bincount(rows)
    return dict(zip(order, (sums / counts).tolist(), strict=True))


def compare(
    estimates: Mapping[ContrastSide, PatchEffects], exact: Mapping[ContrastSide, PatchEffects], choice: PatchSelection
) -> list[AttributionAgreement]:
    """Both, by side, on the contrasts that were estimated and patched exactly, one direction after the other."""
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
        mean_effects(some.where(np.isin(some.contrast, shared)), direction) for some in (estimates, patched)
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
    """The correlation of ranks, ties sharing theirs; None where either has no two different values."""
    if len(one) < 2:
        return None
    a, b = (ranks - ranks.mean() for ranks in map(_ranks, (one, other)))
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale else None


def _ranks(values: Sequence[float] | FloatArray) -> FloatArray:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: FloatArray = (ends - (counts - 1) / 2)[place]
    return ranks
