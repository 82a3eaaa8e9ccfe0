"""What every mode is made from, and how a mode is loaded by its name.

Names of modes are written as model strings are: `ppr`, `ppr,damping=0.5,seeds=hybrid`, `hybrid_rerank:cross:NAME,depth=20`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import describe
from constraintsuite.memory.graph import BoolArray, FloatArray, MemoryGraph
from constraintsuite.memory.modes import MODES
from constraintsuite.memory.results import Recalled, SearchAnswer, SearchMode
from constraintsuite.models.base import ModelFact, Workbench
from constraintsuite.models.model_names import ModelName, ModelSettings, parse_model

if TYPE_CHECKING:
    from constraintsuite.memory.memory import Memory
    from constraintsuite.memory.state import MemoryState


IndexArray = npt.NDArray[np.intp]
"""Positions, as numpy gives and takes them; the columns of a graph are half as wide."""
S = TypeVar("S", bound=ModelSettings)
_BLOCK = 128


class DescribedMode(SearchMode, Protocol):
    """A mode that can say what it settled on."""

    def describe(self) -> Mapping[str, ModelFact]:
        """Its options, each with the value it has."""


@dataclass(frozen=True)
class ModeContext:
    """What a mode works with: the memory, its state, and a place for models."""

    memory: Memory
    state: MemoryState | None = None
    """What holds at its clock's time is all that any mode finds; its strengths count in the dynamic modes alone."""
    bench: Workbench = field(default_factory=Workbench)
    """For models that put what was found into another order."""


class ModeFactory(Protocol):
    """Makes a mode from its name; making one is cheap."""

    def __call__(self, name: ModelName, context: ModeContext) -> DescribedMode:
        """The mode; an argument or option that it does not know is a UserError."""


def load_mode(
    text: str, memory: Memory, *, state: MemoryState | None = None, bench: Workbench | None = None
) -> DescribedMode:
    """The mode that a string names, over a memory; with a state, at the time of its clock."""
    name = parse_model(text)
    return MODES.load(name.family)(name, ModeContext(memory, state, bench or Workbench()))


class Mode(ABC, Generic[S]):
    """A mode that takes options only. A subclass names its settings and finds units for a query that is not empty."""

    settings_type: type[S]
    constants: ClassVar[Mapping[str, ModelFact]] = {}
    """What else decides its answers, for `describe`."""

    def __init__(self, name: ModelName, context: ModeContext) -> None:
        self.name = str(name)
        self.settings = options_of(name, self.settings_type)
        self.memory = context.memory
        self._family = name.family

    def search(self, query: str, budget: int) -> SearchAnswer:
        """The best units, at most `budget` of them; an empty query finds nothing."""
        return self.find(query, budget) if query.strip() else SearchAnswer(query, self.name, ())

    @abstractmethod
    def find(self, query: str, budget: int) -> SearchAnswer:
        """The best units for a query that is not empty."""

    def describe(self) -> Mapping[str, ModelFact]:
        """Its options and constants, each with the value it has."""
        return {"mode": self._family, **self.settings.model_dump(), **self.constants}


def options_of(name: ModelName, kind: type[S]) -> S:
    """The options of a mode that takes nothing else; a wrong one is a UserError that lists those there are."""
    if name.argument:
        raise UserError(f"Mode {name.head!r}: {name.family} takes options only, as in {name.family},OPTION=VALUE.")
    try:
        return kind.model_validate(dict(name.options))
    except ValidationError as error:
        known = "; ".join(f"{key}: {field.description}" for key, field in kind.model_fields.items())
        raise UserError(f"Mode {name.family!r}: {describe(error)} Options: {known or 'none'}.") from None


def best(scores: FloatArray, budget: int, among: BoolArray) -> IndexArray:
    """Numbers of the `budget` highest of some units, best first; equal scores in the order of the units."""
    if budget < 0:
        raise UserError(f"A budget of {budget} units cannot be kept. Give 1 or more.")
    candidates = np.flatnonzero(among)
    if len(candidates) > budget > 0:
        held = scores[candidates]
        candidates = candidates[held >= _floor(held, budget)]
    order = np.argsort(-scores[candidates], kind="stable")
    return candidates[order[:budget]]


def _floor(held: FloatArray, budget: int) -> float:
    """A value that at least `budget` reach, and not many more: what the highest of so many blocks reach.

    To look for the highest of each block takes a tenth of the time of parting all by the one that is sought.
    """
    blocks = len(held) // _BLOCK
    if blocks > budget:
        held = held[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
    return float(np.partition(held, len(held) - budget)[len(held) - budget])


def ranked(graph: MemoryGraph, numbers: IndexArray, scores: FloatArray) -> tuple[Recalled, ...]:
    """Units of the graph as a ranking, in the order given."""
    return tuple(
        Recalled(graph.units[number].id, rank, float(scores[number])) for rank, number in enumerate(numbers.tolist(), 1)
    )


def parts_of(graph: MemoryGraph, numbers: IndexArray, named: Mapping[str, FloatArray]) -> dict[str, dict[str, float]]:
    """Of each of these units, the values that its score is made of."""
    return {
        graph.units[number].id: {name: float(values[number]) for name, values in named.items()}
        for number in numbers.tolist()
    }
