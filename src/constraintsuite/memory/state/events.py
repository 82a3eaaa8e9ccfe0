"""What can happen to a memory: the state at any time follows from these, in whatever order they came in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, order=True)
class Confirmed:
    """Someone said that this unit was right; being returned by a search is no confirmation."""

    at: str
    """In ISO 8601, UTC."""
    unit: str
    event: Literal["confirmed"] = "confirmed"


@dataclass(frozen=True, slots=True, order=True)
class Superseded:
    """A newer unit says what this one said before: it is kept, and found only as of an earlier time."""

    at: str
    unit: str
    by: str
    event: Literal["superseded"] = "superseded"


StateEvent = Confirmed | Superseded
