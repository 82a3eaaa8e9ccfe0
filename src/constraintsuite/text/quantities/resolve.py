"""The unit of a number: its currency, the unit or the noun after it, or what the words around it tell."""

from __future__ import annotations

from typing import NamedTuple

from constraintsuite.text.quantities.contexts import implied_unit
from constraintsuite.text.quantities.counted import CountedNoun, find_counted
from constraintsuite.text.quantities.draft import Draft
from constraintsuite.text.quantities.limits import Limit
from constraintsuite.text.quantities.lookalikes import is_label, is_list_marker, is_one_of_many, is_title, is_year
from constraintsuite.text.quantities.numbers import WrittenNumber, read_number
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.suits import age_end, suits, true_unit
from constraintsuite.text.quantities.terms import Term
from constraintsuite.text.quantities.unit_words import find_unit
from constraintsuite.text.quantities.units import unit_table
from constraintsuite.text.quantities.vocabulary import context_words, vocabulary
from constraintsuite.text.readings import readings

_LIST_GAP = 4
SIDES = frozenset(("under", "above", "below", "beneath", "over"))
"""Words that limit a number, and that also say where somebody is: under two kings."""


class Resolved(NamedTuple):
    """The unit of a number, where it begins, and the place after it."""

    unit: str
    dimension: str
    at: int
    after: int
    hyphen: bool = False


def resolve_unit(pieces: Pieces, term: Term, limit: Limit, inner: Limit, previous: Draft | None) -> Resolved | None:
    """The unit of a number: its currency, the unit or noun after it, or what the words around it tell."""
    number = term.number
    if term.currency is not None:
        if number.plain and pieces.at(number.after).kind == "number":
            return None  # $ 2 50
        repeated = find_unit(pieces, number.after)
        after = repeated.after if repeated and repeated.unit == term.currency else number.after
        return Resolved(term.currency.name, "money", number.after, after)
    written = _written(pieces, number, inner.place, limited=limit.place < term.first)
    if written is not None:
        return written
    counted = _counted(pieces, number, inner.place, limited=limit.place < term.first, previous=previous)
    if counted is not None:
        return counted
    words = vocabulary().words
    if is_label(pieces, number) and pieces.lower(limit.place - 1) not in words.holders | words.people:
        return None
    following = tuple(pieces.lower(place) for place in range(number.after, inner.place))
    implied = implied_unit(pieces, limit.place, number, following)
    return Resolved(implied.unit, implied.dimension, inner.place, inner.place) if implied else None


def _written(pieces: Pieces, number: WrittenNumber, at: int, *, limited: bool) -> Resolved | None:
    start = at
    found = find_unit(pieces, start)
    if found is not None and found.unit.dimension == "money" and not pieces.at(found.after - 1).text.isalpha():
        found = (
            None if pieces.at(found.after).kind == "number" else found
        )  # 50 $ 3: the sign belongs to the next number
    if found is None and pieces.lower(at) in vocabulary().words.several_more:
        found = find_unit(pieces, at + 1)
        found = found if found and found.unit.dimension == "duration" else None
    if found is not None and len(pieces.at(found.after - 1).text) == 1 and pieces.at(found.after - 1).text.isalpha():
        found = None if is_label(pieces, number) else found  # apartment 3J
    if found is None or not suits(pieces, number, found, limited=limited):
        return None
    unit = true_unit(pieces, number, found)
    if unit.dimension in ("duration", "other") and (end := age_end(pieces, found.after)):
        return Resolved(unit.name, "age", number.after, end, found.hyphen)
    return Resolved(unit.name, unit.dimension, number.after, found.after, found.hyphen)


def _counted(
    pieces: Pieces, number: WrittenNumber, at: int, *, limited: bool, previous: Draft | None
) -> Resolved | None:
    if number.part or (number.european and not number.value.is_integer()) or is_title(pieces, number):
        return None
    if is_one_of_many(pieces, number):
        return None
    named = is_label(pieces, number) or is_list_marker(pieces, number)
    if named or (not limited and is_year(pieces, number)) or _is_age_of_people(pieces, number):
        return None
    found = find_counted(pieces, at)
    one = number.value == 1
    if found is None and one and not number.digits:
        found = _one_of_a_list(pieces, number, previous)
    elif one or number.value == 0:
        return None
    if found is not None and number.plain and number.value >= 1000 and _may_be_verb(pieces, at, found):
        return None
    if found is None or (not (2 * number.value).is_integer() and found.noun != "point"):
        return None
    unit = unit_table().units.get(found.noun)
    if unit is not None and found.after == at + 1:
        return None  # it was refused as a unit: two degrees
    return Resolved(found.noun, unit.dimension if unit else "count", at, found.after, found.hyphen)


def _may_be_verb(pieces: Pieces, at: int, found: CountedNoun) -> bool:
    """Whether what looks like the counted noun may be the verb after a name: the 5150 code falls under an act."""
    last = found.after - 1
    return last > at and any(reading.pos == "VERB" for reading in readings(pieces.lower(last)))


def _is_age_of_people(pieces: Pieces, number: WrittenNumber) -> bool:
    """Whether a number limits people by age, such as "everybody over 65"; the next word is no noun then."""
    before = pieces.lower(number.first - 2)
    return pieces.lower(number.first - 1) in SIDES and before in vocabulary().words.people


def _one_of_a_list(pieces: Pieces, number: WrittenNumber, previous: Draft | None) -> CountedNoun | None:
    """The singular noun after "one" where it stands in a list of numbers, or measures out something."""
    at = number.after
    piece = pieces.at(at)
    if piece.kind != "word" or not piece.text.islower() or not any(one.tag == "NN" for one in readings(piece.lower)):
        return None
    joined = pieces.lower(number.first - 1) in ("and", ",")
    follows = (
        joined and previous is not None and number.first - previous.after <= _LIST_GAP and previous.dimension == "count"
    )
    listed = pieces.lower(at + 1) in (",", "and") and read_number(pieces, at + 2) is not None
    return CountedNoun(piece.lower, at + 1) if follows or listed or piece.lower in context_words().containers else None


def exact_value(number: WrittenNumber, value: float, dimension: str) -> float | None:
    """The value as an English writer means it; None where point and comma can be read in two ways."""
    if dimension == "money" and number.three_decimals and number.after == number.first + 1:
        return None
    if not number.european:
        return value
    if value.is_integer():  # 3.000
        return value * 1000 if dimension in ("count", "age", "duration") and value >= 1 else None
    return value if dimension not in ("count", "age") else None
