"""Whether a word after a number is its unit here, and which unit it is."""

from __future__ import annotations

from constraintsuite.text.quantities.numbers import WrittenNumber
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.unit_words import UnitFound
from constraintsuite.text.quantities.units import MeasuringUnit, unit_table
from constraintsuite.text.quantities.vocabulary import context_words

_ONLY_DIGITS = frozenset(["bit", "knot", "kelvin", "stone"])
_NEVER_SINGULAR = frozenset(["century", "decade", "millennium", "time"])
_SCALE_NAMES = frozenset(("Celsius", "Fahrenheit", "Centigrade", "Kelvin"))
_OWNERS = frozenset(("on", "his", "her", "my", "their", "your", "both"))


def suits(pieces: Pieces, number: WrittenNumber, found: UnitFound, *, limited: bool) -> bool:
    """Whether a unit can belong to a number; `limited` says that words such as "about" stand before it."""
    if _is_in_title(pieces, number, found, limited=limited) or _is_ordinal(pieces, number, found):
        return False
    name = found.unit.name
    if number.value == 1 and not number.digits and name in context_words().not_with_one:
        return name != "time" and (found.hyphen or limited)
    written = pieces.lower(found.after - 1)
    if written == name and not _suits_singular(pieces, number, found):
        return False
    return (number.digits or name not in _ONLY_DIGITS) and _suits_name(pieces, number, found)


def _suits_singular(pieces: Pieces, number: WrittenNumber, found: UnitFound) -> bool:
    """Whether a unit in the singular fits: not in "20 century", "1917 year" and "twenty second"."""
    name = found.unit.name
    if name in _NEVER_SINGULAR:
        return name == "decade" and found.hyphen
    if found.hyphen or number.value == 1:
        return True
    if name in ("year", "month", "day"):
        return not (number.plain and 1000 <= number.value <= 2100)
    return name != "second" or number.digits or pieces.at(found.after).kind == "word"


def _suits_name(pieces: Pieces, number: WrittenNumber, found: UnitFound) -> bool:
    """Whether units that are also other things are units here: two degrees, his two feet, 17 stone."""
    words = context_words()
    match found.unit.name:
        case "stone":
            return _near(pieces, number.first, words.weighing)
        case "degree" if not number.digits and not found.hyphen:
            return number.value > 4 or _near(pieces, number.first, words.warmth | words.angles)
        case "foot" if number.value == 2:
            return pieces.lower(number.first - 1) not in _OWNERS
    return True


def _is_in_title(pieces: Pieces, number: WrittenNumber, found: UnitFound, *, limited: bool) -> bool:
    """Whether the unit has a capital, as in the title 24 Hours in the Life of a Woman."""
    text = pieces.at(found.after - 1).text
    title = text.istitle() and len(text) > 3 and text not in _SCALE_NAMES
    title = title and found.unit.dimension not in ("data", "power", "energy")
    return title and not limited and not pieces.text.isupper()


def _is_ordinal(pieces: Pieces, number: WrittenNumber, found: UnitFound) -> bool:
    """Whether "-second" makes an ordinal: seventy-second."""
    return found.hyphen and found.unit.name == "second" and not number.digits and 20 <= number.value < 100


def true_unit(pieces: Pieces, number: WrittenNumber, found: UnitFound) -> MeasuringUnit:
    """The unit, with pounds told apart: of weight, or of money."""
    unit = found.unit
    if unit.name != "pound" or pieces.lower(found.after - 1) not in ("pound", "pounds"):
        return unit
    if _near(pieces, number.first, context_words().weighing) or pieces.lower(found.after) == "of":
        return unit
    money = _near(pieces, number.first, context_words().money) or "£" in pieces.text
    money = money or (
        pieces.lower(found.after) in ("a", "per") and pieces.lower(found.after + 1) in ("night", "month", "person")
    )
    return unit_table().units["GBP"] if money else unit


def age_end(pieces: Pieces, at: int) -> int:
    """The place after "old" or "of age" that begins at a place; 0 if nothing of the kind does."""
    if pieces.lower(at) in ("old", "olds"):
        return at + 1
    if pieces.lower(at) == "-" and pieces.lower(at + 1) in ("old", "olds") and pieces.touches(at):
        return at + 2
    return at + 2 if pieces.lower(at) == "of" and pieces.lower(at + 1) == "age" else 0


def _near(pieces: Pieces, at: int, words: frozenset[str]) -> bool:
    first, after = pieces.sentence(at, 15)
    return any(pieces.lower(place) in words for place in range(first, after))
