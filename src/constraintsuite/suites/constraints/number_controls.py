"""Controls of the constraint type `number`: limits and stated values in other words, units and notations, and numbers of something else."""

from __future__ import annotations

import random
import re

from constraintsuite.core.records.examples import VIOLATING, Example
from constraintsuite.core.records.text import Span
from constraintsuite.suites.constraints.number import BUILDER, Number, QuantityMeasure
from constraintsuite.suites.controls.own import OwnControls, read_words, restate, rewriters
from constraintsuite.suites.controls.rewrites import RewrittenExample, rewrite_evidence
from constraintsuite.suites.queries.records import Wording
from constraintsuite.text.quantities.numbers import write_in_words

_PEOPLE = ("people", "servings", "players")
"""Measures whose limit could be taken for the number of people who ask."""
_MOST_PEOPLE, _LONGEST_LIST, _MOST_COUNTED = 5000, 400, 20


def fill_limit(example: Example) -> dict[str, str]:
    """The slots of the limit that a query names."""
    constraint = example.constraint
    assert isinstance(constraint, Number)
    measure = BUILDER.measure_of(constraint)
    assert isinstance(measure, QuantityMeasure)
    limit = constraint.limit
    slots = {"n": constraint.value, "of": "for" if measure.dimension == "money" else "of"}
    if limit == int(limit):
        slots |= {"digits": f"{limit:,.0f}", "plain": f"{limit:.0f}", "in_words": write_in_words(int(limit))}
        if measure.dimension == "count" and limit <= _MOST_COUNTED:
            less, more = (measure.write(limit + step) for step in (-1, 1))
            slots |= {"count": constraint.value, "more": more} | ({"less": less} if limit > 2 else {})
    return slots


def fill_other_number(example: Example) -> dict[str, str]:
    """The number of the violating text, which the control lets count something else."""
    constraint = example.constraint
    assert isinstance(constraint, Number)
    found = [one.value for one in constraint.evidence if one.document == VIOLATING]
    number = re.match(r"(\d+) \D", found[0]) if found else None
    if number is None or not 2 <= int(number[1]) <= _MOST_PEOPLE:
        return {}
    slots = {"other": number[1]} | ({"small": number[1]} if int(number[1]) <= _LONGEST_LIST else {})
    if constraint.measure not in _PEOPLE and int(number[1]) >= 10:
        slots["over" if constraint.position == "below" else "under"] = number[1]
    return slots


def _wordings(example: Example) -> tuple[Wording, ...]:
    return BUILDER.wordings_of(example.constraint, example.topic or "")


def rewrite_stated_units(example: Example, rng: random.Random) -> RewrittenExample | None:
    """Stated times in minutes instead of hours, and in hours instead of minutes."""
    return rewrite_evidence(example, "units: texts in other units", _in_other_units)


_MINUTES = re.compile(r"(?:\d+|[a-z]+(?:-[a-z]+)?) minutes")
_HOURS = re.compile(
    r"(?:(?:\d+|[a-z]+)(?: and a half)? hours?|half an hour)(?:,? (?:and )?(?:\d+|[a-z]+(?:-[a-z]+)?) minutes| and a (?:half|quarter))?"
)


def _in_other_units(text: str, span: Span, value: str) -> str | None:
    stated, number = span.of(text).lower(), re.fullmatch(r"(\d+) minute", value)
    if number is None or not _stands_free(text, span):
        return None
    minutes = int(number[1])
    if _HOURS.fullmatch(stated):
        return f"{minutes} minutes"
    if minutes < 60 or not _MINUTES.fullmatch(stated):
        return None
    hours, rest = divmod(minutes, 60)
    return f"{hours} hour{'s' * (hours > 1)}" + (f" {rest} minute{'s' * (rest > 1)}" if rest else "")


def rewrite_stated_notation(example: Example, rng: random.Random) -> RewrittenExample | None:
    """Stated numbers in words instead of digits or in digits instead of words, and prices with a sign or a word."""
    return rewrite_evidence(example, "notation: texts in another notation", _in_another_notation)


_SIGNS = {"£": "pounds", "€": "euros", "$": "dollars"}
_PRICE = re.compile(rf"([{''.join(_SIGNS)}])(\d[\d,]*)(?![\d.])|(\d[\d,]*) ({'|'.join(_SIGNS.values())})\b")
_COUNT = re.compile(r"(\d{1,2}|[a-z]+(?:-[a-z]+)?)(?= [a-z]|$)", re.IGNORECASE)
_NUMBERS = {write_in_words(number): str(number) for number in range(2, 100)}
_IN_WORDS = {digits: words for words, digits in _NUMBERS.items()}


def _in_another_notation(text: str, span: Span, value: str) -> str | None:
    stated = span.of(text)
    if not _stands_free(text, span):
        return None
    if price := _PRICE.match(stated):
        sign, number, plain, word = price.groups()
        new = f"{number} {_SIGNS[sign]}" if sign else next(one for one in _SIGNS if _SIGNS[one] == word) + plain
        return new + stated[price.end() :]
    if not (count := _COUNT.match(stated)):
        return None
    number = count[1].lower()
    if stated[0].isupper() or number not in _NUMBERS | _IN_WORDS:
        return None
    return (_NUMBERS | _IN_WORDS)[number] + stated[count.end() :]


def _stands_free(text: str, span: Span) -> bool:
    """Whether a quantity modifies no noun ("a £640 cottage", "a 90 minute walk") and is no part of a range or a larger number."""
    if re.match(r"[-–/%\w]| and a (?:half|quarter)", text[span.end :]) or re.search(r"[-–—/×]\s?$", text[: span.start]):
        return False
    word = re.search(r"[\w'’-]+(?=\s*$)", text[: span.start])
    return word is None or word.group().lower() not in _NOT_BEFORE


_NOT_BEFORE = frozenset(
    (
        "a",
        "an",
        "the",
        "this",
        "that",
        "its",
        "their",
        "our",
        "every",
        "each",
        "to",
        "or",
        "and",
        "from",
        "between",
        "half",
    )
)
_WORDS = read_words("number_controls.yaml")
_QUERIES = rewriters(_WORDS, fill_limit)
CONTROLS = OwnControls(
    rewriters={
        **_QUERIES,
        "restated": restate(_wordings),
        "stated_units": rewrite_stated_units,
        "stated_notation": rewrite_stated_notation,
    },
    distraction="other_number",
    distractions=_WORDS.distractions,
    distract=fill_other_number,
)
