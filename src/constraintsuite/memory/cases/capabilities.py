"""What a mode can be asked for, by what it says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from constraintsuite.memory.modes.base import DescribedMode
from constraintsuite.models.base import ModelFact


class Capabilities(NamedTuple):
    """A check that a mode has nothing for is not made; it is neither passed nor failed."""

    walks: bool
    """It shows paths and a trace."""
    dynamic: bool
    """What was confirmed before counts."""


def capabilities_of(mode: DescribedMode) -> Capabilities:
    """A mode that walks names the kinds of edges it walks, one with a state what strength is worth."""
    facts = mode.describe()
    return Capabilities(_has(facts, "kinds"), _has(facts, "boost"))


def _has(facts: Mapping[str, ModelFact], key: str) -> bool:
    first = facts.get("first")
    return bool(facts.get(key)) or (isinstance(first, Mapping) and _has(first, key))
