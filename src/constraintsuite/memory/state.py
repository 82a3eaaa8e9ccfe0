"""The dynamic state of a memory: what was confirmed to be right, and what no longer holds, at the time of a clock.

How strong a memory is follows from its confirmations, each of which fades with time:

    sum      = sum over confirmations i of (1 + age_i / scale) ** -fading
    strength = sum / (1 + sum)

This is the base-level learning of ACT-R (Anderson & Schooler 1991) with an age of zero allowed, brought into [0, 1). So one
more confirmation never lowers a memory, time never raises it, the order of confirmations does not matter, and nothing has
to be written while time passes.
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

from pydantic import BaseModel, ConfigDict, Field

from constraintsuite.core.errors import UserError
from constraintsuite.memory.records import parse_time

Lifecycle = Literal["encoded", "archived", "fading", "active", "stabilizing", "consolidated"]
_FROM: tuple[tuple[float, Lifecycle], ...] = (
    (0.8, "consolidated"),  # four fresh confirmations
    (0.6, "stabilizing"),  # two
    (0.3, "active"),  # one, for four days under the standard settings
    (0.1, "fading"),
)


class Clock:
    """A time that stands still until it is moved; as of an earlier time, later events have not happened."""

    def __init__(self, now: str | datetime) -> None:
        self.move_to(now)

    def move_to(self, now: str | datetime) -> None:
        """From now on it is `now`, which may also be earlier."""
        self.now = parse_time(now if isinstance(now, str) else now.isoformat())


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


class ForgettingCurve(BaseModel):
    """How fast confirmations fade with their age."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    scale_days: float = Field(1.0, gt=0, allow_inf_nan=False, description="the age at which forgetting sets in")
    fading: float = Field(0.5, ge=0, le=10, description="the exponent; 0 forgets nothing")


def strength_of(ages_seconds: Sequence[float], forgetting: ForgettingCurve) -> float:
    """The strength, in [0, 1), of a memory that was confirmed so long ago."""
    scale = forgetting.scale_days * 86_400
    # fsum rounds once, so that the order of the ages cannot show in the last digit.
    total = math.fsum((1 + age / scale) ** -forgetting.fading for age in ages_seconds)
    return total / (1 + total)


def lifecycle_of(strength: float) -> Lifecycle:
    """The name of a strength; a memory that was never confirmed is `encoded`, and one nearly forgotten `archived`."""
    if strength == 0:
        return "encoded"
    return next((name for least, name in _FROM if strength >= least), "archived")


@dataclass(frozen=True)
class Snapshot:
    """All that a state is: equal snapshots behave alike."""

    now: datetime
    forgetting: ForgettingCurve
    events: tuple[StateEvent, ...]
    """In the order of time."""


class MemoryState:
    """Confirmations and supersessions, read as of the clock's time.

    Nothing is computed while time passes; a call looks at the units it names, and at all only where it names none.
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
        self._refuse_circles()

    @classmethod
    def of(cls, snapshot: Snapshot) -> MemoryState:
        """A state of its own that begins as the snapshot says: what happens in it happens nowhere else."""
        return cls(Clock(snapshot.now), snapshot.forgetting, snapshot.events)

    def snapshot(self) -> Snapshot:
        """What the state is now; the order in which events came in leaves no trace."""
        return Snapshot(self.clock.now, self.forgetting, tuple(self._events()))

    def restore(self, snapshot: Snapshot) -> None:
        """Become what the snapshot says, clock included; one that cannot be changes nothing."""
        other = MemoryState.of(snapshot)
        self.clock.move_to(snapshot.now)
        self.forgetting = snapshot.forgetting
        self._confirmed, self._superseded = other._confirmed, other._superseded

    def confirm(self, units: Iterable[str]) -> None:
        """These units were right, at the clock's time: the one thing that strengthens a memory."""
        at = self.clock.now.isoformat()
        for event in [Confirmed(at, _named(unit)) for unit in units]:  # all are looked at before one is added
            self._add(event)

    def supersede(self, older: str, by: str) -> None:
        """From the clock's time on, `by` stands in place of `older`."""
        _named(older), _named(by)
        if older == by or self._follows(by, older):
            raise UserError(
                f"{older!r} cannot be superseded by {by!r}: {by!r} gave way to {older!r} before, or is the same."
            )
        self._add(Superseded(self.clock.now.isoformat(), older, by))

    def strength(self, unit: str) -> float:
        """In [0, 1); 0 if it was never confirmed until now."""
        now, moments = self.clock.now, self._confirmed.get(unit, [])
        ages = [(now - at).total_seconds() for at in moments[: bisect_right(moments, now)]]
        return strength_of(ages, self.forgetting)

    @property
    def confirmed(self) -> Collection[str]:
        """The units that were ever confirmed, at whatever time."""
        return self._confirmed.keys()

    def strengths(self, units: Iterable[str] | None = None) -> dict[str, float]:
        """Of those of some units (or of all there are) that were confirmed until now; all others have 0."""
        among = self._confirmed if units is None else (unit for unit in units if unit in self._confirmed)
        found = {unit: self.strength(unit) for unit in among}
        return {unit: strength for unit, strength in found.items() if strength > 0}

    def lifecycle(self, unit: str) -> Lifecycle:
        """The name of its strength."""
        return lifecycle_of(self.strength(unit))

    def superseded(self) -> dict[str, str]:
        """Units that no longer hold, each with the one that stands in its place: the newest until now."""
        now = self.clock.now
        past = {unit: [by for at, by in all_ if at <= now] for unit, all_ in self._superseded.items()}
        return {unit: successors[-1] for unit, successors in past.items() if successors}

    def _add(self, event: StateEvent) -> None:
        at = parse_time(event.at)
        if isinstance(event, Confirmed):
            insort(self._confirmed[event.unit], at)
        else:
            insort(self._superseded[event.unit], (at, event.by))

    def _follows(self, unit: str, successor: str) -> bool:
        """Whether `unit` gave way to `successor`, at whatever time, directly or by others between them."""
        waiting, seen = [unit], set()
        while waiting:
            here = waiting.pop()
            if here == successor:
                return True
            if here not in seen:
                seen.add(here)
                waiting += [by for _, by in self._superseded.get(here, [])]
        return False

    def _refuse_circles(self) -> None:
        """In one pass over all: a state that is read has many, and they come in any order."""
        try:
            TopologicalSorter({unit: [by for _, by in all_] for unit, all_ in self._superseded.items()}).prepare()
        except CycleError as error:
            circle = " by ".join(map(repr, error.args[1][::-1]))
            raise UserError(f"Units supersede each other in a circle, so that none would hold: {circle}.") from None

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
