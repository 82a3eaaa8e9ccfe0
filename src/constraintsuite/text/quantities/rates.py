"""What a value is for: a night, per month, per 100 kilometres, for every inch."""

from __future__ import annotations

from constraintsuite.text.quantities.numbers import read_number
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.unit_words import find_unit
from constraintsuite.text.quantities.vocabulary import vocabulary
from constraintsuite.text.readings import readings

_MOST_WORDS_BETWEEN = 4
_TIMES = frozenset(["second", "minute", "hour", "day", "night", "week", "month", "year"])
_SHORT = {"annum": "year", "person": "person", "head": "head", "capita": "person", "p.a": "year", "yr": "year"}


def find_per(pieces: Pieces, at: int, dimension: str) -> tuple[str, int]:
    """What a value is for, from a place right after its unit, and the place after it; "" if it is for nothing."""
    found = _per(pieces, at, dimension)
    if found is not None:
        return found
    if dimension in ("mass", "volume", "energy", "money") and pieces.lower(at) == "of":
        for place in range(at + 2, at + 2 + _MOST_WORDS_BETWEEN):
            if pieces.at(place - 1).kind != "word":
                break
            found = _per(pieces, place, dimension)
            if found is not None and found[0] in _TIMES:
                return found[0], at  # the substance between is no part of the value
    return "", at


def _per(pieces: Pieces, at: int, dimension: str) -> tuple[str, int] | None:
    word = pieces.lower(at)
    if word == "/" and (pieces.touches(at) or dimension == "money"):
        return _thing(pieces, at + 1, strict=dimension != "money")
    if word == "p" and pieces.lower(at + 1) == "." and pieces.lower(at + 2) == "a":
        return "year", at + 3
    if word == "for" and pieces.lower(at + 1) in ("every", "each"):
        return _thing(pieces, at + 2, strict=False)
    if word in vocabulary().words.per_words:
        return _thing(pieces, at + 1, strict=word != "per")
    if word in ("a", "an"):
        return _thing(pieces, at + 1, strict=True)
    return None


def _thing(pieces: Pieces, at: int, *, strict: bool) -> tuple[str, int] | None:
    """The unit at a place; if not strict, any noun."""
    number = read_number(pieces, at)
    start = number.after if number is not None else at
    unit = find_unit(pieces, start)
    known = vocabulary().words.per_units
    if unit is not None and (unit.unit.name in known or not strict):
        name = unit.unit.name
        if number is not None:
            name = f"{number.value:g} {name}"
        return name, unit.after
    word = pieces.lower(start)
    if number is not None or pieces.at(start).kind != "word":
        return None
    if word in _SHORT:
        return _SHORT[word], start + 1
    if word in known:
        return word, start + 1
    noun = next((reading.lemma for reading in readings(word) if reading.tag == "NN"), None)
    return (noun, start + 1) if noun is not None and not strict else None
