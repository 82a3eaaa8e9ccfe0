"""Numbers with their units, and dates, so that two sentences can be compared by them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from math import isfinite
from typing import NamedTuple

from constraintsuite.memory.ingest.wordlists import word_lists
from constraintsuite.text.sentence import Sentence

_MINUTES: Mapping[str, float] = {"second": 1 / 60, "minute": 1, "hour": 60, "day": 1440, "week": 10080}
_CURRENCIES: Mapping[str, str] = {"$": "usd", "€": "eur", "£": "gbp", "usd": "usd", "eur": "eur", "gbp": "gbp"}
_PERCENT = frozenset(("%", "percent"))


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
        amount = value * _MINUTES.get(unit, 1)
        if unit and isfinite(amount):  # a number of 400 digits is infinite
            found.append(Amount(unit, amount))
    return found


def find_dates(text: str) -> list[str]:
    """Dates and times of day, each in one form."""
    return [_date(match) for match in _date_pattern().finditer(text)]


@cache
def _date_pattern() -> re.Pattern[str]:
    months = "|".join(word_lists().months)
    return re.compile(
        rf"\b(?:(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})|(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{months})"
        rf"(?:,?\s+(?P<year>\d{{4}}))?|(?P<month2>{months})\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?"
        r"(?:,?\s+(?P<year2>\d{4}))?|(?P<clock>[0-2]?\d:[0-5]\d|noon|midnight))\b",
        re.IGNORECASE,
    )


def _value(sentence: Sentence, at: int) -> float | None:
    word = sentence.words[at]
    if word in word_lists().numbers:
        return float(word_lists().numbers[word])
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
    lists = word_lists()
    if word in lists.short_units:
        return lists.short_units[word]
    if word in lists.counted_apart:
        return f"{word} {sentence.lemma(after + 1)}"
    return sentence.lemma(after) if sentence.pos(after) == "NOUN" else ""


def _date(match: re.Match[str]) -> str:
    if match["iso"] or match["clock"]:
        found = (match["iso"] or match["clock"]).lower()
        return {"noon": "12:00", "midnight": "00:00"}.get(found, found.rjust(5, "0"))
    month = word_lists().months.index((match["month"] or match["month2"]).lower()) + 1
    year = match["year"] or match["year2"] or "----"
    return f"{year}-{month:02}-{int(match['day'] or match['day2']):02}"
