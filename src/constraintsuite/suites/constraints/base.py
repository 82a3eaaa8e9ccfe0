"""The interface of a constraint type, and functions that find the types and solvers of examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from constraintsuite.core.catalogue import Catalogue
from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.records.constraints import CONSTRAINTS, Constraint, Evidence
from constraintsuite.core.records.examples import Example
from constraintsuite.suites.audit.solvers import SOLVERS, Solver

if TYPE_CHECKING:
    from constraintsuite.core.execution.stage import Job
    from constraintsuite.suites.corpus.corpus import DocumentNumbers
    from constraintsuite.suites.domain import Knowledge
    from constraintsuite.suites.pairs.records import CheckedDocument, CheckedPair, PairDraft
    from constraintsuite.suites.queries.considered import ConsideredAttribute
    from constraintsuite.suites.queries.records import Proposal
    from constraintsuite.suites.queries.view import CorpusView
    from constraintsuite.suites.recipe import Recipe
    from constraintsuite.suites.splits import AskedSplits
    from constraintsuite.text.base import Analysis


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


class ConstraintSurvey(Protocol):
    """What a builder found in a corpus, before its documents are dealt to splits."""

    @property
    def names(self) -> Mapping[str, DocumentNumbers]:
        """The documents that state each name; a name is asked for in one split only."""

    @property
    def ties(self) -> Iterable[Sequence[DocumentNumbers]]:
        """Lists of groups of documents that should share a split, the most important list first."""

    @property
    def uses(self) -> Iterable[DocumentNumbers]:
        """For each kind of example, the documents that it can be made from, once for each example that may be expected."""

    def propose(self, splits: AskedSplits, rejects: Counter[str]) -> Iterable[Proposal]:
        """The queries that this corpus could answer."""

    @property
    def considered(self) -> Iterable[ConsideredAttribute]:
        """What became of everything that was looked at; complete after `propose`."""

    def write(self, out: Path) -> None:
        """Write what `draft` needs besides the proposals; called after `propose`."""


class ConstraintBuilder(Protocol):
    """Makes examples of one constraint type."""

    @property
    def balanced(self) -> Mapping[str, str]:
        """The solvers that must be right as often as wrong, and the reason that is given for what is left out for each."""

    def survey(self, view: CorpusView, knowledge: Knowledge, recipe: Recipe, rejects: Counter[str]) -> ConstraintSurvey:
        """Find out what can be asked for."""

    def draft(self, proposals: Sequence[Proposal], job: Job[Recipe], rejects: Counter[str]) -> Iterable[PairDraft]:
        """Pairs of texts that may become examples of these proposals."""

    def read(
        self, constraint: Constraint, role: str, analysis: Analysis, title: str, knowledge: Knowledge
    ) -> tuple[Evidence, ...]:
        """Everything in a text that decides whether it obeys the constraint."""

    def find_fault(self, pair: CheckedPair) -> str | None:
        """The reason why a pair does not show the constraint obeyed and violated; None if it does."""

    def obeys(self, constraint: Constraint, document: CheckedDocument) -> bool | None:
        """Whether a text obeys the constraint or, if not, its opposite; None if it does neither, or that is not clear."""

    def complete(self, constraint: Constraint, documents: Mapping[str, CheckedDocument]) -> Constraint:
        """The constraint of a proposal with what was found in the two documents, by their roles."""

    def tags(self, constraint: Constraint, satisfying: str) -> Mapping[str, str]:
        """The tags that only this type has, from the complete constraint and the satisfying text."""


BUILDERS: Catalogue[ConstraintBuilder] = Catalogue(
    "constraint type that can be built",
    {
        "exclude": "constraintsuite.suites.constraints.exclude_builder:BUILDER",
        "number": "constraintsuite.suites.constraints.number:BUILDER",
        "time": "constraintsuite.suites.constraints.time:BUILDER",
        "place": "constraintsuite.suites.constraints.place:BUILDER",
        "one_of": "constraintsuite.suites.constraints.one_of:BUILDER",
        "compare": "constraintsuite.suites.constraints.compare:BUILDER",
        "include": "constraintsuite.suites.constraints.include_builder:BUILDER",
        "only": "constraintsuite.suites.constraints.only_builder:BUILDER",
        "all_of": "constraintsuite.suites.constraints.all_of:BUILDER",
    },
)
"""The constraint types that `csuite build` makes examples of."""
ALL_OF = "all_of"
"""The type that combines what the others propose, so it comes after them."""


def load_type(name: str) -> ConstraintType:
    """The constraint type of this name."""
    return cast(ConstraintType, CONSTRAINTS.load(name))


def load_builder(name: str) -> ConstraintBuilder:
    """The builder of this constraint type."""
    return BUILDERS.load(name)


def load_solver(name: str) -> Solver:
    """The solver with this name; a name that no constraint type or more than one has is a UserError."""
    known = [*SOLVERS, *(solver for kind in CONSTRAINTS.names() for solver in load_type(kind).solvers)]
    found = list({id(solver): solver for solver in known if solver.name == name}.values())  # types may share a solver
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
