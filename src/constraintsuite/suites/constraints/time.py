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
from constraintsuite.suites.queries.records import Topic
from constraintsuite.suites.reading.records import ValuesRead
from constraintsuite.suites.sides.limits import LimitBuilder, Limited, RoundLimits
from constraintsuite.suites.sides.measures import LimitedMeasure, StatedValue, ValueRange
from constraintsuite.suites.sides.solvers import BY_CONSTRUCTION, LIMIT_SOLVERS, UNBALANCED
from constraintsuite.text.dates.record import Date


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

    unit: str = "year"
    events: tuple[str, ...]
    class_year: bool = False

    def find(self, reading: ValuesRead, text: str) -> Iterator[StatedValue]:
        """The dates of the event, and the year in "a 1966 film"."""
        for date in reading.dates:
            if date.event in self.events and not _is_of_another(date, text):
                low, high = float(date.first.year), float(date.last.year)
                bounds = {"before": (-_FAR, high), "after": (low, _FAR)}.get(date.bound, (low, high))
                stated = ValueRange(*bounds, date.approximate)
                written = self.write(low) if low == high else f"{self.write(low)} to {self.write(high)}"
                yield StatedValue(date.start, date.end, stated, written)
        defining = next((one for one in reading.classes if one.strength == 3), None)
        if self.class_year and defining is not None:
            years = [word for word in defining.modifiers if _YEAR.fullmatch(word)]
            for year in years[:1]:
                yield StatedValue(defining.start, defining.end, ValueRange(float(year), float(year)), year)

    def write(self, value: float) -> str:
        """A year as people write it, such as 1960."""
        return f"{value:.0f}"

    def fits(self, topic: Topic) -> bool:
        """A topic such as "1950s films" already says when."""
        return not topic.decade


@cache
def dated_measures() -> tuple[DatedMeasure, ...]:
    """The measures of the file."""
    return read_package_yaml(tuple[DatedMeasure, ...], "constraintsuite.suites.constraints", "time.yaml")


def make_time(measure: LimitedMeasure, limit: float, words: str) -> Time:
    """What asks for what happened before a year, from the year as a number and in words."""
    return Time(value=words, cue="", forms=(), measure=measure.key, position="below", limit=limit)


def _is_of_another(date: Date, text: str) -> bool:
    """Whether a year only tells which thing is meant, as in "a sequel to the 1969 film"."""
    is_year = _YEAR.fullmatch(text[date.start : date.end]) is not None
    return is_year and text[: date.start].lower().endswith(" the ") and text[date.end :][:2].strip().isalpha()


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
    borders=lambda view, values: RoundLimits(make_time),
    measures=dated_measures,
    balanced=UNBALANCED,
)
