"""What the words around a date make of it: a bound (before, after, since, until) or an approximation."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from constraintsuite.text.dates.words import date_words, either

DateBound = Literal["", "before", "after", "since", "until"]
_WINDOW = 90
_NEAR = 28
"""Characters that the longest phrase right before a date may have."""
_MOST_HEDGES = 4


class Part(NamedTuple):
    """A half or quarter of a period: the second of two."""

    place: int
    parts: int


class DateSurroundings(NamedTuple):
    """What the words before and after a date say of it."""

    bound: DateBound
    approximate: bool
    part: Part | None = None
    """The part of the period that is meant; None for all of it."""
    is_turn: bool = False
    """Whether the turn of a century is meant, which has no certain days."""


@cache
def _hedges() -> re.Pattern[str]:
    words = date_words()
    return re.compile(
        rf"(?:(?<![\w])(?P<hedge>{either(words.approximate)})(?:\s{{1,3}}of)?[\s-]{{0,3}}"
        rf"|(?<!\w)(?P<part>(?:first|second|latter|last|former|third|fourth|final)\s(?:half|third|(?:{either(words.periods)})s?))\sof\s"
        rf"|(?<![\w])(?P<turn>turn\sof)\s"
        rf"|(?<![\w])(?:the|a|at least|just|between|years?|months? of|day of|date of|{either(words.weekdays)})(?:\s?,)?\s{{1,3}})$",
        re.IGNORECASE,
    )


@cache
def _bounds() -> re.Pattern[str]:
    groups = (rf"(?P<{name}>{either(phrases)})" for name, phrases in date_words().bounds.items())
    return re.compile(rf"(?:^|(?<![\w-]))(?:{'|'.join(groups)})(?:\s{{0,3}}|-)$", re.IGNORECASE)


_ONWARDS = re.compile(
    r"\s?(?:onwards?\b|and (?:later|after|onwards?|beyond)\b|or later\b|on(?=[,.;)]|\s?$))", re.IGNORECASE
)
_TO_PRESENT = re.compile(
    r"\s?(?:[-–—]|to|until|till|through|up to|and)\s?(?:the\s)?(?:present|date\b|today\b|now\b|current)", re.IGNORECASE
)
_OPEN_END = re.compile(r"\s?[-–—]\s?[)\]]")
_OR_EARLIER = re.compile(r"\s(?:or earlier|and earlier|or before|and before)\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|never|no|nor|neither|cannot|without)\b|n['’]t\b", re.IGNORECASE)
_CLAUSE_START = re.compile(r"[.;:!?]\s|\b(?:but|and|which|who)\b", re.IGNORECASE)
_NAME_NEXT = re.compile(r"\s[A-Z][a-z]")
_DOUBT = re.compile(r"\s?\(?\?|\s(?:or so|or thereabouts|approximately)\b|-ish\b")
_LAST_WORD = re.compile(r"([\w'’]+)\W{0,3}$")


def read_surroundings(text: str, start: int, end: int, has_end: bool = False) -> DateSurroundings:
    """What the words around the date from `start` to `end` say of it; `has_end` if it is a range, which "from" opens."""
    left, right = text[max(0, start - _WINDOW) : start], text[end : end + 30]
    approximate, part = _DOUBT.match(right) is not None, None
    for _ in range(_MOST_HEDGES):
        found = _hedges().search(left, max(0, len(left) - _NEAR))
        if found is None:
            break
        if found["turn"]:
            return DateSurroundings("", approximate, is_turn=True)
        part = part or _part_of(found)
        approximate = approximate or found["hedge"] is not None or (found["part"] is not None and part is None)
        left = left[: found.start()]
    return DateSurroundings(_bound(left, right, has_end), approximate, part)


_PLACES = {"first": 1, "former": 1, "second": 2, "third": 3, "fourth": 4}
_PARTS = {"half": 2, "quarter": 4}


def _part_of(found: re.Match[str]) -> Part | None:
    """The part of the period that is meant, if it can be computed."""
    which, _, unit = (found["part"] or "").lower().partition(" ")
    count = _PARTS.get(unit)
    return None if count is None else Part(_PLACES.get(which, count), count)


def _bound(left: str, right: str, has_end: bool) -> DateBound:
    if _ONWARDS.match(right) or _TO_PRESENT.match(right) or _OPEN_END.match(right):
        return "since"
    if _OR_EARLIER.match(right):
        return "until"
    found = _bounds().search(left, max(0, len(left) - _NEAR))
    if found is None:
        return ""
    phrase, before = found.group().strip().lower(), left[: found.start()]
    last = _LAST_WORD.search(before)
    word = last.group(1).lower() if last else ""
    if phrase == "from" and (has_end or _names_origin(before, word, right)):
        return ""
    if phrase == "through" and not word:
        return ""
    if found["until"]:
        return _until(before)
    return "before" if found["before"] else "after" if found["after"] else "since"


def _names_origin(before: str, word: str, right: str) -> bool:
    """A letter from 1946, an author from fifth-century Gaul: nothing begins there."""
    return (
        word in date_words().dated_things or before.rstrip().endswith((")", '"')) or _NAME_NEXT.match(right) is not None
    )


def _until(before: str) -> DateBound:
    """Of "no vote until 1971": there is one since then; "it was not until 1971 that" dates the event itself."""
    clause = before[max((one.end() for one in _CLAUSE_START.finditer(before)), default=0) :]
    if clause.rstrip().lower().endswith("not"):
        return ""
    return "since" if _NEGATION.search(clause) else "until"
