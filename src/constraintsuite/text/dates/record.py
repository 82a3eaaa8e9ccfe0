"""A date that was read from a text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from constraintsuite.text.dates.surroundings import DateBound


@dataclass(frozen=True, slots=True)
class Date:
    """A period of whole days in a text, with the event that it dates."""

    start: int
    end: int
    """The calendar expression itself; "from", "about" and "the" before it stand outside."""
    first: date
    last: date
    """A year is its first and its last day."""
    bound: DateBound = ""
    """Whether the event is `before` the period, `after` it, or lasts `since` it or `until` it; empty: it is in it."""
    approximate: bool = False
    event: str = ""
    """What happened, as the base form of a verb: release, found, born, die, open, update; empty if unknown."""
    of: str = ""
    """What it happened to, as the text names it; empty if unknown."""
