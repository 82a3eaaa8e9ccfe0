"""Numbers with their units, and dates, so that two sentences can be compared by them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from constraintsuite.text.sentence import Sentence

_WORDS: Mapping[str, int] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_MINUTES: Mapping[str, float] = {"second": 1 / 60, "minute": 1, "hour": 60, "day": 1440, "week": 10080}
_COUNTED_APART = frozenset(("business", "working", "calendar"))
_CURRENCIES: Mapping[str, str] = {"$": "usd", "€": "eur", "£": "gbp", "usd": "usd", "eur": "eur", "gbp": "gbp"}
_PERCENT = frozenset(("%", "percent", "per cent"))
_SHORT_UNITS: Mapping[str, str] = {
    "min": "minute", "mins": "minute", "h": "hour", "hrs": "hour", "s": "second", "sec": "second", "secs": "second",
}  # fmt: skip
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_DATE = re.compile(
    rf"\b(?:(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})|(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{'|'.join(_MONTHS)})"
    rf"(?:,?\s+(?P<year>\d{{4}}))?|(?P<month2>{'|'.join(_MONTHS)})\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?"
    r"(?:,?\s+(?P<year2>\d{4}))?|(?P<clock>[0-2]?\d:[0-5]\d|noon|midnight))\b",
    re.IGNORECASE,
)


class Amount(NamedTuple):
    """A number of something; times are in minutes, so that 24 hours are a day."""

    unit: str
    value: float


def find_amounts(sentence: Sentence, places: Iterable[int]) -> list[Amount]:
    """The amounts whose number stands at one of the places."""
    found = []
    for at in places:
        value = _value(sentence, at)
        if value is None or sentence.word(at - 1) == "(":  # thirty (30) days
            continue
        after = at + 1
        if sentence.words[after : after + 1] == ("(",) and sentence.word(after + 2) == ")":
            after += 3
        unit = _unit(sentence, at, after)
        if unit:
            found.append(Amount(unit, value * _MINUTES.get(unit, 1)))
    return found


def find_dates(text: str) -> list[str]:
    """Dates and times of day, each in one form."""
    return [_date(match) for match in _DATE.finditer(text)]


def _value(sentence: Sentence, at: int) -> float | None:
    word = sentence.words[at]
    if word in _WORDS:
        return float(_WORDS[word])
    try:
        return float(word.replace(",", "")) if word[:1].isdigit() else None
    except ValueError:
        return None


def _unit(sentence: Sentence, at: int, after: int) -> str:
    if sentence.word(at - 1) in _CURRENCIES:
        return _CURRENCIES[sentence.word(at - 1)]
    word = sentence.word(after)
    if word in _PERCENT:
        return "%"
    if word in _CURRENCIES:
        return _CURRENCIES[word]
    if word in _SHORT_UNITS:
        return _SHORT_UNITS[word]
    if word in _COUNTED_APART:
        return f"{word} {sentence.lemma(after + 1)}"
    return sentence.lemma(after) if sentence.pos(after) == "NOUN" else ""


def _date(match: re.Match[str]) -> str:
    if match["iso"] or match["clock"]:
        found = (match["iso"] or match["clock"]).lower()
        return {"noon": "12:00", "midnight": "00:00"}.get(found, found.rjust(5, "0"))
    month = _MONTHS.index((match["month"] or match["month2"]).lower()) + 1
    year = match["year"] or match["year2"] or "----"
    return f"{year}-{month:02}-{int(match['day'] or match['day2']):02}"
