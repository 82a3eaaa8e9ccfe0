"""What annotation is made of: questions, items, and the events that people leave."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from constraintsuite.core.errors import hint_for

QuestionKind = Literal["choice", "choices", "ids", "text"]
"""One of the options, any number of them, ids of an item, or words."""
AnswerValue = str | tuple[str, ...]
"""An answer: one string for a choice or text; for choices and ids a tuple, sorted unless their order counts."""
SIDES = ("first", "second")
"""The names of an item's two texts, as options of a question."""


@dataclass(frozen=True, slots=True)
class AnnotationQuestion:
    """What is asked of every item of a batch."""

    id: str
    text: str
    kind: QuestionKind
    options: tuple[str, ...] = ()
    """Of a choice or choices."""
    optional: bool = False
    """Whether an item is done without it."""
    ordered: bool = False
    """Of a choice: the options are a scale, from one end to the other. Of ids: their order counts."""
    size: int | None = None
    """Of ids: how many there must be, if any are given."""


@dataclass(frozen=True)
class AnnotationItem:
    """Something to be judged; self-contained, so that what was judged is known however the source changes."""

    id: str
    fields: Mapping[str, str]
    """What an annotator reads, by its heading. Nothing but this, the sides and the ids is ever shown."""
    sides: tuple[str, str] | None = None
    """Two texts, in an order that tells nothing; each annotator sees them so or exchanged."""
    ids: tuple[str, ...] = ()
    """What a question for ids may be answered with."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """What tables are made by: `slice`, `family`, ..."""
    links: tuple[str, ...] = ()
    """Items that share one of these are not independent."""
    expected: Mapping[str, AnswerValue] = field(default_factory=dict)
    """The answers of a decoy, which are known beforehand; a decoy counts in no figure but that of attention."""
    hidden: Mapping[str, str] = field(default_factory=dict)
    """What its kind must know of it later, and no annotator may."""


class ItemKind(Protocol):
    """What a kind of item provides: its name, its questions, and its items. All else is the same for every kind."""

    @property
    def name(self) -> str:
        """One word, kept in the batch."""

    @property
    def questions(self) -> tuple[AnnotationQuestion, ...]:
        """In the order in which they are asked."""

    def items(self) -> Iterable[AnnotationItem]:
        """All items, decoys among them; the same ones each time."""


EventKind = Literal["answer", "undo", "ruling"]


@dataclass(frozen=True, slots=True)
class EventDraft:
    """An event that is not written yet."""

    annotator: str
    item: str
    question: str
    value: AnswerValue
    copy: int = 0
    """0 when the item was shown for the first time, 1 when it came again."""
    note: str = ""
    """Of a ruling: the reason."""
    kind: EventKind = "answer"


@dataclass(frozen=True, slots=True)
class AnnotationEvent:
    """Something that a person did; it is never changed or taken away."""

    number: int
    kind: EventKind
    annotator: str
    item: str
    question: str
    value: AnswerValue
    """In the terms of the item: `first` is its first side, whatever was shown first. Of an undo: empty."""
    copy: int
    time: str
    """ISO 8601, UTC."""
    note: str
    undoes: int | None = None
    """The number of the answer or ruling that an undo takes back."""


NOTHING = "none"
"""How no option, or no id, is written; an empty cell is no answer."""
_BORDER = re.compile(r"[;,\n]|\s+")
_SHOWN_OPTIONS = 6


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
    some = f"It takes: {', '.join(known[:_SHOWN_OPTIONS])}{', ...' * (len(known) > _SHOWN_OPTIONS)}."
    raise WrongValue(f"{question.id}: {text!r} is not an answer here. {hint_for(text, known, some)}")
