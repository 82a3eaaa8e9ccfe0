"""Run a model over all records of a shard in one batch, and leave out single records that it cannot work on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.record_isolation import RecordIsolation, in_bulk
from constraintsuite.models.base import TextError

Record = TypeVar("Record")
Made = TypeVar("Made")


class NoResult(Exception):  # noqa: N818 - the name stands in the list of what was left out
    """A TextError inside `in_bulk`, which takes errors of the user for no fault of a record."""

    def __init__(self, fault: TextError) -> None:
        super().__init__(str(fault))
        self.fault = fault


def model_in_bulk(
    care: RecordIsolation,
    records: Sequence[Record],
    name_of: Callable[[Record], str],
    make: Callable[[tuple[Record, ...]], Iterable[Made]],
    harmless: Record,
) -> list[Made | None]:
    """`in_bulk`, where records of a TextError are left out too; a model that fails at many, or at all, is told as it fails."""
    faults: list[TextError] = []

    def blaming(some: tuple[Record, ...]) -> Iterable[Made]:
        try:
            return make(some)
        except TextError as fault:
            faults.append(fault)
            raise NoResult(fault).with_traceback(fault.__traceback__) from None

    try:
        return in_bulk(care, records, name_of, blaming, harmless)
    except NoResult as result:  # at what is harmless, or only where all are together: at no record
        raise result.fault from None
    except UserError as error:
        if not faults:
            raise
        raise UserError(f"{error} {faults[0]}") from None
