"""Decide whether a number of four digits is a year: only its surroundings can say so, and without a sign it is none."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from constraintsuite.text.dates.expressions import Expression
from constraintsuite.text.dates.words import date_words, either, event_of_noun
from constraintsuite.text.readings import is_function_word, readings

WINDOW = 64
"""Characters before and after an expression that are looked at."""
_NEAR = 48
"""Characters that the words right before a year may have."""
_PEOPLE = frozenset(("people", "persons", "men", "women", "children"))
_MOST_WORDS = 6
_LATEST = 2100
_FOLLOWING_WORD = re.compile(r"\s{0,3}([^\W\d_]+|[%°])")
_WORDS = re.compile(r"\s?([^\W\d_]+(?:(?:['’]|-\s?)[^\W\d_]+){0,4})")
_HYPHENATED = re.compile(r"[-‐‑][^\W\d_]")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n]\s{0,3}|^\s+)In\s{1,3}$")
_TITLE_NEXT = re.compile(r"\s?:\s[A-Z]")
_COMPOUND = re.compile(r"\b(?:pre|post)-$", re.IGNORECASE)
_RATIO = re.compile(r"\b(?:one|two|three|four|five|six|\d+)\s(?:out\s)?(?:of|in|per|from)\s$", re.IGNORECASE)
_CLOSED = re.compile(r"(?:\s?[-–—]\s?(?:present|today|now)?)?\s?[)\];]", re.IGNORECASE)
_ENDS = re.compile(r"\s{0,3}(?:[.,;:)\]]|$|\n|[-–—]\s)")


def is_year(text: str, one: Expression) -> bool:
    """Whether a number, or a pair of numbers, stands where years stand."""
    left, right = text[max(0, one.start - WINDOW) : one.start], text[one.end : one.end + WINDOW]
    year = _year_of(one)
    if _COMPOUND.search(left):
        return True
    if year > _LATEST or left.endswith(('"', "“", "‘", "#", "$ ", "€ ", "£ ")) or _TITLE_NEXT.match(right):
        return False
    if is_counted(left, right, year) or (year % 100 == 0 and _RATIO.search(left) is not None):
        return False
    if year < 1000:
        return _is_long_ago(left, right)
    return (
        _follows_preposition(left, year)
        or _follows_dating_word(left, right)
        or _in_brackets(left, right, year)
        or _before_dated_noun(left, right, year)
        or _opens_sentence(left, right, year)
        or _AFTER_NAME.search(left) is not None
    )


def _year_of(one: Expression) -> int:
    return one.first.year if one.first else 0


def is_year_in_list(text: str, before: Expression, one: Expression) -> bool:
    """Whether a number after a year and "and" or a comma is one too: in 2010, 2012 and 2013."""
    right = text[one.end : one.end + WINDOW]
    joined = _LISTED.fullmatch(text, before.end, one.start) is not None
    return joined and 1000 <= _year_of(one) <= _LATEST and not is_counted("", right, _year_of(one))


_LISTED = re.compile(
    r"\s?(?:,|/|&|;|,?\s?(?:and|or|and again|again|then|and then)\s)\s?(?:in\s|by\s|until\s)?(?:about\s|the year\s)?"
)


def is_counted(left: str, right: str, year: int) -> bool:
    """Whether the number counts or measures what follows it: 1836 people, 1500 m, 2000-word."""
    if _HYPHENATED.match(right):
        return True
    found = _FOLLOWING_WORD.match(right)
    if found is None:
        return False
    word = found.group(1)
    opening = _SENTENCE_START.search(left) is not None and year % 100 != 0
    if word.lower() in date_words().counted and (word.islower() or len(word) < 4):
        return not (opening and word in _PEOPLE)  # In 1995 people began to leave
    plural = word.islower() and len(word) > 3 and any(one.tag == "NNS" for one in readings(word))
    return plural and not opening and not _is_dated_plural(word, year)


def _is_dated_plural(word: str, year: int) -> bool:
    """The 1968 protests; but 1000 books are counted."""
    return word in event_of_noun() and year % 100 != 0


@cache
def _prepositions() -> re.Pattern[str]:
    words = date_words()
    hedge = rf"(?:(?:{either(words.approximate)})[\s-]{{0,3}}(?:of\s|in\s)?(?:the\s)?)"
    season = rf"(?:{either(words.seasons)})\s(?:of\s)?"
    period = rf"(?:both\s)?(?:(?:the\s)?(?:years?\s|{season}|{hedge}))?{hedge}?(?:at\sleast\s|just\s)?"
    return re.compile(
        rf"(?P<before>[\w'’]+)?[^\w'’]{{0,3}}(?<!\w)(?P<word>{either(words.prepositions)})(?:\s|(?<=[-~.])|-){{1,2}}{period}$",
        re.IGNORECASE,
    )


class _Lead(NamedTuple):
    """What leads to a number: the preposition and the word before it, as they end `left`."""

    word: str
    before: str
    left: str
    year: int


_AFTER_AMOUNT = frozenset(("by", "from", "to", "about", "around", "of", "between", "before", "after", "for", "or"))
_TIMES = frozenset(
    ("in", "by", "since", "until", "or", "born", "died", "built", "dated", "dates", "dating", "sometime", "founded")
)
_STARTS = frozenset(("start", "starts", "starting"))
_ROUGHLY = re.compile(r"\b(?:about|around|circa|c\.|ca\.)\s$", re.IGNORECASE)
_TO_YEAR = re.compile(r"(?:back|dat\w+|prior|going|through|down)\s{1,3}to\s", re.IGNORECASE)
_AMOUNT = re.compile(
    r"(?:\d|\b(?:than|most|least|over|under|only|at|nearly|almost|some|has|have|had|with))\s(?:about|around)\s$"
)


def _follows_preposition(left: str, year: int) -> bool:
    found = _prepositions().search(left, max(0, len(left) - _NEAR))
    if found is None:
        return False
    lead = _Lead(found["word"].lower(), (found["before"] or "").lower(), left, year)
    if lead.word in _AFTER_AMOUNT and lead.before in date_words().amounts and not _TO_YEAR.search(left[-16:]):
        return False
    condition = _CONDITIONS.get(lead.word)
    return condition is None or condition(lead)


def _after_of(lead: _Lead) -> bool:
    """The War of 1812; as of 2010; a list of about 1924."""
    dated = lead.before == "as" or lead.before in date_words().nouns_before_of
    return dated or (_is_odd(lead) and _ROUGHLY.search(lead.left) is not None)


def _after_about(lead: _Lead) -> bool:
    """Born about 1900; without such a word before it, only a number that is not round."""
    return lead.before in _TIMES or (_is_odd(lead) and _AMOUNT.search(lead.left) is None)


def _is_odd(lead: _Lead) -> bool:
    """Round numbers are mostly amounts."""
    return lead.year % 50 != 0


_CONDITIONS: dict[str, Callable[[_Lead], bool]] = {
    "of": _after_of,
    "about": _after_about,
    "around": _after_about,
    "to": lambda lead: _TO_YEAR.search(lead.left[-16:]) is not None or (lead.before == "up" and _is_odd(lead)),
    "from": lambda lead: _is_odd(lead) or lead.before not in _STARTS,
    "for": lambda lead: _is_odd(lead) and lead.year > 1900,
    **dict.fromkeys(("into", "through", "toward", "towards"), _is_odd),
    **dict.fromkeys(("year", "years"), lambda lead: lead.before not in ("fiscal", "model", "light")),
    "or": lambda lead: False,
}


@cache
def _dating_words() -> re.Pattern[str]:
    words = either(date_words().dating_words)
    label = rf"(?:{words}|year|date)\s?:|©|\(c\)|copyright"
    return re.compile(rf"(?<!\w)(?:(?P<label>{label})|{words})\s{{0,3}}$", re.IGNORECASE)


def _follows_dating_word(left: str, right: str) -> bool:
    """Established 1882; Founded: 1905 in Leeds."""
    found = _dating_words().search(left, max(0, len(left) - _NEAR))
    return found is not None and (found["label"] is not None or _ENDS.match(right) is not None)


_OPEN = re.compile(r"[(\[]\s?(?:[^()\[\]]{0,40}[,;]\s)?(?:c\.\s?|ca\.\s?|circa\s|about\s)?$")
_NAMED_BEFORE = re.compile(r"(?:[\"”’']|\b[A-Z][\w.'’-]*\s(?:[a-z]{1,3}\s){0,2}[A-Z][\w.'’-]*)\s?$")
_PAGES = re.compile(r"\b(?:pp?|no|nos|vol|fig|ch|isbn|page|pages)\b\.?[^()]{0,12}$", re.IGNORECASE)


def _in_brackets(left: str, right: str, year: int) -> bool:
    """A year alone in brackets, or after a comma in them: (1975), (Smith, 2004)."""
    opened = _OPEN.search(left)
    closed = _CLOSED.match(right)
    if opened is None or closed is None or _PAGES.search(left) is not None:
        return False
    if len(closed.group().strip()) > 1:  # (1950–present)
        return True
    return year % 50 != 0 or _NAMED_BEFORE.search(left[: opened.start()]) is not None


@cache
def _determined() -> re.Pattern[str]:
    words = either(date_words().determiners)
    return re.compile(rf"(?:^|[\n\"“(]|\b(?:{words}|\w+['’]s|\w+s['’])\s{{1,3}}(?:[a-z]+\s)?)$", re.IGNORECASE)


_POSSESSIVE = re.compile(r"\b(?:his|her|its|their)\s{1,3}$", re.IGNORECASE)
_ANY_NOUN = re.compile(r"\s[^\W\d_]{3}")
_COPULA = re.compile(r"\b(?:is|was|are|were)\san?\s(?:[a-z]+\s)?$")
_NAME_NEXT = re.compile(r"\s[A-Z][a-z]{3}")


def _before_dated_noun(left: str, right: str, year: int) -> bool:
    """A 2002 film; the 1953 flood; his 1905 book."""
    if year <= 1000:
        return False
    dated = dated_noun(right) is not None and _determined().search(left, max(0, len(left) - _NEAR)) is not None
    if _POSSESSIVE.search(left) is not None and _ANY_NOUN.match(right) is not None:
        return year % 50 != 0  # his 1972 condemnation
    return dated or (_COPULA.search(left) is not None and _NAME_NEXT.match(right) is not None)


def dated_noun(right: str) -> tuple[str, int] | None:
    """The noun that a year before `right` dates, such as `film`, and the place after it in `right`."""
    at = 0
    for _ in range(_MOST_WORDS):
        found = _WORDS.match(right, at)
        if found is None:
            return None
        word = found.group(1).lower()
        if word in event_of_noun() and not _continues_compound(right, found.end()):
            return word, found.end()
        if is_function_word(word):
            return None
        at = found.end()
    return None


def _continues_compound(right: str, at: int) -> bool:
    """Whether another of these nouns follows directly: film festival."""
    found = _WORDS.match(right, at)
    return found is not None and found.group(1).lower() in event_of_noun()


@cache
def _long_ago() -> re.Pattern[str]:
    participles = either(date_words().long_ago)
    return re.compile(
        rf"\b(?:{participles})(?:\s[^\W\d_]+){{0,3}}\s(?:in|around|about|circa|c\.|by|until|from)\s(?:about\s|around\s)?$"
    )


_FIRST = re.compile(r"(?:^|[.!?]\s{1,3})(?:In|Around|By|Since|After|Before)\s{1,3}(?:about\s)?$")
_CLAUSE_NEXT = re.compile(r",\s|\s(?:the|an?|he|she|it|they|his|her|its|their|King|Queen|Emperor|Pope)\s")


def _is_long_ago(left: str, right: str) -> bool:
    """Whether three digits are a year: crowned emperor in 800; In 476 the empire fell."""
    if _FIRST.search(left) and _CLAUSE_NEXT.match(right):
        return True
    ended = _ENDS.match(right) is not None or _PREPOSITION_NEXT.match(right) is not None
    return ended and _long_ago().search(left) is not None


_PREPOSITION_NEXT = re.compile(r"\s(?:in|at|on|by|near|after|when|while|and|during|under|with|to|until|till|because)\s")
_AFTER_NAME = re.compile(r"\b(?:Act|Treaty|Bill|Order|Regulations|Ordinance|Code|most recently|most recently in)\s$")
_NAMED = re.compile(r"(?:^|[.!?\n]\s{1,3})$")
_SAYS = re.compile(r"\s(?:was|saw|marks|marked|brought|would be|also saw)\s")


def _opens_sentence(left: str, right: str, year: int) -> bool:
    """2018 saw a new record."""
    return year % 100 != 0 and _NAMED.search(left) is not None and _SAYS.match(right) is not None


_NUMBERED_BEFORE = re.compile(
    r"(?:\b(?:pp?|nos?|pages?|vols?|nr|tel|phone|isbn|issn|fax|code|zip|room|route)\b\.?:?\s?|[$€£]\s?|[\w]-|\d[\s.]?)$",
    re.I,
)


def is_month_of_year(text: str, one: Expression) -> bool:
    """Whether month and year belong together; in "In March, 2000 people came" they do not."""
    if "," not in text[one.start : one.end]:
        return True
    return not is_counted("", text[one.end : one.end + WINDOW], _year_of(one))


def is_range_of_years(text: str, one: Expression) -> bool:
    """Whether two bare numbers with a dash or "to" between them are years, by themselves: 1914–1918."""
    if one.first is None or one.last is None or not 1000 <= one.first.year < one.last.year <= _LATEST:
        return False
    left, right = text[max(0, one.start - WINDOW) : one.start], text[one.end : one.end + WINDOW]
    found = _prepositions().search(left, max(0, len(left) - _NEAR))
    before = (found["before"] or "").lower() if found else (re.findall(r"[\w'’]+", left) or [""])[-1].lower()
    if before in date_words().amounts or _NUMBERED_BEFORE.search(left) or is_counted(left, right, one.last.year):
        return False
    return one.first.year % 10 != 0 or one.last.year % 10 != 0 or one.last.year == one.first.year + 1


_BEFORE_DECADE = re.compile(
    r"\b(?:in|of|during|since|from|until|till|into|by|before|after|throughout|to|and|around|through|or)\s{1,3}$",
    re.IGNORECASE,
)
_TEMPERATURE = re.compile(r"temperat|degrees|highs?\b|lows?\b|scor|aged", re.IGNORECASE)


def is_decade(text: str, one: Expression) -> bool:
    """Whether "the sixties" or "the 60s" are years, not temperatures."""
    left, right = text[max(0, one.start - 40) : one.start], text[one.end : one.end + 12]
    return _BEFORE_DECADE.search(left) is not None and _TEMPERATURE.search(left) is None and "degree" not in right


_NO_CENTURY = re.compile(r"\b(?:scored|scoring|hit|his|her|their|its|maiden|[\w]+['’]s)\s(?:\w+\s)?$", re.IGNORECASE)


_COMPANY = re.compile(r"[\s-]{1,2}[A-Z]")


def is_century(text: str, one: Expression) -> bool:
    """Whether a century is one of the calendar; "his tenth century" is a score or a span, and 20th Century Fox a company."""
    if _COMPANY.match(text, one.end) and text[one.end - 7 : one.end] == "Century":
        return False
    return _NO_CENTURY.search(text, max(0, one.start - 40), one.start) is None
