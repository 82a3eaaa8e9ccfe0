"""The constraint type `time`: something happened before a year, or after it ("films released before 1960")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.suites.audit.solvers import Solver
from constraintsuite.suites.reading.records import ValuesRead
from constraintsuite.suites.sides.limits import LimitBuilder, Limited, LimitedMeasure, Position, StatedValue, ValueRange
from constraintsuite.suites.sides.solvers import BY_CONSTRUCTION, LIMIT_SOLVERS, UNBALANCED


@dataclass(frozen=True, slots=True, kw_only=True)
class Time(Limited):
    """A query for what happened before or after a year; the year itself is on neither side."""

    type: Literal["time"] = "time"

    @property
    def side_words(self) -> tuple[str, str]:
        """What happened below the limit, and above it."""
        return "before", "after"


class DatedMeasure(LimitedMeasure):
    """An event, the verbs that state it, and whether the year of the defining sentence states it too."""

    events: tuple[str, ...]
    class_year: bool = False


@cache
def _measures() -> tuple[DatedMeasure, ...]:
    return read_package_yaml(tuple[DatedMeasure, ...], "constraintsuite.suites.constraints", "time.yaml")


def _make(measure: LimitedMeasure, limit: float, position: Position, cue: str) -> Time:
    return Time(value=f"{limit:.0f}", cue=cue, forms=(), measure=measure.key, position=position, limit=limit)


def find_years(measure: LimitedMeasure, reading: ValuesRead, text: str) -> Iterator[StatedValue]:
    """The dates of the event, and the year in "a 1966 film"."""
    assert isinstance(measure, DatedMeasure)
    for date in reading.dates:
        if date.event in measure.events:
            low, high = float(date.first.year), float(date.last.year)
            stated = ValueRange(*{"before": (-_FAR, high), "after": (low, _FAR)}.get(date.bound, (low, high)))
            yield StatedValue(date.start, date.end, stated, f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}")
    defining = next((one for one in reading.classes if one.strength == 3), None)
    if measure.class_year and defining is not None:
        years = [word for word in defining.modifiers if _YEAR.fullmatch(word)]
        for year in years[:1]:
            yield StatedValue(defining.start, defining.end, ValueRange(float(year), float(year)), year)


_FAR = 1e6
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


@dataclass(frozen=True, slots=True)
class TimeType:
    """How limits in time are checked and audited."""

    record: type[Constraint] = Time
    solvers: tuple[Solver, ...] = LIMIT_SOLVERS

    def by_construction(self, example: Example, solver: str) -> str:
        """The value decides, together with the query."""
        return BY_CONSTRUCTION.get(solver, "")

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read the dates of both texts again."""
        return BUILDER.faults(examples)


TIME = TimeType()
BUILDER = LimitBuilder(
    make=_make,
    write=lambda measure, limit: f"{limit:.0f}",
    find=find_years,
    measures=_measures,
    fits=lambda topic: not topic.decade,
    balanced=UNBALANCED,
)
