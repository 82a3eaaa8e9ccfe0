"""The interface of a constraint type, and functions that find the types and solvers of examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, cast

from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.records.constraints import CONSTRAINTS, Constraint
from constraintsuite.core.records.examples import Example
from constraintsuite.suites.audit.solvers import SOLVERS, Solver


class ConstraintType(Protocol):
    """Everything the package knows of one type of constraint."""

    @property
    def record(self) -> type[Constraint]:
        """The dataclass of its constraints; the field `type` is a Literal of its name."""

    @property
    def solvers(self) -> tuple[Solver, ...]:
        """Shortcuts that this type may leave open, for the audit."""

    def by_construction(self, example: Example, solver: str) -> str:
        """Why the meaning of the type decides what this solver picks here; empty if it does not.

        Such a solver need not be at chance; the audit judges it by paired accuracy.
        """

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read the texts of these examples again; gives one line for each label that no longer holds."""


def load_type(name: str) -> ConstraintType:
    """The constraint type of this name."""
    return cast(ConstraintType, CONSTRAINTS.load(name))


def load_solver(name: str) -> Solver:
    """The solver with this name; a name that no constraint type or more than one has is a UserError."""
    known = [*SOLVERS, *(solver for kind in CONSTRAINTS.names() for solver in load_type(kind).solvers)]
    found = [solver for solver in known if solver.name == name]
    if not found:
        raise UserError(f"No solver named {name!r}. {hint_for(name, sorted(solver.name for solver in known))}")
    if len(found) > 1:
        raise UserError(f"{len(found)} constraint types have a solver named {name!r}. Rename one.")
    return found[0]


def solvers_for(example: Example) -> tuple[str, ...]:
    """Names of the solvers to try on an example: those of every suite, then those of its constraint type."""
    own = load_type(example.constraint.type).solvers if example.constraint is not None else ()
    return tuple(solver.name for solver in (*SOLVERS, *own))


def types_of(examples: Sequence[Example]) -> dict[str, ConstraintType]:
    """The constraint types of these examples by name, in the order of the catalogue."""
    used = {example.constraint.type for example in examples if example.constraint is not None}
    return {name: load_type(name) for name in CONSTRAINTS.names() if name in used}
