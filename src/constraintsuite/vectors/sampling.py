"""Choose the documents of a subset by their keys: one function per mode."""

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
    """Documents with the same probability of being chosen."""

    name: str
    population: int
    chosen: int
    probability: float | None
    """None if the choice was not random."""


@dataclass(frozen=True)
class SampleRequest:
    """The settings, and what is known about the documents."""

    settings: SubsetSettings
    survey: Survey
    positives: frozenset[str] = frozenset()
    hard_negatives: frozenset[str] = frozenset()
    strata: npt.NDArray[np.uint16] | None = None  # (documents,) index into names
    names: Sequence[str] = ()


@dataclass(frozen=True)
class Selection:
    """The chosen documents, in the order of the subset."""

    positions: Positions  # (chosen,) positions in the source
    stratum: npt.NDArray[np.uint16]  # (chosen,) index into strata
    strata: tuple[Stratum, ...]
    notes: tuple[str, ...] = ()
    """Notes for the user, such as a stratum that was too small."""


def select(request: SampleRequest) -> Selection:
    """Choose documents by the mode. Raises UserError if the size is impossible."""
    size, population = request.settings.size, len(request.survey)
    refuse_too_large(size or 0, population)
    selection = MODES[request.settings.mode](request)
    if not len(selection.positions):
        raise UserError(
            f"--rate {request.settings.rate}: none of the {population:,} documents is chosen. Give a larger rate."
        )
    if request.settings.order == "source":
        return _reordered(selection, np.argsort(selection.positions, kind="stable"))
    return selection


def refuse_too_large(size: int, population: int) -> None:
    """Raise a UserError if the source has fewer than `size` documents."""
    if size > population:
        raise UserError(f"--size {size:,} is more than the {population:,} documents that the source holds.")


def refuse_no_room(size: int, kept: Mapping[str, int]) -> None:
    """Raise a UserError if there are more than `size` documents to keep; `kept` counts them by stratum."""
    count = sum(kept.values())
    if count > size:
        parts = ", ".join(f"{number:,} {name}" for name, number in kept.items())
        raise UserError(
            f"--size {size:,} has no room for the documents to keep: {parts}. Take at least {count:,}, or fewer queries "
            "(--n-queries)."
        )


def _shortfall(name: str, wanted: int, there: int) -> str:
    """The note on a stratum that is too small."""
    return f"stratum {name!r}: {wanted:,} documents wanted, {there:,} there"


def _smallest_keys(survey: Survey, count: int, among: npt.NDArray[np.bool_] | None = None) -> Positions:
    """The positions of the `count` smallest keys, in order; with `among`, only of those documents."""
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
    return _join_groups([(Stratum("background", len(request.survey), len(positions), rate), positions)])


def _keep_and_fill(request: SampleRequest, kept: Mapping[str, frozenset[str]]) -> Selection:
    """All kept documents, then the smallest keys of the rest; ids that the source lacks are ignored."""
    size, survey = request.settings.size or 0, request.survey
    rest = np.ones(len(survey), dtype=np.bool_)
    groups = []
    for name, ids in kept.items():
        there = np.array(sorted(survey.found[each] for each in ids if each in survey.found), dtype=np.int64)
        rest[there] = False
        groups.append((Stratum(name, len(there), len(there), 1.0), survey.in_order(there)))
    count = sum(len(positions) for _, positions in groups)
    refuse_no_room(size, {stratum.name: stratum.chosen for stratum, _ in groups})
    groups.append(_random_stratum("background", _smallest_keys(survey, size - count, rest), len(survey) - count))
    return _join_groups(groups)


def _stratified(request: SampleRequest) -> Selection:
    assert request.strata is not None
    sizes = np.bincount(request.strata, minlength=len(request.names)).tolist()
    populations = dict(zip(request.names, sizes, strict=True))
    wanted = allocate(request.settings.size or 0, populations, request.settings.allocation)
    groups, notes = [], []
    for code, name in enumerate(request.names):
        positions = _smallest_keys(request.survey, wanted[name], request.strata == code)
        groups.append(_random_stratum(name, positions, populations[name]))
        if len(positions) < wanted[name]:
            notes.append(_shortfall(name, wanted[name], len(positions)))
    together = _join_groups(groups, tuple(notes))
    place = np.argsort(together.positions)
    order = place[np.searchsorted(together.positions[place], request.survey.in_order(np.sort(together.positions)))]
    return _reordered(together, order)


def _reordered(selection: Selection, order: Positions) -> Selection:
    return replace(selection, positions=selection.positions[order], stratum=selection.stratum[order])


def allocate(size: int, populations: Mapping[str, int], how: str | Mapping[str, float]) -> dict[str, int]:
    """The number of documents per stratum by the largest remainder method; ties are broken by name."""
    if isinstance(how, Mapping):
        unknown = sorted(how.keys() - populations.keys())
        if unknown:
            raise UserError(f"--allocation: no stratum {unknown[0]!r}. There are: {', '.join(populations)}.")
        shares = {name: Fraction(repr(how.get(name, 0.0))) for name in populations}  # repr: 0.3 is exactly three tenths
    else:
        shares = {name: Fraction(1 if how == "equal" else count) for name, count in populations.items()}
    total = sum(shares.values())  # given shares may add up to 0.999
    exact = {name: size * share / total for name, share in shares.items()}
    counts = {name: math.floor(value) for name, value in exact.items()}
    by_remainder = sorted(populations, key=lambda name: (counts[name] - exact[name], name))
    for name in by_remainder[: size - sum(counts.values())]:
        counts[name] += 1
    assert sum(counts.values()) == size
    return counts


def _prefix(request: SampleRequest) -> Selection:
    positions = np.arange(request.settings.size or 0, dtype=np.int64)
    return _join_groups([(Stratum("prefix", len(request.survey), len(positions), None), positions)])


def _legacy_positions(request: SampleRequest) -> Selection:
    """As in the MS MARCO subset methodology: `random.sample` over row numbers, in the order of the source."""
    generator = random.Random(int(request.settings.seed))
    drawn = generator.sample(range(len(request.survey)), request.settings.size or 0)
    return _join_groups([_random_stratum("position", np.array(sorted(drawn), dtype=np.int64), len(request.survey))])


def _random_stratum(name: str, positions: Positions, population: int) -> tuple[Stratum, Positions]:
    probability = len(positions) / population if population else None
    return Stratum(name, population, len(positions), probability), positions


def _join_groups(groups: Sequence[tuple[Stratum, Positions]], notes: tuple[str, ...] = ()) -> Selection:
    codes = [np.full(len(positions), code, dtype=np.uint16) for code, (_, positions) in enumerate(groups)]
    return Selection(
        np.concatenate([positions for _, positions in groups]),
        np.concatenate(codes),
        tuple(stratum for stratum, _ in groups),
        notes,
    )


MODES: Mapping[SamplingMode, Callable[[SampleRequest], Selection]] = {
    "keep_positives": lambda request: _keep_and_fill(request, {"positive": request.positives}),
    "uniform": lambda request: _keep_and_fill(request, {}),
    "rate": _rate,
    "pooled": lambda request: _keep_and_fill(
        request, {"positive": request.positives, "hard_negative": request.hard_negatives - request.positives}
    ),
    "stratified": _stratified,
    "prefix": _prefix,
    "legacy_positions": _legacy_positions,
}
