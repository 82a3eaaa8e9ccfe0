"""The contract of a constraint type, and how to find the type of an example."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, cast

from constraintsuite.catalogue import Catalogue
from constraintsuite.errors import UserError
from constraintsuite.records.constraints import CONSTRAINTS, Constraint
from constraintsuite.records.examples import Example
from constraintsuite.suites.audit import SOLVERS
from constraintsuite.suites.audit.base import Solver


class ConstraintType(Protocol):
    """Everything the package knows of one type of constraint."""

    @property
    def record(self) -> type[Constraint]:
        """The dataclass of its constraints; the field `type` is a Literal of its name."""

    @property
    def solvers(self) -> Catalogue[Solver]:
        """Shortcuts that this type may leave open, for the audit; the catalogue of a type may be empty."""

    def by_construction(self, example: Example, solver: str) -> str:
        """Why a solver decides this example by the definition of its slice, in one sentence; empty if it should not."""

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read the texts of examples of this type again; yields one line for each label that no longer holds."""


def load_type(name: str) -> ConstraintType:
    """The constraint type of this name."""
    return cast(ConstraintType, CONSTRAINTS.load(name))


def all_solvers() -> Catalogue[Solver]:
    """The audit's solvers of every suite and of all constraint types; a name that stands for two is a UserError."""
    places = dict(SOLVERS.places)
    for kind in CONSTRAINTS.names():
        own = load_type(kind).solvers.places
        taken = sorted(own.keys() & places.keys())
        if taken:
            raise UserError(f"The constraint type {kind!r} names a solver {taken[0]!r}, which there is already.")
        places |= own
    return Catalogue("solver", places)


def solvers_for(example: Example) -> tuple[str, ...]:
    """Names of the solvers to try on an example: those of every suite, then those of its constraint type."""
    own = load_type(example.constraint.type).solvers.names() if example.constraint is not None else ()
    return (*SOLVERS.names(), *own)


def types_of(examples: Sequence[Example]) -> dict[str, ConstraintType]:
    """The constraint types of these examples by name, in the order of the catalogue."""
    held = {example.constraint.type for example in examples if example.constraint is not None}
    return {name: load_type(name) for name in CONSTRAINTS.names() if name in held}
