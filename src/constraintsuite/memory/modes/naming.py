"""Names of modes, written as model strings are: `ppr`, `ppr,damping=0.5,seeds=hybrid`, `hybrid_rerank:cross:NAME,depth=20`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from constraintsuite.errors import UserError
from constraintsuite.memory.modes import MODES
from constraintsuite.memory.modes.base import DescribedMode, ModeContext
from constraintsuite.models.base import Workbench
from constraintsuite.models.naming import ModelName, ModelSettings, parse_model
from constraintsuite.store.jsonl import describe

if TYPE_CHECKING:
    from constraintsuite.memory.memory import Memory
    from constraintsuite.memory.state.state import MemoryState

S = TypeVar("S", bound=ModelSettings)


def load_mode(
    text: str, memory: Memory, *, state: MemoryState | None = None, bench: Workbench | None = None
) -> DescribedMode:
    """The mode that a string names, over a memory; with a state, at the time of its clock."""
    name = parse_model(text)
    return MODES.load(name.family)(name, ModeContext(memory, state, bench or Workbench()))


def options_of(name: ModelName, kind: type[S]) -> S:
    """The options of a mode that takes nothing else; a wrong one is a UserError that lists those there are."""
    if name.argument:
        raise UserError(f"Mode {name.head!r}: {name.family} takes options only, as in {name.family},OPTION=VALUE.")
    try:
        return kind.model_validate(dict(name.options))
    except ValidationError as error:
        known = "; ".join(f"{key}: {field.description}" for key, field in kind.model_fields.items())
        raise UserError(f"Mode {name.family!r}: {describe(error)} Options: {known or 'none'}.") from None
