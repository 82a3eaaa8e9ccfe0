"""What a query asks of a document: one record for each constraint type, read and written by its `type`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from constraintsuite.core.catalogue import Catalogue

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


NO_OTHER_KEYS = {"extra": "forbid"}
"""For readers: a key that is misspelt is a fault, and not left out in silence."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One place in a document that decides whether it obeys the constraint."""

    __pydantic_config__ = NO_OTHER_KEYS

    document: str
    """Role of the document that it lies in."""
    start: int
    end: int
    value: str
    """What was read there: for an exclusion `affirmed`, `negated` or `uncertain`, for a number the number with its unit."""
    rule: str
    """The rule, or the judge, that read it."""
    cue: str | None = None
    """The words beside it that decided, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """What every constraint type has; a type adds fields of its own."""

    __pydantic_config__ = NO_OTHER_KEYS

    type: str
    value: str
    """What the constraint is about, as a person would say it: "nuts", "80 euros"."""
    cue: str
    """The words of the query that state it: "without", "under"."""
    forms: tuple[str, ...]
    """Words by which the value shows in a text."""
    kinds: tuple[str, ...] = ()
    """Narrower words that count as the value too: walnut for nuts."""
    evidence: tuple[Evidence, ...] = ()
    stated_by: Literal["query", "opposite"] = "query"
    """Which of the two queries states it; a control may ask for what its original leaves out."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401
        """A field of type `Constraint` holds any type of the catalogue, told apart by `type`."""
        from pydantic_core import core_schema  # noqa: PLC0415 - whoever asks has loaded it; a command's help need not

        if cls is not Constraint:
            return handler(cls)
        choices = {name: handler.generate_schema(CONSTRAINTS.load(name).record) for name in CONSTRAINTS.names()}
        return core_schema.tagged_union_schema(choices, discriminator="type")


class ConstraintRecordType(Protocol):
    """What reading and writing need of a type; `suites/constraints/base.py` has the whole contract."""

    @property
    def record(self) -> type[Constraint]:
        """The dataclass of its constraints; the field `type` is a Literal of its name."""


CONSTRAINTS: Catalogue[ConstraintRecordType] = Catalogue(
    "constraint type",
    {
        "exclude": "constraintsuite.suites.constraints.exclude:EXCLUDE",
    },
)
"""Everything the package knows of a type stands in one file; the catalogue says where.

This is the one catalogue that names a module of a higher layer: an example is a record, and reading one needs the dataclass of
its constraint. The name is followed when an example is read, never by an import of this module.
"""
