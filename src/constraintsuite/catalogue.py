"""Names that a user can write, and where the thing behind each name lives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Generic, TypeVar, cast

from constraintsuite.errors import UserError

T = TypeVar("T")


@dataclass(frozen=True)
class Catalogue(Generic[T]):
    """Names that can be loaded; each points at `module:attribute` and nothing is imported until asked."""

    kind: str
    places: Mapping[str, str]

    def load(self, name: str) -> T:
        """The thing called `name`, imported now."""
        if name not in self.places:
            near = get_close_matches(name, self.places, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else f" There are: {', '.join(sorted(self.places))}."
            raise UserError(f"No {self.kind} named {name!r}.{hint}")
        module, _, attribute = self.places[name].partition(":")
        return cast(T, getattr(import_module(module), attribute))

    def names(self) -> tuple[str, ...]:
        """All names, in the order of the table."""
        return tuple(self.places)
