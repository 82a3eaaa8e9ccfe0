"""Lengths that are written without a unit of their own: 101 x 41 x 50 cm, 6'2"."""

from __future__ import annotations

from constraintsuite.text.quantities.draft import Draft
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.terms import Term, read_term
from constraintsuite.text.quantities.unit_words import find_unit

_FOOT_MARKS = frozenset("'’′")
_INCH_MARKS = frozenset('"”″')


def read_feet_and_inches(pieces: Pieces, term: Term) -> list[Draft]:
    """The length of 6'2"; a quotation mark has to close it."""
    at = term.number.after
    inches = read_term(pieces, at + 1) if pieces.at(at).text in _FOOT_MARKS and pieces.touches(at - 1) else None
    if inches is None or not term.number.plain or not inches.number.digits or inches.number.value >= 12:
        return []
    marks = 1 if pieces.at(inches.number.after).text in _INCH_MARKS else 0
    if not marks or not pieces.touches(inches.number.after - 1):
        return []
    value = 12 * term.value + inches.value
    after = inches.number.after + marks
    return [Draft(term.first, term.number.first, at, after, value, value, "inch", "length")]


def read_size(pieces: Pieces, term: Term) -> list[Draft]:
    """The lengths of 101 x 41 x 50 cm; empty if the number begins no such list."""
    terms, after, units = [term], term.number.after, 0
    while True:
        found = find_unit(pieces, after)
        end = found.after if found and found.unit.dimension == "length" else after
        units = end if end > after else units
        if pieces.lower(end) not in ("x", "×", "by") or len(terms) > 3:
            break
        other = read_term(pieces, end + 1)
        if other is None or other.currency is not None:
            break
        terms.append(other)
        after = other.number.after
    last = find_unit(pieces, after)
    relay = len(terms) == 2 and terms[0].value < 10 and terms[1].value >= 10 * terms[0].value  # 4 × 400 metres
    if len(terms) < 2 or relay or last is None or last.unit.dimension != "length":
        return []
    return [
        Draft(
            one.first,
            one.number.first,
            one.number.after,
            last.after if one is terms[-1] else one.number.after,
            one.value,
            one.value,
            last.unit.name,
            "length",
        )
        for one in terms
    ]
