"""Measures: what has a value with an order, such as a price or a year of release, where texts state it, and how people ask."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from math import inf
from typing import Literal, NamedTuple

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.suites.queries.records import Topic
from constraintsuite.suites.reading.records import ValuesRead

Position = Literal["below", "above"]
"""On which side of the limit a value is."""


class ValueRange(NamedTuple):
    """All values that a text may mean."""

    low: float = -inf
    high: float = inf
    approximate: bool = False

    @property
    def exact(self) -> float | None:
        """The one value that it is; None if it may be another."""
        return self.low if self.low == self.high and not self.approximate else None

    def position(self, limit: float) -> Position | None:
        """On which side of a limit all of it is; None if on neither."""
        return "below" if self.high < limit else "above" if self.low > limit else None


class StatedValue(NamedTuple):
    """A place of a text that states a value."""

    start: int
    end: int
    range: ValueRange
    text: str
    """The value in one form for all texts, such as "25 minute"."""


class LimitWording(StrictModel):
    """One way to ask for what is below a limit `{n}`, and for what is above it."""

    name: str
    below: str
    above: str
    cues: tuple[str, str]
    """The words that state each side, such as `under` and `over`."""


class LimitedMeasure(StrictModel, ABC):
    """Something with an order that texts say of things of some kinds, and how people ask for it."""

    key: str
    of: tuple[str, ...] = ()
    """Kinds of classes in the domain files; if empty, all."""
    unit: str
    """The unit of the limits, into which others are converted."""
    limits: tuple[float, ...]
    """Round numbers that people use."""
    wordings: tuple[LimitWording, ...]
    comparing: tuple[LimitWording, ...] = ()
    """Ways to ask for what is below a named thing `{n}`, and above it; if empty, nobody compares by this measure."""
    known_only: bool = False
    """Whether people compare only with things that others speak of, as with directors, or with any, as with cottages."""

    @abstractmethod
    def find(self, reading: ValuesRead, text: str) -> Iterator[StatedValue]:
        """The places of a text that state the value, from what was read of it."""

    @abstractmethod
    def write(self, value: float) -> str:
        """A value in words, such as "30 minutes"."""

    def fits(self, topic: Topic) -> bool:
        """Whether a topic may be narrowed by it: "1950s films" already says when."""
        return True

    def read(self, reading: ValuesRead, text: str) -> ValueRange | None:
        """The value that a text states, if it states one value only, and neither denies it nor doubts it."""
        found = list(self.find(reading, text))
        doubted = any(one.start < scope.end and scope.start < one.end for one in found for scope in reading.scopes)
        if doubted or len({one.range[:2] for one in found}) != 1:
            return None
        return min(one.range for one in found)  # exact if one place is
