"""Find calendar expressions: days, months, seasons, years, decades, centuries, and expressions whose value stays open.

Each is found where it stands, without regard to its sentence: whether a number of four digits is a year is decided in `years.py`.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from constraintsuite.text.dates.patterns import BEFORE_CHRIST, COMMON_ERA, MAY_HOLD_DATE, date_patterns
from constraintsuite.text.dates.words import date_words

ExpressionKind = Literal["day", "month", "season", "year", "decade", "century", "partial", "unread"]


@dataclass(frozen=True, slots=True)
class Expression:
    """A calendar expression; `first` and `last` are None if its value stays open."""

    start: int
    end: int
    kind: ExpressionKind
    first: date | None = None
    last: date | None = None
    approximate: bool = False
    sure: bool = True
    """False for a number that is a year only in the right surroundings."""
    days: tuple[int, int] = (0, 0)
    """Of a `partial`, a day or month without its year: first and last day of the month; zeros for all of it."""
    month: int = 0
    has_own_year: bool = True
    ranged: bool = False
    """Whether it joins the two ends of a range."""

    def in_year(self, year: int) -> Expression:
        """A `partial` with the year that stands elsewhere."""
        return replace(_days(self, year, self.month, *self.days), has_own_year=False)


def find_expressions(text: str) -> list[Expression]:
    """The calendar expressions of a text, in order; none overlap."""
    if not MAY_HOLD_DATE.search(text):
        return []
    return [_with_era(text, one) for one in _scan(text)]


def _scan(text: str) -> Iterator[Expression]:
    patterns, scanner = date_patterns()
    for found in scanner.finditer(text):
        kind = found.lastgroup or ""
        match = patterns[kind].match(text, found.start(), found.end())
        if match is not None:
            expression = _READERS[kind](match)
            if expression is not None:
                yield expression


def _with_era(text: str, one: Expression) -> Expression:
    """The expression with the era after it; dates before Christ have no `datetime.date` and stay open."""
    if found := BEFORE_CHRIST.match(text, one.end):
        return Expression(one.start, found.end(), "unread")
    if found := COMMON_ERA.match(text, one.end):
        return replace(one, end=found.end(), sure=True)
    return one


def _made(match: re.Match[str], kind: ExpressionKind) -> Expression:
    words = match.group()
    ends_month = words.endswith(".") and words[-2].islower()  # Nov.
    return Expression(match.start(), match.end() - ends_month, kind)


def _days(one: Expression, year: int, month: int, first: int, last: int) -> Expression:
    """A day, several days or a whole month of a year. A day that the month does not have stays open."""
    length = monthrange(year, month)[1]
    if not 0 <= first <= last <= length:
        return replace(one, kind="unread")
    kind: ExpressionKind = "day" if first else "month"
    return replace(one, kind=kind, first=date(year, month, first or 1), last=date(year, month, last or length))


def _years(one: Expression, first: int, last: int) -> Expression:
    if not 1 <= first <= last <= 9999:
        return replace(one, kind="unread")
    return replace(one, first=date(first, 1, 1), last=date(last, 12, 31))


def _read_iso(match: re.Match[str]) -> Expression:
    year, month, day = (int(match[name]) for name in ("year", "month", "day"))
    one = _made(match, "day")
    if match["mark"] != match["other"]:
        return replace(one, kind="unread")
    return _days(one, year, month, day, day) if 1 <= month <= 12 and day else replace(one, kind="unread")


def _read_numeric(match: re.Match[str]) -> Expression:
    """12.05.1987 has its day first; with slashes or hyphens only if one of the numbers cannot be a month."""
    one, two = int(match["one"]), int(match["two"])
    if match["mark"] == "." or one > 12 or one == two:
        day, month = one, two
    else:
        day, month = two, one
    clear = match["mark"] == "." or one > 12 or two > 12 or one == two
    if match["mark"] != match["other"] or not clear or not 1 <= month <= 12 or not day:
        return _made(match, "unread")
    return _days(_made(match, "day"), int(match["year"]), month, day, day)


def _read_day(match: re.Match[str]) -> Expression | None:
    """Days of a month: 12 May 1987, May 12–14, 1987; without a year they are a `partial`."""
    month = _month(match)
    if month is None:
        return None
    first = _ordinal(match["day"])
    last = _number(match["to"]) if match["to"] else first
    if last < first or (
        match["joint"] and _is_and(match["joint"]) and last != first + 1 and not _follows_between(match)
    ):
        first = last  # "on 3 and 15 May": only the last of them has month and year beside it
    one = replace(_made(match, "partial"), days=(first, last), month=month, ranged=bool(match["to"]))
    return _days(one, _year(match["year"]), month, first, last) if match["year"] else one


def _read_month(match: re.Match[str]) -> Expression | None:
    month = _month(match)
    if month is None:
        return None
    one = replace(_made(match, "partial"), month=month)
    if _DIGIT_BEFORE.search(match.string, max(0, match.start() - 3), match.start()):
        return replace(one, kind="unread")  # the day before it is no day
    return _days(one, _year(match["year"]), month, 0, 0) if "year" in match.groupdict() else one


_DIGIT_BEFORE = re.compile(r"\d\s?$")


def _read_quarter(match: re.Match[str]) -> Expression:
    """Q3 2018, as three months of the calendar."""
    month, year = 3 * int(match["quarter"]) - 2, int(match["year"])
    one = _made(match, "season")
    return replace(one, first=date(year, month, 1), last=date(year, month + 2, monthrange(year, month + 2)[1]))


def _read_slashed(match: re.Match[str]) -> Expression:
    one = _made(match, "month")
    if match.group() in ("1/2000", "2/2000"):
        return replace(one, kind="unread")  # a shutter speed more likely
    return _days(one, int(match["year"]), int(match["month"]), 0, 0)


def _month(match: re.Match[str]) -> int | None:
    """The number of the month; None for "may" and other words in lower case that no year follows."""
    word = match["month"]
    if word.islower() and (len(word) < 4 or word == "march" or not match.groupdict().get("year")):
        return None
    return date_words().months[word.lower()]


def _read_season(match: re.Match[str]) -> Expression:
    """Three months of the year: spring begins in March. A winter is read only with both its years."""
    month, year = date_words().seasons[match["season"].lower()], _year(match["year"])
    one = replace(_made(match, "season"), approximate=True)
    following = year if match["to"] is None else _complete(year, match["to"])
    if following != year + (month == 12):
        return replace(one, kind="unread")
    end = (month + 2) % 12
    return replace(one, first=date(year, month, 1), last=date(following, end, monthrange(following, end)[1]))


def _read_century(match: re.Match[str]) -> Expression:
    step = 1000 if match["unit"].lower().startswith("m") else 100
    first = _ordinal(match["one"])
    last = _ordinal(match["later"] or match["two"] or match["one"])
    one = replace(_made(match, "century"), ranged=last != first)
    return _years(one, (first - 1) * step + 1, last * step)


def _read_decade_of(match: re.Match[str]) -> Expression:
    year = (_ordinal(match["one"]) - 1) * 100 + date_words().decades[match["decade"].lower()]
    return _years(_made(match, "decade"), year, year + 9)


def _read_decade(match: re.Match[str]) -> Expression:
    """The 1970s are ten years and the 1700s a hundred; the 1900s can be either, so they stay open."""
    year = int(match["year"])
    one = _made(match, "decade")
    if year == 1900:
        return replace(one, kind="unread")
    return _years(one, year, year + (99 if year % 100 == 0 and year < 1900 else 9))


def _read_short_decade(match: re.Match[str]) -> Expression:
    word = match["word"]
    if match["noughties"]:
        return replace(_years(_made(match, "decade"), 2000, 2009), sure=False)
    hundred = 1800 if (match["hundred"] or "").lower() == "eighteen" else 1900
    year = hundred + (date_words().decades[word.lower()] if word else int(match["short"] or match["bare"]))
    approximate = re.search(r"\b(?:early|mid|late)\b", match.group(), re.IGNORECASE) is not None
    return replace(
        _years(_made(match, "decade"), year, year + 9),
        approximate=approximate,
        sure=bool(match["short"] or match["hundred"]),
    )


def _read_era(match: re.Match[str]) -> Expression:
    one = _made(match, "year")
    groups = match.groupdict()
    year = groups.get("named") or match["year"]
    if (match["era"] or "").upper().startswith("B"):
        return replace(one, kind="unread")
    return _years(replace(one, ranged=bool(groups.get("to"))), int(year), int(groups.get("to") or year))


def _read_short_range(match: re.Match[str]) -> Expression:
    """1994-95; 2019-03 is a month, and 2010-12 may be either."""
    year = int(match["year"])
    last = _complete(year, match["to"])
    if last <= year and match["mark"] == "-" and 1 <= int(match["to"]) <= 12:
        return _days(_made(match, "month"), year, int(match["to"]), 0, 0)
    one = replace(_made(match, "year"), sure=False, ranged=True)
    if last <= year or (
        last > year + 1 and (match["mark"][0].isspace() or (int(match["to"]) <= 12 and match["mark"] in "-/"))
    ):
        return replace(one, kind="unread")
    return _years(one, year, last)


def _read_year(match: re.Match[str]) -> Expression:
    year = _year(match["year"])
    return replace(_years(_made(match, "year"), year, year), sure=False)


def _complete(year: int, ending: str) -> int:
    """The year that 95 stands for after 1994."""
    return int(ending) if len(ending) == 4 else year // 100 * 100 + int(ending) + (100 if year % 100 == 99 else 0)


def _year(word: str) -> int:
    """The year of a number; '69 is 1969 and '05 is 2005."""
    number = _number(word)
    return number if number > 99 else number + (1900 if number >= 30 else 2000)


def _number(word: str) -> int:
    return int(re.sub(r"\D", "", word))


def _ordinal(word: str) -> int:
    return date_words().ordinals.get(word.lower()) or _number(word)


def _follows_between(match: re.Match[str]) -> bool:
    return (
        match.string[max(0, match.start() - 12) : match.start()].lower().rstrip().endswith(("between", "between the"))
    )


def _is_and(joint: str) -> bool:
    return joint.split()[:1] in (["and"], ["or"], ["&"])


_READERS: dict[str, Callable[[re.Match[str]], Expression | None]] = {
    "iso": _read_iso,
    "numeric": _read_numeric,
    "decade_of": _read_decade_of,
    "century": _read_century,
    "day_in_words": _read_day,
    "day_first": _read_day,
    "month_first": _read_day,
    "month_year": _read_month,
    "month": _read_month,
    "season": _read_season,
    "quarter": _read_quarter,
    "slashed": _read_slashed,
    "decade": _read_decade,
    "short_decade": _read_short_decade,
    "before_era": _read_era,
    "years_of_era": _read_era,
    "short_range": _read_short_range,
    "year": _read_year,
}
