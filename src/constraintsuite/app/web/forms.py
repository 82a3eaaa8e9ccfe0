"""Questions as forms show them, and the answers that forms send. Anyone may send anything, so nothing sent is trusted."""

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
"""How the names of answer fields begin; the rest of the name is the question."""
_FEW = 2  # with this many options, each set of them is shown as a single choice


@dataclass(frozen=True)
class UnsavedForm:
    """The content of a form that could not be saved, so that it can be shown again."""

    given: Mapping[str, tuple[str, ...]]
    note: str
    fault: str
    seen: int | None = None
    """The last event that the person knew of; None if the page now shows what they had missed."""


def takes_several(question: AnnotationQuestion) -> bool:
    """Whether the form shows the options of a question as checkboxes."""
    return question.kind == "choices" and len(question.options) > _FEW


def options_of(question: AnnotationQuestion) -> dict[str, str]:
    """The labels of the answers to choose from, by value; empty for a question that is answered in words."""
    if question.kind in ("text", "ids"):
        return {}
    plain = {option: option for option in question.options}
    if question.kind == "choice":
        return plain
    if len(question.options) == _FEW:
        plain["; ".join(question.options)] = "both"
    return {**plain, NOTHING: NOTHING}


def given_of(question: AnnotationQuestion, value: AnswerValue) -> tuple[str, ...]:
    """The values of the form fields for an answer."""
    return tuple(value) or (NOTHING,) if takes_several(question) else (spell_value(value),)


def answer_text(question: AnnotationQuestion, value: AnswerValue) -> str:
    """The label that the form has for an answer."""
    spelling = spell_value(value)
    return options_of(question).get(spelling, spelling)


def given_in(form: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The values of the answer fields of a form, by question."""
    return {name.removeprefix(PREFIX): values for name, values in form.items() if name.startswith(PREFIX)}


def as_text(given: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """The answers as text, as a person would type them."""
    return {question: "; ".join(values) for question, values in given.items()}


NEVER = -1
"""A number that no event has: a form with it counts as out of date."""
_DIGITS = 18
"""Longer numbers are refused; Python itself refuses thousands of digits."""


def first_value(form: Mapping[str, tuple[str, ...]], name: str) -> str:
    """The first value of a field; empty if there is none."""
    return next(iter(form.get(name, ())), "")


def read_number(text: str) -> int:
    """The number of the event that a form knew of; NEVER for anything but a number."""
    return int(text) if _is_number(text) else NEVER


def read_whole(text: str, name: str, least: int, most: int) -> int:
    """An integer that a person typed. Raises UserError for anything else."""
    found = text.strip()
    if not (_is_number(found) and least <= int(found) <= most):
        raise UserError(f"{name}: {text[:40]!r} is not an integer from {least:,} to {most:,}.")
    return int(found)


def place_of(number: int, own: Sequence[AnnotationEvent]) -> int:
    """The position, from 1, of the event with this number among a person's own events; 0 for none.

    Forms hold positions, since the numbers count everyone's events and would reveal how much others answer.
    """
    return next((place for place, event in enumerate(own, 1) if event.number == number), number if number < 0 else 0)


def read_place(text: str, own: Sequence[AnnotationEvent]) -> int:
    """The number of the event at the position in a form. Events are only added, so positions stay valid."""
    place = read_number(text)
    if place == 0:
        return 0
    return own[place - 1].number if 0 < place <= len(own) else NEVER


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS
