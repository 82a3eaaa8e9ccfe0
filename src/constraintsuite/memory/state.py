"""The dynamic state of a memory: which units were confirmed, and which were superseded, at the time of a clock.

The strength of a unit follows from its confirmations, each of which fades with time:

    sum      = sum over confirmations i of (1 + age_i / scale) ** -fading
    strength = sum / (1 + sum)

This is the base-level learning of ACT-R (Anderson & Schooler 1991) with an age of zero allowed, scaled to [0, 1). One more
confirmation never weakens a unit, time never strengthens it, the order of confirmations does not matter, and nothing has to
be written while time passes.
"""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from graphlib import CycleError, TopologicalSorter
from typing import Literal

from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.memory.records import parse_time

Lifecycle = Literal["encoded", "archived", "fading", "active", "stabilizing", "consolidated"]
_FROM: tuple[tuple[float, Lifecycle], ...] = (
    (0.8, "consolidated"),  # four fresh confirmations
    (0.6, "stabilizing"),  # two
    (0.3, "active"),  # one, for four days under the standard settings
    (0.1, "fading"),
)


class Clock:
    """A time that changes only when it is moved. At an earlier time, later events have not happened."""

    def __init__(self, now: str | datetime) -> None:
        self.move_to(now)

    def move_to(self, now: str | datetime) -> None:
        """Set the time, which may also be an earlier one."""
        self.now = parse_time(now if isinstance(now, str) else now.isoformat())


@dataclass(frozen=True, slots=True, order=True)
class Confirmed:
    """Someone said that this unit was right. Being returned by a search is not a confirmation."""

    at: str
    """In ISO 8601, UTC."""
    unit: str
    event: Literal["confirmed"] = "confirmed"


@dataclass(frozen=True, slots=True, order=True)
class Superseded:
    """A newer unit replaces this one, which is kept but found only at an earlier time."""

    at: str
    unit: str
    by: str
    event: Literal["superseded"] = "superseded"


StateEvent = Confirmed | Superseded


class ForgettingCurve(StrictModel):
    """How fast confirmations fade with their age."""

    scale_days: float = Field(1.0, gt=0, description="the age at which forgetting sets in")
    fading: float = Field(0.5, ge=0, le=10, description="the exponent; 0 forgets nothing")


def strength_of(ages_seconds: Sequence[float], forgetting: ForgettingCurve) -> float:
    """Return the strength, in [0, 1), of a unit by the ages of its confirmations."""
    scale = forgetting.scale_days * 86_400
    # fsum rounds once, so the order of the ages does not change the last digit.
    total = math.fsum((1 + age / scale) ** -forgetting.fading for age in ages_seconds)
    return total / (1 + total)


def lifecycle_of(strength: float) -> Lifecycle:
    """Return the name of a strength; a unit that was never confirmed is `encoded`, one nearly forgotten `archived`."""
    if strength == 0:
        return "encoded"
    return next((name for least, name in _FROM if strength >= least), "archived")


@dataclass(frozen=True)
class Snapshot:
    """The complete content of a state: states with equal snapshots behave alike."""

    now: datetime
    forgetting: ForgettingCurve
    events: tuple[StateEvent, ...]
    """In the order of time."""


