"""Read the dates of a text: calendar expressions joined to periods, with their bounds and the events that they date."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from constraintsuite.core.records.text import Span
from constraintsuite.text.dates.events import add_events
from constraintsuite.text.dates.expressions import Expression, find_expressions
from constraintsuite.text.dates.lives import is_life
from constraintsuite.text.dates.patterns import relative_pattern
from constraintsuite.text.dates.record import Date
from constraintsuite.text.dates.surroundings import Part, read_surroundings
from constraintsuite.text.dates.years import (
    WINDOW,
    is_century,
    is_decade,
    is_month_of_year,
    is_range_of_years,
    is_year,
    is_year_in_list,
)


def read_dates(text: str) -> tuple[Date, ...]:
    """The dates of a text that can be read with certainty, in order.

    A year is the period from its first to its last day, and so are months, decades and centuries. What has no certain value is
    left out: relative dates ("last year"), days without a year, dates before Christ, 03/04/2015.
    """
    found = find_expressions(text)
    if not found:
        return ()
    periods = _confirmed(text, _joined(text, _completed(text, found)))
    return tuple(add_events(text, [one for period in periods if (one := _date(text, period)) is not None]))


def find_unresolved(text: str) -> tuple[Span, ...]:
    """Where a text names times that `read_dates` leaves out: last year, 12 May without a year, 44 BC, 03/04/2015."""
    read = [Span(one.start, one.end) for one in read_dates(text)]
    spans = [Span(one.start, one.end) for one in find_expressions(text) if one.kind in ("partial", "unread")]
    spans += [Span(*found.span()) for found in relative_pattern().finditer(text)]
    return tuple(sorted(span for span in spans if not any(span.overlaps(one) for one in read)))


_HEDGED = r"(?:(?:the|about|around|circa|c\.|ca\.|early|mid|late|approximately|roughly|at least|sometime in|in|year)[\s-]{0,3}){0,3}"
_RANGE = re.compile(
    rf"(?:\s?[-‐‑–—]\s?|\s{{1,3}}(?:to|until|till|til|through|thru|up to)\s{{1,3}}){_HEDGED}", re.IGNORECASE
)
_AND = re.compile(rf"\s{{1,3}}and\s{{1,3}}{_HEDGED}", re.IGNORECASE)
_BETWEEN = re.compile(rf"\bbetween\s{{1,3}}{_HEDGED}$", re.IGNORECASE)
_LISTED = re.compile(r"\s?[,/&]\s?|,?\s{1,3}(?:and|or|&)\s{1,3}(?:the\s|early\s|mid-?\s?|late\s)?", re.IGNORECASE)
_LIFE_GAP = re.compile(r"[^()\d]{0,40}[-–—][^()\d]{0,40}")
_HEDGE = re.compile(r"\b(?:about|around|circa|c\.|ca\.|early|mid|late|approximately|roughly)", re.IGNORECASE)


def _completed(text: str, found: Sequence[Expression]) -> list[Expression]:
    """Days and months whose year stands after the next one get it: 12 May to 3 June 1987, June and July 2018."""
    done: list[Expression] = []
    for one in reversed(found):
        after = done[-1] if done else None
        if one.kind == "partial" and after is not None and after.kind in ("day", "month") and after.first is not None:
            ranged = _RANGE.fullmatch(text, one.end, after.start) is not None
            earlier = ranged and one.month > after.first.month
            if ranged or _LISTED.fullmatch(text, one.end, after.start) or _AND.fullmatch(text, one.end, after.start):
                done.append(one.in_year(after.first.year - earlier))
                continue
        done.append(one)
    return done[::-1]


def _joined(text: str, found: Sequence[Expression]) -> list[Expression]:
    """Two ends of a range as one period; a life in brackets keeps its two dates."""
    periods: list[Expression] = []
    at = 0
    while at < len(found):
        pair = _read_pair(text, *found[at : at + 2]) if at + 1 < len(found) else None
        if pair is not None:
            periods += pair
            at += 2
            continue
        if found[at].first is not None:
            periods.append(found[at])
        at += 1
    return periods


def _read_pair(text: str, one: Expression, after: Expression) -> list[Expression] | None:
    """What two expressions say together: the two dates of a life, one period, or nothing certain; None for no pair."""
    if not _are_ends(text, one, after):
        return None
    if one.first is None or after.first is None:
        return []
    if is_life(text, one, after):
        return [replace(one, sure=True), replace(after, sure=True)]
    joint = _join(text, one, after)
    return None if joint is None else [joint]


def _are_ends(text: str, one: Expression, after: Expression) -> bool:
    slashed = one.kind == after.kind == "year" and text[one.end : after.start] == "/"
    if slashed or _RANGE.fullmatch(text, one.end, after.start):
        return True
    if _AND.fullmatch(text, one.end, after.start) is None:
        return _LIFE_GAP.fullmatch(text, one.end, after.start) is not None and is_life(text, one, after)
    between = _BETWEEN.search(text, max(0, one.start - WINDOW), one.start) is not None
    return between or _are_neighbours(one, after)


def _are_neighbours(one: Expression, after: Expression) -> bool:
    """June and July 2018 are one period."""
    if one.kind != "month" or after.kind != "month" or one.last is None or one.has_own_year:
        return False
    return one.last + timedelta(days=1) == after.first


def _join(text: str, one: Expression, after: Expression) -> Expression | None:
    if one.first is None or after.first is None or after.last is None or one.first > after.first:
        return None
    hedged = _HEDGE.search(text, one.end, after.start) is not None
    return replace(
        one,
        end=after.end,
        last=after.last,
        approximate=one.approximate or after.approximate or hedged,
        sure=one.sure or after.sure,
        ranged=True,
        kind=one.kind if one.kind == after.kind else "year",
    )


def _confirmed(text: str, periods: Sequence[Expression]) -> list[Expression]:
    """The periods without numbers that are no years."""
    kept: list[Expression] = []
    for one in periods:
        if _is_of_calendar(text, one, kept[-1] if kept else None):
            kept.append(one)
    return kept


def _is_of_calendar(text: str, one: Expression, before: Expression | None) -> bool:
    if one.kind == "century":
        return is_century(text, one)
    if one.kind == "month":
        return is_month_of_year(text, one)
    if one.sure:
        return True
    if one.kind == "decade":
        return is_decade(text, one)
    listed = before is not None and is_year_in_list(text, before, one)
    return listed or is_year(text, one) or is_range_of_years(text, one)


def _date(text: str, one: Expression) -> Date | None:
    if one.first is None or one.last is None:
        return None
    around = read_surroundings(text, one.start, one.end, one.ranged)
    if around.is_turn:
        return None
    first, last = _part(one.first, one.last, around.part)
    return Date(one.start, one.end, first, last, around.bound, around.approximate or one.approximate)


def _part(first: date, last: date, part: Part | None) -> tuple[date, date]:
    """A half or quarter of a period of whole years."""
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    if part is None or months % 12:
        return first, last
    length = months // part.parts
    return _month_after(first, length * (part.place - 1)), _month_after(first, length * part.place) - timedelta(days=1)


def _month_after(first: date, months: int) -> date:
    years, month = divmod(first.month - 1 + months, 12)
    return date(first.year + years, month + 1, 1)
