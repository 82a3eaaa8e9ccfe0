"""The contracts of this folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from constraintsuite.memory.columns import BoolArray, FloatArray
from constraintsuite.memory.recall import SearchMode
from constraintsuite.models.base import ModelFact, Workbench
from constraintsuite.models.naming import ModelName

if TYPE_CHECKING:
    from constraintsuite.memory.memory import Memory
    from constraintsuite.memory.state.state import MemoryState

IndexArray = npt.NDArray[np.intp]
"""What numpy gives and takes as places; a graph's columns are half as wide."""

__all__ = ["BoolArray", "DescribedMode", "FloatArray", "IndexArray", "ModeContext", "ModeFactory"]


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

    def __call__(self, name: ModelName, place: ModeContext) -> DescribedMode:
        """The mode; an argument or option that it does not know is a UserError."""
