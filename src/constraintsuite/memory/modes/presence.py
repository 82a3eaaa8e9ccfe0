"""What of a memory is there at the clock's time, and how strong it is."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import numpy as np

from constraintsuite.memory.graph import MemoryGraph
from constraintsuite.memory.modes.base import BoolArray, FloatArray, IndexArray, ModeContext
from constraintsuite.memory.state.state import MemoryState
from constraintsuite.memory.state.visibility import Validity


class MemoryPresence:
    """Reads the state of a place anew when it, its clock or the graph has changed."""

    def __init__(self, place: ModeContext) -> None:
        self._place = place
        self._graph: MemoryGraph | None = None
        self._validity = Validity(())
        self._last: _Seen | None = None

    def visible(self) -> BoolArray:
        """Which units can be found: all, where no state and so no time is given. While nothing changes it is one object."""
        graph, state = self._place.memory.graph, self._place.state
        moment = (state.revision, state.clock.now) if state is not None else None
        if self._last is None or self._last.graph is not graph or self._last.moment != moment:
            self._last = _Seen(graph, moment, self._look(graph, state))
        return self._last.visible

    def _look(self, graph: MemoryGraph, state: MemoryState | None) -> BoolArray:
        if state is None:
            return np.ones(len(graph.units), dtype=np.bool_)
        if self._graph is not graph:
            self._graph, self._validity = graph, Validity(graph.units)
        return self._validity.visible(state)

    def factors(self, boost: float) -> Factors | None:
        """What activation is multiplied by now; None where it is 1 for every node."""
        state = self._place.state
        if state is None or not boost or not state.confirmed:
            return None
        return Factors(self._place.memory.graph, state, boost)


class Factors:
    """Of a node 1 + boost * strength, 1 if it was never confirmed; read from the state when first asked for."""

    def __init__(self, graph: MemoryGraph, state: MemoryState, boost: float) -> None:
        self._graph, self._state, self._boost = graph, state, boost
        self._values = np.ones(graph.size)
        self._known = np.zeros(graph.size, dtype=np.bool_)
        self._known[len(graph.units) :] = True

    def __call__(self, nodes: IndexArray) -> FloatArray:
        """Of some nodes."""
        new = nodes[~self._known[nodes]]
        if len(new):
            self._known[new] = True
            strengths = self._state.strengths(self._candidates(new))
            numbers = [self._graph.unit_numbers[unit] for unit in strengths]
            self._values[numbers] = [1.0 + self._boost * strength for strength in strengths.values()]
        return self._values[nodes]

    def _candidates(self, new: IndexArray) -> list[str]:
        """Those of the units that may have been confirmed, by going through the fewer: the units, or all confirmed."""
        confirmed, numbers = self._state.confirmed, self._graph.unit_numbers
        if len(new) <= len(confirmed):
            return [self._graph.units[number].id for number in new.tolist()]
        wanted = np.zeros(len(self._values), dtype=np.bool_)
        wanted[new] = True
        return [unit for unit in confirmed if unit in numbers and wanted[numbers[unit]]]


def factors_over(units: IndexArray, factors: Factors | None, count: int) -> FloatArray:
    """The factors of some units among so many; all others have 1, whatever they would have."""
    over = np.ones(count)
    if factors is not None:
        over[units] = factors(units)
    return over


class _Seen(NamedTuple):
    graph: MemoryGraph
    moment: tuple[int, datetime] | None
    visible: BoolArray
