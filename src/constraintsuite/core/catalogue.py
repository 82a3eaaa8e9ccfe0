"""Names that a user can write, and the module that each name loads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Generic, TypeVar, cast

from constraintsuite.core.errors import UserError, hint_for

T = TypeVar("T")


@dataclass(frozen=True)
class Catalogue(Generic[T]):
    """Names that can be loaded; each points at `module:attribute` and nothing is imported until asked."""

    kind: str
    places: Mapping[str, str]

    def load(self, name: str) -> T:
        """The thing called `name`, imported now."""
        if name not in self.places:
            raise UserError(f"No {self.kind} named {name!r}. {hint_for(name, sorted(self.places))}")
        module, _, attribute = self.places[name].partition(":")
        return cast(T, getattr(import_module(module), attribute))

    def names(self) -> tuple[str, ...]:
        """All names, in the order of the table."""
        return tuple(self.places)
