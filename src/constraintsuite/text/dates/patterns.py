"""The regular expressions of calendar expressions, one for each kind of them.

All repetitions are bounded, so the time is linear in the length of a text.
"""

from __future__ import annotations

import re
from functools import cache

from constraintsuite.text.dates.words import date_words, either

MAY_HOLD_DATE = re.compile(r"\d|(?i:centur|millenni|ties\b)")
"""What every text with a date has."""
BEFORE_CHRIST = re.compile(r"\s?(?:BCE?|B\.\s?C\.(?:\s?E\.)?)(?!\w)")
COMMON_ERA = re.compile(r"\s?(?:AD|A\.\s?D\.|CE|C\.\s?E\.)(?!\w)")

_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:\s?(?:st|nd|rd|th))?(?!\d)"
_YEAR = r"(?:[12]\d{3}|['’‘]\d\d)(?!\d)"
_AND = r"(?:\s?[-‐‑–—/]\s?|\s{1,3}(?:to|and|or|until|till|through|&)\s{1,3}(?:the\s{1,3})?(?:early\s|mid-?\s?|late\s)?)"
_ERA = r"(?-i:BCE?|B\.\s?C\.(?:\s?E\.)?|AD|A\.\s?D\.|CE|C\.\s?E\.)"


def _sources() -> dict[str, str]:
    """The patterns by kind; where two begin at the same place, the earlier one counts."""
    words = date_words()
    month = rf"(?P<month>{either(words.months)})\b\.?"
    season = rf"(?P<season>{either(words.seasons)})"
    ordinal = rf"(?:{either(words.ordinals)}|\d{{1,2}}(?:st|nd|rd|th))"
    decade = rf"(?P<decade>{either(words.decades)})"
    century = r"(?:\s?[-‐‑–]\s?|\s{1,3})(?P<unit>century|centuries|millennium|millennia)\b"
    after = r"(?![\w%])(?![.,:]\d)"
    return {
        "iso": rf"(?P<year>[12]\d{{3}})(?P<mark>[-/.])(?P<month>\d{{2}})(?P<other>[-/.])(?P<day>\d{{2}})(?:T[\d:.]{{4,15}}Z?)?{after}",
        "numeric": rf"(?P<one>\d{{1,2}})(?P<mark>[./-])(?P<two>\d{{1,2}})(?P<other>[./-])(?P<year>[12]\d{{3}}){after}",
        "decade_of": rf"(?:the\s{{1,3}})?{decade}\s{{1,3}}of\s{{1,3}}the\s{{1,3}}(?P<one>{ordinal}){century}",
        "century": rf"(?P<one>{ordinal})-?(?:{_AND}(?P<two>{ordinal}))?{century}(?:{_AND}(?P<later>{ordinal})(?!\s?[\w-]))?",
        "day_in_words": rf"(?P<day>{either(words.ordinals)})(?P<joint>)(?P<to>)\s{{1,3}}(?:day\s)?of\s{{1,3}}{month},?\s{{1,3}}"
        rf"(?P<year>{_YEAR}){after}",
        "day_first": rf"(?P<day>{_DAY})(?:(?P<joint>{_AND})(?P<to>{_DAY}))?(?:\s{{1,3}}|\s?-\s?)(?:of\s{{1,3}})?{month}"
        rf"(?:(?:\s?,?\s{{1,3}}|[,-])(?:of\s{{1,3}})?(?P<year>{_YEAR}){after})?",
        "month_first": rf"{month}\s{{1,3}}(?:the\s{{1,3}})?(?P<day>{_DAY})(?:(?P<joint>{_AND})(?P<to>{_DAY}))?(?!\w)"
        rf"(?:(?:\s?,\s?|\s{{1,3}})(?P<year>{_YEAR}){after})?",
        "month_year": rf"{month}(?:\s{{1,3}}of)?(?:\s?,\s?|\s{{1,3}}|-)(?P<year>{_YEAR}){after}",
        "month": rf"{month}(?!\w)",
        "season": rf"{season}(?:\s{{1,3}}of)?,?\s{{1,3}}(?P<year>{_YEAR})(?:\s?[-‐‑–—/]\s?(?P<to>\d{{4}}|\d\d)(?!\d))?{after}",
        "quarter": rf"Q(?P<quarter>[1-4])(?:\s|\sof\s|/)(?P<year>[12]\d{{3}}){after}",
        "slashed": rf"(?P<month>0?[1-9]|1[0-2])/(?P<year>1[89]\d\d|20\d\d){after}",
        "decade": r"(?P<year>[12]\d\d0)\s?['’‘]?s(?!\w)",
        "short_decade": rf"(?:['’‘](?P<short>[3-9]0)['’‘]?s|the\s{{1,3}}(?:(?:early|mid|late)[\s-]{{1,3}})?"
        rf"(?:['’‘]?(?P<bare>[3-9]0)['’‘]?s|(?P<noughties>noughties)|(?:(?P<hundred>eighteen|nineteen)[\s-]|(?:swinging|roaring|psychedelic)\s)?(?P<word>{either(words.decades)})))(?!\w)",
        "before_era": rf"(?:(?P<era>(?-i:AD|A\.\s?D\.|CE))\s?(?P<year>\d{{1,4}})|the\s{{1,3}}year\s{{1,3}}(?P<named>\d{{3}})){after}",
        "years_of_era": rf"(?P<year>\d{{1,4}})(?:{_AND}(?P<to>\d{{1,4}}))?\s?(?P<era>{_ERA})(?!\w)",
        "short_range": rf"(?P<year>[12]\d{{3}})(?P<mark>[-‐‑–—/]|\s[–—]\s)(?P<to>\d\d){after}",
        "year": rf"(?P<year>[12]\d{{3}}|[3-9]\d\d|['’‘]\d\d){after}",
    }


@cache
def date_patterns() -> tuple[dict[str, re.Pattern[str]], re.Pattern[str]]:
    """The pattern of each kind with its named groups, and one pattern for all, whose groups are the kinds."""
    sources = _sources()
    plain = {kind: re.sub(r"\?P<\w+>", "?:", source) for kind, source in sources.items()}
    scanner = "|".join(f"(?P<{kind}>{source})" for kind, source in plain.items())
    guard = r"(?:(?<![\w$€£¥#@&+])|(?<=\Wc)(?=\d))(?:(?<=\b[12]\d{3}/)|(?<!\d[.,:/]))"
    every = re.compile(rf"{guard}(?={_openings()})(?:{scanner})", re.IGNORECASE)
    return {kind: re.compile(source, re.IGNORECASE) for kind, source in sources.items()}, every


def _openings() -> str:
    """How any of the patterns begins; a look at this first spares most words all the patterns."""
    words = date_words()
    starts = {word[:2] for group in (words.months, words.seasons, words.ordinals, words.decades) for word in group}
    return rf"\d|['’‘]\d|th|ad|a\.|ce|q\d|{'|'.join(sorted(starts))}"


@cache
def relative_pattern() -> re.Pattern[str]:
    """Times relative to the writing or to another time: last year, three days ago, the following summer, yesterday."""
    words = date_words()
    period = rf"(?:{either(words.periods)})s?"
    amount = r"(?:an?|\d{1,3}|[a-z]{3,9}|few|several)"
    return re.compile(
        rf"\b(?:(?:{either(words.relative)})\s{{1,3}}{period}|{amount}\s{{1,3}}{period}\s{{1,3}}(?:ago|later|earlier|before|after|hence)"
        rf"|yesterday|today|tomorrow|nowadays|recently)\b",
        re.IGNORECASE,
    )
