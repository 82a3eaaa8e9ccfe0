"""Which units of a memory can be found at the time of a state, and how strong they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.memory.graph import BoolArray, FloatArray, MemoryGraph
from constraintsuite.memory.modes.base import IndexArray, ModeContext
from constraintsuite.memory.records import Unit, parse_time
from constraintsuite.memory.state import MemoryState

NodeFactors = Callable[[IndexArray], FloatArray]
"""What is multiplied at some nodes."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ALWAYS = np.iinfo(np.int64)


class Validity:
    """The times between which some units hold, read once, so that asking for a time is one comparison of arrays."""

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
        """Which units hold at the clock's time: those within their validity that no newer unit has superseded."""
        now = _microseconds(state.clock.now)
        mask: BoolArray = (self._begin <= now) & (now < self._end)
        mask[[self._numbers[unit] for unit in state.superseded() if unit in self._numbers]] = False
        return mask


class Visibility:
    """The units of a memory that can be found; computed anew when the graph, the state or its clock has changed."""

    def __init__(self, context: ModeContext) -> None:
        self._memory, self._state = context.memory, context.state
        self._validity: tuple[MemoryGraph, Validity] | None = None
        self._last: tuple[tuple[MemoryGraph, int, datetime | None], BoolArray] | None = None

    def mask(self) -> BoolArray:
        """Which units can be found: all, where there is no state and so no time."""
        graph, state = self._memory.graph, self._state
        key = (graph, state.revision, state.clock.now) if state is not None else (graph, 0, None)
        if self._last is None or self._last[0] != key:
            self._last = key, self._compute(graph)
        return self._last[1]

    def _compute(self, graph: MemoryGraph) -> BoolArray:
        if self._state is None:
            return np.ones(len(graph.units), dtype=np.bool_)
        if self._validity is None or self._validity[0] is not graph:
            self._validity = graph, Validity(graph.units)
        return self._validity[1].visible(self._state)


class StrengthFactors:
    """What activation is multiplied by at each node: 1 + boost * strength, and 1 for what was never confirmed.

    A strength is read from the state when its node is first asked for: a search touches few of the nodes.
    """

    def __init__(self, graph: MemoryGraph, state: MemoryState, boost: float) -> None:
        self._graph, self._state, self._boost = graph, state, boost
        self._values = np.ones(graph.size)
        self._known = np.zeros(graph.size, dtype=np.bool_)
        self._known[len(graph.units) :] = True

    def __call__(self, nodes: IndexArray) -> FloatArray:
        """The factors of some nodes."""
        new = nodes[~self._known[nodes]]
        self._known[new] = True
        strengths = self._state.strengths(self._graph.units[number].id for number in new.tolist())
        numbers = [self._graph.unit_numbers[unit] for unit in strengths]
        self._values[numbers] = [1.0 + self._boost * strength for strength in strengths.values()]
        return self._values[nodes]


def factors_of(context: ModeContext, boost: float) -> StrengthFactors | None:
    """What activation is multiplied by now; None where that is 1 for every node."""
    if context.state is None or not boost or not context.state.confirmed:
        return None
    return StrengthFactors(context.memory.graph, context.state, boost)


def factors_over(units: IndexArray, factors: NodeFactors | None, count: int) -> FloatArray:
    """The factors of some units among `count`; all others have 1, whatever they would have."""
    over = np.ones(count)
    if factors is not None:
        over[units] = factors(units)
    return over


def _microseconds(time: datetime) -> int:
    since = time - _EPOCH  # in whole numbers: seconds as a float would round distant times
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
