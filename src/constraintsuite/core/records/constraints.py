"""Constraints: what a query asks of a document. One record for each type, recognised by its `type`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from constraintsuite.core.catalogue import Catalogue

if TYPE_CHECKING:
    from typing import Self

    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


NO_OTHER_KEYS = {"extra": "forbid"}
"""Pydantic settings of records: an unknown key is a fault, since it may be misspelt."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One place in a document that decides whether it obeys the constraint."""

    __pydantic_config__ = NO_OTHER_KEYS

    document: str
    """Role of the document."""
    start: int
    end: int
    value: str
    """What was read there: for `exclude`, whether Y is `affirmed`, `negated` or `uncertain`."""
    rule: str
    """Name of the rule or the judge that read it."""
    cue: str | None = None
    """The words that decided, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """The fields of every constraint type; a type adds its own."""

    __pydantic_config__ = NO_OTHER_KEYS

    type: str
    value: str
    """What the constraint is about, as a person would say it: "nuts", "80 euros"."""
    cue: str
    """The words of the query that state it: "without", "under"."""
    forms: tuple[str, ...]
    """The words for the value in a text."""
    kinds: tuple[str, ...] = ()
    """Narrower words that count as the value too, such as walnut for nuts."""
    evidence: tuple[Evidence, ...] = ()
    stated_by: Literal["query", "opposite"] = "query"
    """Which of the two queries states it; for an adversarial control that is the opposite query."""

    def verdict(self, found: Evidence) -> str:
        """What a piece of its evidence says, in words such as "over 30 minutes"; without words of its own, what was read."""
        return found.value

    def with_evidence(self, change: Callable[[tuple[Evidence, ...]], tuple[Evidence, ...]]) -> Self:
        """The constraint with changed evidence, wherever it holds any."""
        return replace(self, evidence=change(self.evidence))

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401
        """A field of type `Constraint` accepts any type of the catalogue; `type` says which."""
        from pydantic_core import core_schema  # noqa: PLC0415 - not needed for the help of a command

        if cls is not Constraint:
            return handler(cls)
        choices = {name: handler.generate_schema(CONSTRAINTS.load(name).record) for name in CONSTRAINTS.names()}
        return core_schema.tagged_union_schema(choices, discriminator="type")


class ConstraintRecordType(Protocol):
    """What reading and writing need of a type; `suites/constraints/base.py` has the full interface."""

    @property
    def record(self) -> type[Constraint]:
        """The dataclass of its constraints; the field `type` is a Literal of its name."""


CONSTRAINTS: Catalogue[ConstraintRecordType] = Catalogue(
    "constraint type",
    {
        "exclude": "constraintsuite.suites.constraints.exclude:EXCLUDE",
        "number": "constraintsuite.suites.constraints.number:NUMBER",
        "time": "constraintsuite.suites.constraints.time:TIME",
        "place": "constraintsuite.suites.constraints.place:PLACE",
        "one_of": "constraintsuite.suites.constraints.one_of:ONE_OF",
        "compare": "constraintsuite.suites.constraints.compare:COMPARE",
        "include": "constraintsuite.suites.constraints.include:INCLUDE",
        "only": "constraintsuite.suites.constraints.only:ONLY",
        "all_of": "constraintsuite.suites.constraints.all_of:ALL_OF",
    },
)
"""The file of each constraint type, which holds everything that the package knows of it.

This is the only catalogue that names a module of a higher layer: reading an example needs the dataclass of its constraint. The
module is loaded when an example is read, not when this one is imported.
"""
