"""Numbers that are no quantities: names, dates, times of day, labels and titles."""

from __future__ import annotations

from constraintsuite.text.quantities.numbers import NUMBER_WORDS, WrittenNumber
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.unit_words import find_currency_before
from constraintsuite.text.quantities.vocabulary import context_words, vocabulary
from constraintsuite.text.readings import is_function_word, readings

_STANDARDS = frozenset(("802.3", "802.11", "802.15", "802.16"))
_JOINED_BEFORE = frozenset("#.:/\\_'’&@^")
_HYPHENS = frozenset("-‐‑–")


def is_part_of_name(pieces: Pieces, at: int) -> bool:
    """Whether a number at a place is joined to what stands before it: F16, CX-200, 7:30, #5, pre-1900."""
    if pieces.at(at).text in _STANDARDS and pieces.touches(at):
        return True  # 802.11g
    if at == 0 or not pieces.touches(at - 1):
        return False
    before = pieces.at(at - 1)
    if before.kind == "number" or before.text in _JOINED_BEFORE:
        return True
    if before.kind == "word":
        return before.lower not in ("x", "over", "under", "about") and find_currency_before(pieces, at) is None
    if before.text in _HYPHENS and pieces.touches(at - 2):
        return pieces.at(at - 2).kind in ("word", "number")
    return False


def is_time_or_date(pieces: Pieces, number: WrittenNumber) -> bool:
    """Whether a number is a time of day or part of a date: 7:30, 6 pm, 12 January, May 1972, the 1960s."""
    first, after = number.first, number.after
    following = pieces.lower(after)
    if following == ":" and pieces.touches(after - 1) and pieces.at(after + 1).kind == "number":
        return True
    if following in ("am", "pm") or (following == "o" and pieces.at(after + 1).text in "'’"):
        return True
    if following in ("a", "p") and pieces.lower(after + 1) == "." and pieces.lower(after + 2) == "m":
        return True
    if not number.plain:
        return False
    months = vocabulary().words.months
    if _is_month(pieces, after, months) and number.value <= 31:
        return True
    before = first - 2 if pieces.lower(first - 1) in (".", ",") else first - 1
    if _is_month(pieces, before, months) and (number.value <= 31 or 1000 <= number.value <= 2100):
        return True
    return following == "s" and pieces.touches(after - 1) and number.value % 10 == 0


def is_label(pieces: Pieces, number: WrittenNumber) -> bool:
    """Whether the word before a number makes it a name or a label: Highway 12, option 2, Galaxy Tab 9."""
    place = number.first - 1
    before = pieces.at(place)
    if before.kind != "word":
        return before.text == "." and pieces.lower(place - 1) in ("no", "nos", "vol", "fig", "ch", "pp", "p")
    if before.lower in vocabulary().words.labels:
        return True
    if not before.text[0].isupper() or is_function_word(before.lower):
        return False
    if pieces.opens(place):
        return not any(reading.pos in ("VERB", "ADV", "ADP") for reading in readings(before.lower))
    return number.digits


def is_year(pieces: Pieces, number: WrittenNumber) -> bool:
    """Whether digits before a counted noun may be a year: "In 1917 people fled", "the 2004 finals"."""
    if not number.plain or not 1100 <= number.value <= 2100:
        return False
    before, after = pieces.lower(number.first - 1), pieces.lower(number.after)
    strong = after in (
        "people",
        "inhabitants",
        "residents",
        "seats",
        "students",
        "rooms",
        "words",
        "members",
        "persons",
    )
    return (
        not strong
        or before in context_words().before_year
        or after in context_words().yearly
        or pieces.opens(number.first)
    )


def is_title(pieces: Pieces, number: WrittenNumber) -> bool:
    """Whether a number in words with a capital opens a title, such as Twelve Angry Men."""
    if number.digits or not pieces.at(number.first).text[0].isupper():
        return False
    return pieces.at(number.after).text[:1].isupper() or not pieces.opens(number.first)


def is_one_of_many(pieces: Pieces, number: WrittenNumber) -> bool:
    """Whether a number is the whole of a share: 3 in 4 adults, one out of ten patients."""
    place = number.first - 1
    if pieces.lower(place) in ("every", "each"):
        place -= 1
    if pieces.lower(place) == "of" and pieces.lower(place - 1) == "out":
        place -= 2
    elif pieces.lower(place) == "in":
        place -= 1
    else:
        return False
    return pieces.at(place).kind == "number" or pieces.lower(place) in NUMBER_WORDS


def is_list_marker(pieces: Pieces, number: WrittenNumber) -> bool:
    """Whether digits count the entries of a list: "; 4 Potato soup"."""
    before = pieces.lower(number.first - 1)
    starts = before in (";", "•", "|", "*") or (number.first > 0 and pieces.ends_sentence(number.first - 1))
    return number.digits and starts and pieces.at(number.after).text[:1].isupper()


def _is_month(pieces: Pieces, place: int, months: frozenset[str]) -> bool:
    piece = pieces.at(place)
    return piece.lower in months and (piece.text[0].isupper() or len(piece.text) > 5)
