"""What annotation is made of: questions, items, and the events that people leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

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
