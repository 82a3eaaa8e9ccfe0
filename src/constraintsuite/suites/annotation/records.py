"""Records of annotation: questions, items, answers, and the events that store what people did."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from constraintsuite.core.errors import hint_for

QuestionKind = Literal["choice", "choices", "ids", "text"]
"""How a question is answered: with one of its options, any number of them, ids that the item lists, or free text."""
AnswerValue = str | tuple[str, ...]
"""An answer: a string for a choice or text; for choices and ids a tuple, sorted unless the order matters."""
SIDES = ("first", "second")
"""Names of the two texts of an item, used as options of a question."""


@dataclass(frozen=True, slots=True)
class AnnotationQuestion:
    """A question that is asked about every item of a batch."""

    id: str
    text: str
    kind: QuestionKind
    options: tuple[str, ...] = ()
    """The answers to choose from, for the kinds `choice` and `choices`."""
    optional: bool = False
    """Whether an item counts as done without an answer to it."""
    ordered: bool = False
    """For a choice: the options form a scale. For ids: their order matters."""
    size: int | None = None
    """For ids: how many must be given, if any are."""


@dataclass(frozen=True)
class AnnotationItem:
    """Something to judge. It holds all its texts, so a later change of the source does not change what was judged."""

    id: str
    fields: Mapping[str, str]
    """Texts that an annotator reads, by heading. Nothing is ever shown but these, the sides and the ids."""
    sides: tuple[str, str] | None = None
    """Two texts in a random order. Each annotator sees them in this order or exchanged."""
    ids: tuple[str, ...] = ()
    """Valid answers to a question of the kind `ids`."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """Groups for tables of figures, such as `slice` or `family`."""
    links: tuple[str, ...] = ()
    """Names of documents or sources. Items that share one are not independent."""
    expected: Mapping[str, AnswerValue] = field(default_factory=dict)
    """Known answers, by question. An item that has any is a decoy: it only measures attention."""
    hidden: Mapping[str, str] = field(default_factory=dict)
    """Facts that are needed to interpret the answers. No annotator sees them."""

    def shown(self, *, turned: bool = False) -> dict[str, str]:
        """All texts that a person may see, by heading; if `turned`, with the sides exchanged."""
        sides = self.sides or ()
        return {**self.fields, **dict(zip(SIDES, reversed(sides) if turned else sides, strict=False))}


@dataclass(frozen=True)
class ItemSet:
    """The items of a new batch with their questions, as `write_batch` takes them."""

    kind: str
    """Name of the kind of items: one word, stored in the batch."""
    source: str
    """Name and hash of the suite, file or folder that the items were made from."""
    questions: tuple[AnnotationQuestion, ...]
    """In the order in which they are asked."""
    items: Sequence[AnnotationItem]
    """All items, including decoys."""


EventKind = Literal["answer", "undo", "ruling"]


@dataclass(frozen=True, slots=True)
class EventDraft:
    """An event that has not been stored yet."""

    annotator: str
    item: str
    question: str
    value: AnswerValue
    copy: int = 0
    """0 for the first time that the item is shown to a person, 1 for the repeat."""
    note: str = ""
    """A remark of the annotator; for a ruling, its reason."""
    kind: EventKind = "answer"


@dataclass(frozen=True, slots=True)
class AnnotationEvent:
    """One stored action of a person. Events are never changed or deleted."""

    number: int
    kind: EventKind
    annotator: str
    item: str
    question: str
    value: AnswerValue
    """`first` means the first side of the item, whichever side the person saw first. Empty for an undo."""
    copy: int
    time: str
    """ISO 8601, UTC."""
    note: str
    undoes: int | None = None
    """For an undo: the number of the answer or ruling that it takes back."""


NOTHING = "none"
"""How a person writes that no option or no id applies. An empty cell means that there is no answer yet."""
_SEPARATOR = re.compile(r"[;,\s]+")
_SHOWN_OPTIONS = 6


class WrongValue(ValueError):  # noqa: N818 - callers add the place and raise a UserError
    """A text that does not answer its question; the message lists valid answers."""


def read_value(question: AnnotationQuestion, item: AnnotationItem, text: str) -> AnswerValue:
    """Read an answer as a person writes it. Upper and lower case do not matter in options and ids."""
    text = text.strip()
    if question.kind == "text":
        return text
    if question.kind == "choice":
        return _find_option(question, text, question.options)
    known = question.options if question.kind == "choices" else item.ids
    parts = filter(None, _SEPARATOR.split(text)) if text.lower() != NOTHING else ()
    found = [_find_option(question, part, known) for part in parts]
    if len(set(found)) < len(found):
        raise WrongValue(f"{question.id}: {text!r} names something twice.")
    if found and question.size not in (None, len(found)):
        raise WrongValue(f"{question.id}: {len(found)} given, but there must be {question.size}, or {NOTHING!r}.")
    return tuple(found if question.ordered else sorted(found))


def spell_value(value: AnswerValue) -> str:
    """Write an answer as a person would."""
    return value if isinstance(value, str) else "; ".join(value) or NOTHING


def how_to_answer(question: AnnotationQuestion) -> str:
    """Describe valid answers for people."""
    if question.kind == "text":
        return "in your own words"
    if question.kind == "choice":
        return f"one of: {', '.join(question.options)}"
    if question.kind == "choices":
        return f"any of: {', '.join(question.options)}; separated by ';', or '{NOTHING}'"
    many = "ids" if question.size is None else f"{question.size} ids"
    order = ", in the order in which one leads to the next" if question.ordered else ""
    return f"{many} separated by ';'{order}, or '{NOTHING}'"


def _find_option(question: AnnotationQuestion, text: str, known: Sequence[str]) -> str:
    same = [text] if text in known else [option for option in known if option.lower() == text.lower()]
    if len(same) == 1:
        return same[0]
    some = f"It takes: {', '.join(known[:_SHOWN_OPTIONS])}{', ...' * (len(known) > _SHOWN_OPTIONS)}."
    raise WrongValue(f"{question.id}: {text!r} is not an answer here. {hint_for(text, known, some)}")
