"""Dates in brackets after a name: the life of a person, or the year of a work."""

from __future__ import annotations

import re
from collections.abc import Iterable

from constraintsuite.text.dates.expressions import Expression
from constraintsuite.text.dates.words import date_words

_WINDOW = 140
_OPENED = re.compile(r"\(\s?(?:(?:born|b\.|\*)\s?)?(?:[^()\d]{0,80}[,;]\s)?(?:c\.|ca\.|circa|about)?\s?$")
_CLOSED = re.compile(r"(?:\s?\?)?\s?(?:[,;)]|in\s)")
_SHORTEST_LIFE, _LONGEST_LIFE = 12, 112
_NAME_PART = re.compile(r"(?:[^\W\d_][\w.'’-]*|\d+(?:st|nd|rd|th)|,)\s?$")
_MOST_WORDS = 8


def is_life(text: str, one: Expression, after: Expression) -> bool:
    """Whether two dates in brackets are a birth and a death: Ada Lovelace (1815–1852)."""
    if one.first is None or after.first is None or not _CLOSED.match(text, after.end, after.end + _WINDOW):
        return False
    if not _SHORTEST_LIFE <= after.first.year - one.first.year <= _LONGEST_LIFE:
        return False
    left = text[max(0, one.start - _WINDOW) : one.start]
    opened = _OPENED.search(left)
    if opened is None:
        return False
    return (
        "day" in (one.kind, after.kind)
        or "born" in opened.group()
        or is_person(left[: opened.start()])
        or (_DESCRIBED.match(text, after.end) is not None and _is_name(left[: opened.start()]))
    )


_KNOWN_AS = re.compile(r"(?:known|born|credited|billed)\sas$")
_DESCRIBED = re.compile(r"\s?\),?\s(?:was|is)\s(?:an?|the|one)\s")
_SENTENCE = re.compile(r"[.!?]\s{1,3}(?=[A-Z])|\n")


def _is_name(left: str) -> bool:
    """Whether a sentence consists so far of a name that is not one of an institution."""
    name = left[max((one.end() for one in _SENTENCE.finditer(left)), default=0) :].strip()
    words = re.findall(r"[^\W\d_]+", name)
    return 0 < len(words) < 12 and name[:1].isupper() and words[0] != "The" and not _names_institution(words)


def _names_institution(words: Iterable[str]) -> bool:
    known = date_words().institutions
    return any(word in known or word.removesuffix("s") in known for word in map(str.lower, words))


def is_person(left: str) -> bool:
    """Whether a text ends with what looks like the name of a person."""
    words: list[str] = []
    at = len(left.rstrip())
    for _ in range(_MOST_WORDS):
        found = _NAME_PART.search(left, max(0, at - 30), at)
        if found is None:
            break
        word = found.group().strip()
        if not (word[:1].isupper() or word in date_words().name_particles or word == "," or word[:1].isdigit()):
            if word in ("the", "a", "an", "this") or (word == "as" and not _KNOWN_AS.search(left, 0, at)):
                return False
            break
        words.append(word)
        at = len(left[: found.start()].rstrip())
    if len(words) > 1 and words[-1].lower() in date_words().offices and words[-2] == "of":
        return False  # King of Spain (1759–1788) reigned, and was not born, in the first of them
    capitals = [word for word in words if word[:1].isupper()]
    named = len(capitals) >= 2 and words[0][:1].isupper() and "The" not in words
    return named and not _names_institution(capitals)


_IN_BRACKET = re.compile(r"\(([^()]{0,110})$")
_BORN = re.compile(r"(?:^|[\s;,])(?:born|b\.|née|nee)(?:\W|$)", re.IGNORECASE)
_DIED = re.compile(r"(?:^|[\s;,–—-])(?:died|d\.|†)(?:\W|$)", re.IGNORECASE)
_DASH = re.compile(r"[-–—]")
_BIRTH_BEFORE = re.compile(r"\d\W{0,3}[-–—]|\d\W[^()]{0,90}[-–—]\s?[^()\d]{0,60}$")
_LIFE_TAIL = re.compile(r"[^()\d]{0,50}[-–—](?!\s?(?:present|today|now|\)))[^()]{1,60}\)")


def event_of_life(text: str, start: int, end: int) -> tuple[str, int]:
    """`born` or `die` for a date in brackets after a name, and the place of the bracket; nothing for other dates."""
    found = _IN_BRACKET.search(text, max(0, start - 120), start)
    if found is None:
        return "", -1
    inside = found.group(1)
    event = ""
    if _DIED.search(inside):
        event = "die"
    elif _BORN.search(inside) and not _DASH.search(inside[inside.lower().find("born") :]):
        event = "born"
    elif _BIRTH_BEFORE.search(inside):
        event = "die" if _CLOSED.match(text, end) or text[end : end + 1] == "?" else ""
    elif _LIFE_TAIL.match(text, end, end + 130):
        event = "born"
    return event, found.start()


_YEAR_ONLY = re.compile(r"\(\s?$")
_QUOTED = re.compile(r"[\"“]\s?([^\"“”]{1,80}?)\s?,?[\"”]\s?\(\s?$")
_TITLED = re.compile(
    r"((?:[A-Z][\w'’!.-]*\s(?:(?:of|the|and|in|to|a|on|for|with|at)\s){0,3}){0,8}[A-Z][\w'’!.-]*)\s?\(\s?$"
)


def work_of_year(text: str, start: int, end: int) -> tuple[str, str]:
    """The event and the title of a work with its year in brackets: "Amadeus" (1984)."""
    left = text[max(0, start - 130) : start]
    if end - start != 4 or not _YEAR_ONLY.search(left) or text[end : end + 2].strip()[:1] != ")":
        return "", ""
    found = _QUOTED.search(left) or _TITLED.search(left)
    if found is None:
        return "", ""
    return ("publish" if not date_words().writing.isdisjoint(left.lower().split()) else "release"), found.group(1)
