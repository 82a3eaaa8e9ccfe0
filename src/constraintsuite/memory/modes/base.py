"""The base of all modes, and how a mode is loaded by its name.

Names of modes are written like model strings: `ppr`, `ppr,damping=0.5,seeds=hybrid`, `hybrid_rerank:cross:NAME,depth=20`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import describe
from constraintsuite.memory.graph import BoolArray, FloatArray, MemoryGraph, microseconds
from constraintsuite.memory.modes import MODES
from constraintsuite.memory.results import Recalled, SearchAnswer, SearchMode
from constraintsuite.models.base import ModelFact, Workbench
from constraintsuite.models.model_names import ModelName, ModelSettings, parse_model

if TYPE_CHECKING:
    from constraintsuite.memory.memory import Memory
    from constraintsuite.memory.state import MemoryState


IndexArray = npt.NDArray[np.intp]
"""Positions, as numpy indexes with them; the columns of a graph are half as wide."""
S = TypeVar("S", bound=ModelSettings)
_BLOCK = 128


@dataclass(frozen=True)
class ModeContext:
    """The memory, state and models that a mode works with."""

    memory: Memory
    state: MemoryState | None = None
    """Every mode finds only units that are valid at the time of its clock. Its strengths count in the dynamic modes only."""
    bench: Workbench = field(default_factory=Workbench)
    """For models that rerank."""

    def visible(self) -> BoolArray:
        """Which units can be found now: those within their validity that no newer unit supersedes; all without a state."""
        graph, state = self.memory.graph, self.state
        if state is None:
            return np.ones(len(graph.units), dtype=np.bool_)
        begin, end = graph.validity
        now = microseconds(state.clock.now)
        mask: BoolArray = (begin <= now) & (now < end)
        mask[[graph.unit_numbers[unit] for unit in state.superseded() if unit in graph.unit_numbers]] = False
        return mask

    def strength_factors(self, boost: float) -> StrengthFactors | None:
        """Return what activation is multiplied by now; None where that is 1 for every node."""
        if self.state is None or not boost or not self.state.confirmed:
            return None
        return StrengthFactors(self.memory.graph, self.state, boost)


class StrengthFactors:
    """The factor of activation at each node: 1 + boost * strength, and 1 for what was never confirmed.

    A strength is read from the state when its node is first asked for, because a search touches few of the nodes.
    """

    def __init__(self, graph: MemoryGraph, state: MemoryState, boost: float) -> None:
        self._graph, self._state, self._boost = graph, state, boost
        self._values = np.ones(graph.size)
        self._known = np.zeros(graph.size, dtype=np.bool_)
        self._known[len(graph.units) :] = True

    def __call__(self, nodes: IndexArray) -> FloatArray:
        """Return the factors of some nodes."""
        new = nodes[~self._known[nodes]]
        self._known[new] = True
        strengths = self._state.strengths(self._graph.units[number].id for number in new.tolist())
        numbers = [self._graph.unit_numbers[unit] for unit in strengths]
        self._values[numbers] = [1.0 + self._boost * strength for strength in strengths.values()]
        return self._values[nodes]

    def over(self, units: IndexArray) -> FloatArray:
        """Return one factor per unit of the graph: the given factors, and 1 for all other units."""
        factors = np.ones(len(self._graph.units))
        factors[units] = self(units)
        return factors


ModeFactory = Callable[[ModelName, ModeContext], SearchMode]
"""Makes a mode from its name, at little cost. Raises UserError if the mode does not know an argument or option."""


def load_mode(
    text: str, memory: Memory, *, state: MemoryState | None = None, bench: Workbench | None = None
) -> SearchMode:
    """Make the mode that a string names, over a memory; with a state, it searches at the time of the state's clock."""
    name = parse_model(text)
    return MODES.load(name.family)(name, ModeContext(memory, state, bench or Workbench()))


class Mode(ABC, Generic[S]):
    """A mode that takes options only. A subclass names the type of its settings and finds units for a query."""

    settings_type: type[S]
    constants: ClassVar[Mapping[str, ModelFact]] = {}
    """Numbers that decide its answers and cannot be set, for `describe`."""

    def __init__(self, name: ModelName, context: ModeContext) -> None:
        self.name = str(name)
        self.settings = _read_options(name, self.settings_type)
        self.context = context
        self.memory = context.memory
        self._family = name.family

    def search(self, query: str, budget: int) -> SearchAnswer:
        """Return the best units, at most `budget` of them; an empty query finds nothing."""
        return self.find(query, budget) if query.strip() else SearchAnswer(query, self.name, ())

    @abstractmethod
    def find(self, query: str, budget: int) -> SearchAnswer:
        """Return the best units for a query that is not empty."""

    def describe(self) -> Mapping[str, ModelFact]:
        """Return the options and constants of the mode, each with its value."""
        return {"mode": self._family, **self.settings.model_dump(), **self.constants}


def _read_options(name: ModelName, kind: type[S]) -> S:
    """Read the options of a mode. Raises UserError that lists the valid options if one is wrong."""
    if name.argument:
        raise UserError(f"Mode {name.head!r}: {name.family} takes options only, as in {name.family},OPTION=VALUE.")
    try:
        return kind.model_validate(dict(name.options))
    except ValidationError as error:
        known = "; ".join(f"{key}: {field.description}" for key, field in kind.model_fields.items())
        raise UserError(f"Mode {name.family!r}: {describe(error)} Options: {known or 'none'}.") from None


def best(scores: FloatArray, budget: int, among: BoolArray) -> IndexArray:
    """Return the numbers of the `budget` highest units of `among`, best first; equal scores keep the order of the units."""
    if budget < 0:
        raise UserError(f"A budget of {budget} units is impossible. Give 1 or more.")
    candidates = np.flatnonzero(among)
    if len(candidates) > budget > 0:
        own = scores[candidates]
        candidates = candidates[own >= _lower_bound(own, budget)]
    order = np.argsort(-scores[candidates], kind="stable")
    return candidates[order[:budget]]


def _lower_bound(scores: FloatArray, budget: int) -> float:
    """Return a score that at least `budget` units reach, and not many more.

    The `budget`-th highest maximum of a block is such a score. It takes a tenth of the time of a partition of all scores.
    """
    blocks = len(scores) // _BLOCK
    if blocks > budget:
        scores = scores[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
    return float(np.partition(scores, len(scores) - budget)[len(scores) - budget])


def ranked(graph: MemoryGraph, numbers: IndexArray, scores: FloatArray) -> tuple[Recalled, ...]:
    """Make a ranking of units, in the order of their numbers here."""
    return tuple(
        Recalled(graph.units[number].id, rank, float(scores[number])) for rank, number in enumerate(numbers.tolist(), 1)
    )


def parts_of(graph: MemoryGraph, numbers: IndexArray, named: Mapping[str, FloatArray]) -> dict[str, dict[str, float]]:
    """For each of these units, the values that its score is made of."""
    return {
        graph.units[number].id: {name: float(values[number]) for name, values in named.items()}
        for number in numbers.tolist()
    }
