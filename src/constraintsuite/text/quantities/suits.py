"""Whether a word after a number is its unit here, and which unit it is."""

from __future__ import annotations

from constraintsuite.text.quantities.numbers import Number
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.unit_words import UnitFound
from constraintsuite.text.quantities.units import Unit, unit_table

_NOT_WITH_ONE = frozenset("day time night star degree foot second bit knot stone".split())
_ONLY_DIGITS = frozenset("bit knot kelvin stone cup_of".split())
_NEVER_SINGULAR = frozenset("century decade millennium time".split())
_MONEY_WORDS = frozenset(
    "fare fares ticket tickets rate cost costs costing price prices priced pay pays paid paying fee fees fine fined worth salary wage wages rent sold sell sells "
    "bought buy budget earned earn earns spend spent cheap expensive sterling pence shillings tax debt loan prize income value "
    "valued sum charge charges charged donated raised fund funds bill deposit reward".split()
)
_MASS_WORDS = frozenset("weigh weighs weighed weighing weight lost lose gained gain heavy heavier lbs mass shot body".split())
_WARM = frozenset(
    "temperature temperatures warm warmer cold colder hot hotter cool cooler celsius fahrenheit weather heat oven climate below above "
    "°".split()
)
_ANGLE = frozenset("angle angles rotate rotated rotation turn turned latitude longitude north south east west tilt arc slope".split())


def suits(pieces: Pieces, number: Number, found: UnitFound, *, limited: bool) -> bool:
    """Whether a unit can belong to a number; `limited` says that words such as "about" stand before it."""
    name, worded = found.unit.name, pieces.at(found.after - 1).kind == "word" and len(pieces.at(found.after - 1).text) > 2
    singular = worded and pieces.lower(found.after - 1) == name
    if _is_in_title(pieces, number, found, limited=limited) or _is_ordinal(pieces, number, found):
        return False
    if number.value == 1 and not number.digits and name in _NOT_WITH_ONE:
        return found.hyphen and name != "time" or (limited and name != "time")
    if name in _NEVER_SINGULAR and singular:
        return name == "decade" and found.hyphen
    if name == "stone" and not _near(pieces, number.first, _MASS_WORDS):
        return False
    if name == "degree" and not number.digits and not found.hyphen:
        return number.value > 4 or _near(pieces, number.first, _WARM | _ANGLE)
    if name == "foot" and number.value == 2 and pieces.lower(number.first - 1) in ("on", "his", "her", "my", "their", "your", "both"):
        return False
    if name in ("year", "month", "day") and number.plain and singular and 1000 <= number.value <= 2100 and not found.hyphen:
        return False
    if name == "second" and singular and not found.hyphen and not number.digits and number.value != 1:
        return pieces.at(found.after).kind == "word"
    if found.unit.dimension == "money" and name == "INR" and not pieces.at(found.after - 1).text[0].isalpha():
        return True
    if name == "month" and pieces.lower(found.after - 1) == "mo":
        return False
    return number.digits or name not in _ONLY_DIGITS


def _is_in_title(pieces: Pieces, number: Number, found: UnitFound, *, limited: bool) -> bool:
    """Whether the unit has a capital, as in the title 24 Hours in the Life of a Woman."""
    text = pieces.at(found.after - 1).text
    title = text.istitle() and len(text) > 3 and found.unit.dimension not in ("temperature", "data", "power", "energy")
    return title and not limited and not pieces.text.isupper()


def _is_ordinal(pieces: Pieces, number: Number, found: UnitFound) -> bool:
    """Whether "-second" makes an ordinal: seventy-second."""
    return found.hyphen and found.unit.name == "second" and not number.digits and 20 <= number.value < 100


def true_unit(pieces: Pieces, number: Number, found: UnitFound) -> Unit:
    """The unit, with pounds told apart: of weight, or of money."""
    unit = found.unit
    if unit.name != "pound" or pieces.lower(found.after - 1) not in ("pound", "pounds"):
        return unit
    if _near(pieces, number.first, _MASS_WORDS) or pieces.lower(found.after) == "of":
        return unit
    money = _near(pieces, number.first, _MONEY_WORDS) or "£" in pieces.text
    money = money or (pieces.lower(found.after) in ("a", "per") and pieces.lower(found.after + 1) in ("night", "month", "person"))
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
