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

from constraintsuite.errors import UserError
from constraintsuite.memory.modes import MODES
from constraintsuite.memory.recall import SearchAnswer, SearchMode
from constraintsuite.models.base import ModelFact, Workbench
from constraintsuite.models.naming import ModelName, ModelSettings, parse_model
from constraintsuite.store.jsonl import describe

if TYPE_CHECKING:
    from constraintsuite.memory.memory import Memory
    from constraintsuite.memory.state import MemoryState

IndexArray = npt.NDArray[np.intp]
"""Positions, as numpy gives and takes them; the columns of a graph are half as wide."""
S = TypeVar("S", bound=ModelSettings)


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
