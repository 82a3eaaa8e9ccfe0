"""A number with its sign and the currency before it."""

from __future__ import annotations

from dataclasses import dataclass

from constraintsuite.text.quantities.numbers import WrittenNumber, read_number
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.unit_words import find_currency_before
from constraintsuite.text.quantities.units import MeasuringUnit

_MINUS = frozenset("-−–")


@dataclass(frozen=True, slots=True)
class Term:
    """A number with its sign and the currency before it."""

    number: WrittenNumber
    first: int
    currency: MeasuringUnit | None = None
    negative: bool = False

    @property
    def value(self) -> float:
        """The signed value."""
        return -self.number.value if self.negative else self.number.value


def read_term(pieces: Pieces, at: int) -> Term | None:
    """The number at a place, or after a currency sign at that place."""
    for start in (at, at + 1, at + 2):
        if start > at and pieces.at(start - 1).kind == "number":
            break
        currency = find_currency_before(pieces, start) if pieces.at(start).kind == "number" else None
        if start > at and (currency is None or currency[1] != at):
            continue
        number = read_number(pieces, start, money=currency is not None)
        if number is None:
            continue
        first = currency[1] if currency else start
        before = pieces.at(first - 1) if first else None
        worded = before is not None and before.lower in ("minus", "negative")
        glued = (
            before is not None
            and before.text in _MINUS
            and pieces.touches(first - 1)
            and (not pieces.touches(first - 2) or pieces.at(first - 2).text in "([/")
        )
        negative = worded or (glued and number.digits and currency is None)
        return Term(number, first - 1 if negative else first, currency[0] if currency else None, negative)
    return None
