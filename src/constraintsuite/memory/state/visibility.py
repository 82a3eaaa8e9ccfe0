"""Which units hold at a time: those within their validity that no newer one stands in for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.memory.columns import BoolArray
from constraintsuite.memory.records import Unit
from constraintsuite.memory.state.clock import parse_time
from constraintsuite.memory.state.state import MemoryState

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ALWAYS = np.iinfo(np.int64)


class Validity:
    """The times of some units, read once, so that asking for a moment is one comparison of arrays."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._numbers = {unit.id: number for number, unit in enumerate(units)}
        self._begin = np.full(len(units), _ALWAYS.min)
        self._end = np.full(len(units), _ALWAYS.max)
        for number, unit in enumerate(units):
            if unit.valid_from is not None:
                self._begin[number] = _microseconds(parse_time(unit.valid_from, f"Unit {unit.id!r}: valid_from"))
            if unit.valid_to is not None:
                self._end[number] = _microseconds(parse_time(unit.valid_to, f"Unit {unit.id!r}: valid_to"))
            if self._end[number] <= self._begin[number]:
                raise UserError(
                    f"Unit {unit.id!r} is valid until {unit.valid_to}, which is not after {unit.valid_from}."
                )

    def visible(self, state: MemoryState) -> BoolArray:
        """Which units hold at the clock's time; units of the state that are not here do not matter."""
        now = _microseconds(state.clock.now)
        mask: BoolArray = (self._begin <= now) & (now < self._end)
        gone = [self._numbers[unit] for unit in state.superseded() if unit in self._numbers]
        mask[gone] = False
        return mask


def _microseconds(time: datetime) -> int:
    since = time - _EPOCH  # in whole numbers: seconds as a float would round distant times
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
