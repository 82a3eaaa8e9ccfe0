"""Answers as people write them, and as they are kept."""

from __future__ import annotations

import re
from collections.abc import Sequence

from constraintsuite.annotate.records import AnnotationItem, AnnotationQuestion, AnswerValue
from constraintsuite.errors import hint_for

NOTHING = "none"
"""How no option, or no id, is written; an empty cell is no answer."""
_BORDER = re.compile(r"[;,\n]|\s+")
_SHOWN = 6


class WrongValue(ValueError):  # noqa: N818 - it is caught by those who know the line
    """An answer that its question does not take; the message says what it takes."""


def read_value(question: AnnotationQuestion, item: AnnotationItem, text: str) -> AnswerValue:
    """The answer that a text is; options and ids may be written in any case."""
    text = text.strip()
    if question.kind == "text":
        return text
    if question.kind == "choice":
        return _known(question, text, question.options)
    known = question.options if question.kind == "choices" else item.ids
    parts = [part for part in _BORDER.split(text) if part] if text.lower() != NOTHING else []
    found = [_known(question, part, known) for part in parts]
    if len(set(found)) < len(found):
        raise WrongValue(f"{question.id}: {text!r} names something twice.")
    if found and question.size is not None and len(found) != question.size:
        raise WrongValue(f"{question.id}: {len(found)} given, but there must be {question.size}, or {NOTHING!r}.")
    return tuple(found if question.ordered else sorted(found))


def spell_value(value: AnswerValue) -> str:
    """An answer as a person would write it."""
    return value if isinstance(value, str) else "; ".join(value) or NOTHING


def how_to_answer(question: AnnotationQuestion) -> str:
    """What may be written, in words."""
    if question.kind == "text":
        return "in your own words"
    if question.kind == "choice":
        return f"one of: {', '.join(question.options)}"
    if question.kind == "choices":
        return f"any of: {', '.join(question.options)}; separated by ';', or '{NOTHING}'"
    many = "ids" if question.size is None else f"{question.size} ids"
    order = ", in the order in which one leads to the next" if question.ordered else ""
    return f"{many} separated by ';'{order}, or '{NOTHING}'"


def _known(question: AnnotationQuestion, text: str, known: Sequence[str]) -> str:
    if text in known:
        return text
    same = [one for one in known if one.lower() == text.lower()]
    if len(same) == 1:
        return same[0]
    some = f"It takes: {', '.join(known[:_SHOWN])}{', ...' * (len(known) > _SHOWN)}."
    raise WrongValue(f"{question.id}: {text!r} is not an answer here. {hint_for(text, known, some)}")
