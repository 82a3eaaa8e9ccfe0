"""Questions as a form asks them, and the answers that a form brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from constraintsuite.annotate.records import NOTHING, AnnotationQuestion, AnswerValue, how_to_answer, spell_value

Widget = Literal["radio", "checkbox", "line", "words"]
PREFIX = "answer."
"""Of the fields of a form that are answers; the rest of the name is the question."""
_FEW = 2  # options of which any number may be chosen: with so few, each set of them is one choice, and one key


@dataclass(frozen=True, slots=True)
class Option:
    """Something to choose."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class FormQuestion:
    """A question as it stands in a form."""

    field: str
    text: str
    widget: Widget
    required: bool
    hint: str
    options: tuple[Option, ...] = ()
    given: str = ""
    """Of one that is answered in words."""


def ask(question: AnnotationQuestion, given: Sequence[str] = ()) -> FormQuestion:
    """A question with what is already answered, in the words that `spell_value` finds."""
    field, required, hint = f"{PREFIX}{question.id}", not question.optional, how_to_answer(question)
    if question.kind in ("text", "ids"):
        widget: Widget = "words" if question.kind == "text" else "line"
        return FormQuestion(field, question.text, widget, required, hint, given=" ".join(given))
    several = question.kind == "choices" and len(question.options) > _FEW
    options = tuple(Option(value, label, value in given) for value, label in _options(question).items())
    return FormQuestion(field, question.text, "checkbox" if several else "radio", required, hint, options)


def given_of(question: AnnotationQuestion, value: AnswerValue) -> tuple[str, ...]:
    """The fields that an answer fills."""
    if question.kind == "choices" and len(question.options) > _FEW:
        return tuple(value) or (NOTHING,)
    return (spell_value(value),)


def say(question: AnnotationQuestion, value: AnswerValue) -> str:
    """An answer in the words that the form has for it."""
    spelling = spell_value(value)
    return _options(question).get(spelling, spelling)


def given_in(form: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The answers of a form by question, field by field."""
    return {name.removeprefix(PREFIX): values for name, values in form.items() if name.startswith(PREFIX)}


def spelt(given: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """The same as a person would write them."""
    return {question: "; ".join(values) for question, values in given.items()}


def _options(question: AnnotationQuestion) -> dict[str, str]:
    """Labels by value."""
    plain = {option: option for option in question.options}
    if question.kind == "choice":
        return plain
    if len(question.options) == _FEW:
        plain["; ".join(question.options)] = "both"
    return {**plain, NOTHING: NOTHING}
