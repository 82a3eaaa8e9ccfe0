"""Questions as a form asks them, and the answers that a form brings, read with care: anyone may send anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.records import (
    NOTHING,
    AnnotationEvent,
    AnnotationQuestion,
    AnswerValue,
    spell_value,
)

PREFIX = "answer."
"""Of the fields of a form that are answers; the rest of the name is the question."""
_FEW = 2  # options of which any number may be chosen: with so few, each set of them is one choice, and one key


@dataclass(frozen=True)
class UnsavedForm:
    """What a form gave that could not be kept, so that it is not lost."""

    given: Mapping[str, tuple[str, ...]]
    note: str
    fault: str
    seen: int | None = None
    """What the person knew of; None where they are now shown what they had missed."""


def takes_several(question: AnnotationQuestion) -> bool:
    """Whether any number of its options may be ticked."""
    return question.kind == "choices" and len(question.options) > _FEW


def options_of(question: AnnotationQuestion) -> dict[str, str]:
    """The labels of all answers that can be chosen, by value; none for a question that is answered in words."""
    if question.kind in ("text", "ids"):
        return {}
    plain = {option: option for option in question.options}
    if question.kind == "choice":
        return plain
    if len(question.options) == _FEW:
        plain["; ".join(question.options)] = "both"
    return {**plain, NOTHING: NOTHING}


def given_of(question: AnnotationQuestion, value: AnswerValue) -> tuple[str, ...]:
    """The fields that an answer fills."""
    return tuple(value) or (NOTHING,) if takes_several(question) else (spell_value(value),)


def say(question: AnnotationQuestion, value: AnswerValue) -> str:
    """An answer in the words that the form has for it."""
    spelling = spell_value(value)
    return options_of(question).get(spelling, spelling)


def given_in(form: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The answers of a form by question, field by field."""
    return {name.removeprefix(PREFIX): values for name, values in form.items() if name.startswith(PREFIX)}


def spelt(given: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """The same as a person would write them."""
    return {question: "; ".join(values) for question, values in given.items()}


NEVER = -1
"""No event has this number: who knew of it is found to be stale."""
_DIGITS = 18
"""More than any number has that is asked for; Python refuses to read thousands of them."""


def only(form: Mapping[str, tuple[str, ...]], name: str) -> str:
    """The first value of a field; empty where there is none."""
    return next(iter(form.get(name, ())), "")


def read_number(text: str) -> int:
    """What a form says it knew of; what is no number was never known."""
    return int(text) if _is_number(text) else NEVER


def read_whole(text: str, name: str, least: int, most: int) -> int:
    """A number that a person typed."""
    found = text.strip()
    if not (_is_number(found) and least <= int(found) <= most):
        raise UserError(f"{name}: {text[:40]!r} is not a whole number from {least:,} to {most:,}.")
    return int(found)


def place_of(number: int, own: Sequence[AnnotationEvent]) -> int:
    """Which of a person's own events has a number, from 1; 0 for none.

    This is what a form holds: numbers go over everyone's events, and would tell how much others answer.
    """
    return next((place for place, event in enumerate(own, 1) if event.number == number), number if number < 0 else 0)


def read_place(text: str, own: Sequence[AnnotationEvent]) -> int:
    """The number of the event that a form says was known; events are only ever added, so a place stays true."""
    place = read_number(text)
    if place == 0:
        return 0
    return own[place - 1].number if 0 < place <= len(own) else NEVER


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS
