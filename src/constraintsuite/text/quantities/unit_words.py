"""The unit after a number: a word, a symbol, or what a number of currency is in."""

from __future__ import annotations

from typing import NamedTuple

from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.units import MeasuringUnit, unit_table
from constraintsuite.text.quantities.vocabulary import context_words

_HYPHENS = frozenset("-‐‑")
_SINGLE = frozenset(["m", "g", "l", "L", "h", "s", "V", "W", "J"])
"""Symbols of one letter."""
_COUNTRY_DOLLARS = {
    "us": "USD", "american": "USD", "canadian": "CAD", "australian": "AUD", "zealand": "NZD", "hong": "HKD",
}  # fmt: skip
_AREA_WORDS = frozenset(["area", "surface", "region", "volume"])


class UnitFound(NamedTuple):
    """A unit, and the place after its last piece."""

    unit: MeasuringUnit
    after: int
    hyphen: bool = False
    """Whether a hyphen joins it to the number."""


def find_unit(pieces: Pieces, at: int) -> UnitFound | None:
    """The unit that begins at a place right after a number; a hyphen may stand before it."""
    hyphen = pieces.lower(at) in _HYPHENS and pieces.touches(at - 1) and pieces.touches(at)
    start = at + 1 if hyphen else at
    if not pieces.spaced(start - 1) or not 0 < at < pieces.length:
        return None
    longest = unit_table().longest.get(pieces.lower(start), 0)
    for length in range(min(longest * 2, 6), 0, -1):
        unit = _named(pieces, start, length)
        if unit is not None:
            return UnitFound(unit, start + length, hyphen)
    return _temperature_letter(pieces, start)


def find_currency_before(pieces: Pieces, at: int) -> tuple[MeasuringUnit, int] | None:
    """The currency whose sign or code stands before a place, and the place of its first piece."""
    for length in (3, 2, 1):
        first = at - length
        if first < 0 or not pieces.spaced(at - 1):
            continue
        if any(not pieces.touches(place) for place in range(first, at - 1)):
            continue
        symbol = "".join(pieces.at(place).text for place in range(first, at))
        unit = unit_table().symbols.get(symbol)
        if unit is not None and unit.dimension == "money":
            return unit, first
        if symbol == "¥":
            return unit_table().units["JPY"], first
    return None


def _named(pieces: Pieces, at: int, length: int) -> MeasuringUnit | None:
    last = at + length - 1
    if last >= pieces.length or any(not pieces.spaced(place) for place in range(at, last)):
        return None
    following = pieces.at(last + 1)
    if pieces.touches(last) and following.kind == "number":
        return None
    texts = [pieces.at(place).text for place in range(at, last + 1)]
    unit = unit_table().symbols.get("".join(texts))
    if unit is not None and _fits_symbol(pieces, at, last, unit):
        return unit
    words = [text for place, text in enumerate(texts) if text not in _HYPHENS or place in (0, length - 1)]
    return unit_table().names.get(" ".join(words).lower()) if texts[-1] != "." else None


def _fits_symbol(pieces: Pieces, at: int, last: int, unit: MeasuringUnit) -> bool:
    """Whether a symbol is one here: "3 in the", "the 90s" and "5 m people" have none."""
    text, glued = pieces.at(at).text, pieces.touches(at - 1)
    following = pieces.lower(last + 1)
    if pieces.at(last).kind == "number" and not pieces.touches(last - 1):
        first, after = pieces.sentence(at)
        return pieces.at(last + 1).kind == "sign" or any(
            pieces.lower(place) in _AREA_WORDS for place in range(first, after)
        )
    if text in ("in", "ins") and last == at:
        bracket = pieces.lower(at - 2) == "(" and following in (")", ",", ";", "")
        if pieces.lower(at - 2) in ("ft", "foot", "feet"):
            return True
        joined = pieces.touches(last + 1) and pieces.at(last + 2).text in _HYPHENS  # in high-need schools
        return (
            (following in context_words().after_inches and not joined)
            or bracket
            or (glued and following in (".", ",", "", ")"))
        )
    if last == at and text == "s":
        return not glued and pieces.at(at - 1).text not in ("10", "20", "30", "40", "50", "60", "70", "80", "90")
    if last == at and text in ("PS", "kn", "ly", "MP", "PB", "KB", "Rs", "J", "V"):
        return pieces.at(at - 1).kind == "number"
    if last == at and text == "h":
        return pieces.at(at - 1).kind == "number" and following != "bomb"
    if unit.name == "metre" and last == at and text == "m":
        return following not in ("people", "users", "viewers", "copies", "dollars", "euros", "pounds", "inhabitants")
    return True


def _temperature_letter(pieces: Pieces, at: int) -> UnitFound | None:
    """180C and 350 F, where the sentence speaks of heat."""
    text = pieces.at(at).text
    if text not in ("C", "F") or pieces.at(at - 1).kind != "number":
        return None
    first, after = pieces.sentence(at)
    if not any(pieces.lower(place) in context_words().heating for place in range(first, after)):
        return None
    return UnitFound(unit_table().units["degree_celsius" if text == "C" else "degree_fahrenheit"], at + 1)