class MemoryState:
    """Confirmations and supersessions, as of the clock's time.

    Nothing is computed while time passes. A call computes only the units that it names, and all only if it names none.
    """

    def __init__(
        self, clock: Clock, forgetting: ForgettingCurve | None = None, events: Iterable[StateEvent] = ()
    ) -> None:
        self.clock = clock
        self.forgetting = forgetting or ForgettingCurve()
        self._confirmed: dict[str, list[datetime]] = defaultdict(list)  # in order
        self._superseded: dict[str, list[tuple[datetime, str]]] = defaultdict(list)  # in order
        for event in events:
            self._add(event)
        circle = self._circle()
        if circle:
            raise UserError(f"Units supersede each other in a cycle, so none would be valid: {circle}.")

    @classmethod
    def of(cls, snapshot: Snapshot) -> MemoryState:
        """Make a separate state from a snapshot."""
        return cls(Clock(snapshot.now), snapshot.forgetting, snapshot.events)

    def snapshot(self) -> Snapshot:
        """Return the content of the state; it does not depend on the order in which events were added."""
        return Snapshot(self.clock.now, self.forgetting, tuple(self._events()))

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a snapshot, clock included; a snapshot that is refused changes nothing."""
        other = MemoryState.of(snapshot)
        self.clock.move_to(snapshot.now)
        self.forgetting = snapshot.forgetting
        self._confirmed, self._superseded = other._confirmed, other._superseded

    def confirm(self, units: Iterable[str]) -> None:
        """Confirm units at the clock's time. Nothing else strengthens a unit."""
        at = self.clock.now.isoformat()
        for event in [Confirmed(at, _named(unit)) for unit in units]:  # all are checked before one is added
            self._add(event)

    def supersede(self, older: str, by: str) -> None:
        """Let `by` replace `older` from the clock's time on."""
        if self._circle((_named(older), _named(by))):
            raise UserError(
                f"{older!r} cannot be superseded by {by!r}: {by!r} gave way to {older!r} before, or is the same."
            )
        self._add(Superseded(self.clock.now.isoformat(), older, by))

    def strength(self, unit: str) -> float:
        """Return the strength of a unit, in [0, 1); 0 if it was not confirmed until now."""
        now, moments = self.clock.now, self._confirmed.get(unit, [])
        ages = [(now - at).total_seconds() for at in moments[: bisect_right(moments, now)]]
        return strength_of(ages, self.forgetting)

    @property
    def confirmed(self) -> Collection[str]:
        """The units that were ever confirmed, at whatever time."""
        return self._confirmed.keys()

    def strengths(self, units: Iterable[str] | None = None) -> dict[str, float]:
        """Return the strengths above 0 of some units, or of all."""
        among = self._confirmed if units is None else (unit for unit in units if unit in self._confirmed)
        found = {unit: self.strength(unit) for unit in among}
        return {unit: strength for unit, strength in found.items() if strength > 0}

    def lifecycle(self, unit: str) -> Lifecycle:
        """Return the name of the strength of a unit."""
        return lifecycle_of(self.strength(unit))

    def superseded(self) -> dict[str, str]:
        """Return the units that were replaced until now, each with its newest replacement."""
        now = self.clock.now
        past = {unit: [by for at, by in all_ if at <= now] for unit, all_ in self._superseded.items()}
        return {unit: successors[-1] for unit, successors in past.items() if successors}

    def _add(self, event: StateEvent) -> None:
        at = parse_time(event.at)
        if isinstance(event, Confirmed):
            insort(self._confirmed[event.unit], at)
        else:
            insort(self._superseded[event.unit], (at, event.by))

    def _circle(self, new: tuple[str, str] | None = None) -> str:
        """Return the units that supersede each other in a circle, at whatever times, with one more pair; empty if none do."""
        links = TopologicalSorter({unit: [by for _, by in all_] for unit, all_ in self._superseded.items()})
        if new is not None:
            links.add(*new)
        try:
            links.prepare()
        except CycleError as error:
            return " by ".join(map(repr, error.args[1][::-1]))
        return ""

    def _events(self) -> list[StateEvent]:
        confirmed = [Confirmed(at.isoformat(), unit) for unit, moments in self._confirmed.items() for at in moments]
        superseded = [
            Superseded(at.isoformat(), unit, by) for unit, all_ in self._superseded.items() for at, by in all_
        ]
        return [*sorted(confirmed), *sorted(superseded)]


def _named(unit: str) -> str:
    if not unit.strip():
        raise UserError("A unit without an id cannot be confirmed or superseded.")
    return unit
