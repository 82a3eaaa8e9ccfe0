"""What of a memory is there at the clock's time, and how strong it is."""

from __future__ import annotations

import numpy as np

from constraintsuite.memory.graph import Graph
from constraintsuite.memory.modes.base import BoolArray, FloatArray, Place
from constraintsuite.memory.state.visibility import Validity


class Presence:
    """Reads the state of a place anew for each search; what depends on the graph alone is kept until that changes."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._graph: Graph | None = None
        self._validity = Validity(())

    def visible(self) -> BoolArray:
        """Which units can be found: all, where no state and so no time is given."""
        graph, state = self._place.memory.graph, self._place.state
        if state is None:
            return np.ones(len(graph.units), dtype=np.bool_)
        if self._graph is not graph:
            self._graph, self._validity = graph, Validity(graph.units)
        return self._validity.visible(state)

    def factors(self, boost: float) -> FloatArray:
        """What each node's activation is multiplied by: 1 + boost * strength, 1 for all that was never confirmed."""
        graph, state = self._place.memory.graph, self._place.state
        factors = np.ones(graph.size)
        for unit, strength in (state.strengths() if state else {}).items():
            number = graph.unit_numbers.get(unit)
            if number is not None:
                factors[number] += boost * strength
        return factors
