"""Which documents are in a subset, from their keys alone: one function a mode."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.vectors.settings import SamplingMode, SubsetSettings
from constraintsuite.vectors.survey import Positions, Survey


@dataclass(frozen=True, slots=True)
class Stratum:
    """Documents that had the same chance to be chosen."""

    name: str
    population: int
    chosen: int
    probability: float | None
    """None where the choice was not by chance."""


@dataclass(frozen=True)
class SampleRequest:
    """What a choice rests on."""

    settings: SubsetSettings
    survey: Survey
    positives: frozenset[str] = frozenset()
    hard_negatives: frozenset[str] = frozenset()
    strata: npt.NDArray[np.uint16] | None = None  # (documents,) which of the names
    names: Sequence[str] = ()


@dataclass(frozen=True)
class Selection:
    """The chosen documents, in the order of the subset."""

    positions: Positions  # (chosen,) in the source
    stratum: npt.NDArray[np.uint16]  # (chosen,) which of the strata
    strata: tuple[Stratum, ...]
    notes: tuple[str, ...] = ()
    """What a reader should know, such as a stratum that was too small."""


def select(request: SampleRequest) -> Selection:
    """Choose as the mode says; a subset that cannot be is a UserError with both numbers."""
    size, population = request.settings.size, len(request.survey)
    refuse_too_large(size or 0, population)
    selection = MODES[request.settings.mode](request)
    if not len(selection.positions):
        raise UserError(
            f"--rate {request.settings.rate}: none of the {population:,} documents is chosen. Take a larger one."
        )
    if request.settings.order == "source":
        return _reordered(selection, np.argsort(selection.positions, kind="stable"))
    return selection


def refuse_too_large(size: int, population: int) -> None:
    """A UserError if the source has fewer documents than are wanted."""
    if size > population:
        raise UserError(f"--size {size:,} is more than the {population:,} documents that the source holds.")


def refuse_no_room(size: int, kept: Mapping[str, int]) -> None:
    """A UserError if documents of which all are kept, by stratum, are more than are wanted."""
    count = sum(kept.values())
    if count > size:
        parts = ", ".join(f"{number:,} {name}" for name, number in kept.items())
        raise UserError(
            f"--size {size:,} has no room for the documents to keep: {parts}. Take at least {count:,}, or fewer queries "
            "(--n-queries)."
        )


def shortfall(name: str, wanted: int, there: int) -> str:
    """What to say of a stratum that is too small."""
    return f"stratum {name!r}: {wanted:,} documents wanted, {there:,} there"


def smallest_keys(survey: Survey, count: int, among: npt.NDArray[np.bool_] | None = None) -> Positions:
    """The positions of the smallest keys (those of `among` only), in order."""
    pool = survey.keys.copy() if among is None else survey.keys[among]
    if not count or not len(pool):
        return np.empty(0, dtype=np.int64)
    count = min(count, len(pool))
    pool.partition(count - 1)
    below = survey.keys <= pool[count - 1]
    del pool
    return survey.in_order(np.flatnonzero(below if among is None else below & among))[:count]


def _rate(request: SampleRequest) -> Selection:
    rate = request.settings.rate or 0.0
    border = math.floor(rate * 2**64)
    chosen = request.survey.keys <= np.uint64(border - 1) if border else np.zeros(len(request.survey), dtype=np.bool_)
    positions = request.survey.in_order(np.flatnonzero(chosen))
    return _of_groups([(Stratum("background", len(request.survey), len(positions), rate), positions)])


def _filled_up(request: SampleRequest, kept: Mapping[str, frozenset[str]]) -> Selection:
    """All of the kept documents, then the smallest keys of the rest.

    What a run names and the source lacks is passed over: a run may be of a larger corpus.
    """
    size, survey = request.settings.size or 0, request.survey
    rest = np.ones(len(survey), dtype=np.bool_)
    groups = []
    for name, ids in kept.items():
        there = np.array(sorted(survey.found[each] for each in ids if each in survey.found), dtype=np.int64)
        rest[there] = False
        groups.append((Stratum(name, len(there), len(there), 1.0), survey.in_order(there)))
    count = sum(len(positions) for _, positions in groups)
    refuse_no_room(size, {stratum.name: stratum.chosen for stratum, _ in groups})
    groups.append(_by_chance("background", smallest_keys(survey, size - count, rest), len(survey) - count))
    return _of_groups(groups)


def _stratified(request: SampleRequest) -> Selection:
    assert request.strata is not None
    sizes = np.bincount(request.strata, minlength=len(request.names)).tolist()
    populations = dict(zip(request.names, sizes, strict=True))
    wanted = allocate(request.settings.size or 0, populations, request.settings.allocation)
    groups, notes = [], []
    for code, name in enumerate(request.names):
        positions = smallest_keys(request.survey, wanted[name], request.strata == code)
        groups.append(_by_chance(name, positions, populations[name]))
        if len(positions) < wanted[name]:
            notes.append(shortfall(name, wanted[name], len(positions)))
    together = _of_groups(groups, tuple(notes))
    place = np.argsort(together.positions)
    order = place[np.searchsorted(together.positions[place], request.survey.in_order(np.sort(together.positions)))]
    return _reordered(together, order)


def _reordered(selection: Selection, order: Positions) -> Selection:
    return replace(selection, positions=selection.positions[order], stratum=selection.stratum[order])


def allocate(size: int, populations: Mapping[str, int], how: str | Mapping[str, float]) -> dict[str, int]:
    """Documents a stratum by the method of largest remainders, `size` in all; equal remainders in the order of names."""
    if isinstance(how, Mapping):
        unknown = sorted(how.keys() - populations.keys())
        if unknown:
            raise UserError(f"--allocation: no stratum {unknown[0]!r}. There are: {', '.join(populations)}.")
        shares = {name: Fraction(repr(how.get(name, 0.0))) for name in populations}  # 0.3 is three tenths
    else:
        shares = {name: Fraction(1 if how == "equal" else count) for name, count in populations.items()}
    total = sum(shares.values())  # shares that were given may add up to 0.999
    exact = {name: size * share / total for name, share in shares.items()}
    given = {name: math.floor(value) for name, value in exact.items()}
    by_remainder = sorted(populations, key=lambda name: (given[name] - exact[name], name))
    for name in by_remainder[: size - sum(given.values())]:
        given[name] += 1
    assert sum(given.values()) == size
    return given


def _prefix(request: SampleRequest) -> Selection:
    positions = np.arange(request.settings.size or 0, dtype=np.int64)
    return _of_groups([(Stratum("prefix", len(request.survey), len(positions), None), positions)])


def _legacy_positions(request: SampleRequest) -> Selection:
    """As the methodology document has it: `random.sample` over row numbers, in the order of the source."""
    generator = random.Random(int(request.settings.seed))
    drawn = generator.sample(range(len(request.survey)), request.settings.size or 0)
    return _of_groups([_by_chance("position", np.array(sorted(drawn), dtype=np.int64), len(request.survey))])


def _by_chance(name: str, positions: Positions, population: int) -> tuple[Stratum, Positions]:
    probability = len(positions) / population if population else None
    return Stratum(name, population, len(positions), probability), positions


def _of_groups(groups: Sequence[tuple[Stratum, Positions]], notes: tuple[str, ...] = ()) -> Selection:
    codes = [np.full(len(positions), code, dtype=np.uint16) for code, (_, positions) in enumerate(groups)]
    return Selection(
        np.concatenate([positions for _, positions in groups]),
        np.concatenate(codes),
        tuple(stratum for stratum, _ in groups),
        notes,
    )


MODES: Mapping[SamplingMode, Callable[[SampleRequest], Selection]] = {
    "keep_positives": lambda request: _filled_up(request, {"positive": request.positives}),
    "uniform": lambda request: _filled_up(request, {}),
    "rate": _rate,
    "pooled": lambda request: _filled_up(
        request, {"positive": request.positives, "hard_negative": request.hard_negatives - request.positives}
    ),
    "stratified": _stratified,
    "prefix": _prefix,
    "legacy_positions": _legacy_positions,
}
