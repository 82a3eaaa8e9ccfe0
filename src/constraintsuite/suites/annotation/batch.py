"""A batch: a folder with the items that some people judge, the questions, and what they said.

    batch.json items.jsonl annotations.sqlite

Items and questions are written once; what is said of them is only ever added to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.store.files import sha256_of, write_text
from constraintsuite.core.store.jsonl import adapter, describe, encode, read_jsonl, write_jsonl
from constraintsuite.core.store.workspace import new_folder
from constraintsuite.suites.annotation.events import EventStore
from constraintsuite.suites.annotation.records import SIDES, AnnotationItem, AnnotationQuestion, AnswerValue, ItemKind

HEAD = "batch.json"
ITEMS = "items.jsonl"
EVENTS = "annotations.sqlite"
NOT_SHOWN = ("row", *SIDES, "note")
"""Columns of a sheet that no field and no question may be called."""
_NAME = re.compile(r"[\w][\w.@-]{0,63}")


@dataclass(frozen=True)
class BatchHeader:
    """What decides a batch, beside its items."""

    kind: str
    source: str
    """What the items were made from: a name and a hash."""
    seed: int
    repeats: float
    """Share of the items that each annotator is shown again, with exchanged sides."""
    questions: tuple[AnnotationQuestion, ...]
    items_sha256: str


@dataclass(frozen=True)
class AnnotationBatch:
    """Items with their questions, and where what people say of them is kept."""

    path: Path
    head: BatchHeader
    items: Mapping[str, AnnotationItem]
    queues: dict[str, tuple[AnnotationTask, ...]] = field(default_factory=dict, compare=False, repr=False)
    """Of those who were asked for, by name: `tasks_of` draws each once, since a large batch takes a while."""

    @property
    def store(self) -> EventStore:
        """The store of what people said of the items."""
        return EventStore(self.path / EVENTS)

    @cached_property
    def questions(self) -> Mapping[str, AnnotationQuestion]:
        """By id, in the order in which they are asked."""
        return {question.id: question for question in self.head.questions}

    @cached_property
    def judged(self) -> tuple[AnnotationItem, ...]:
        """The items that count: all but decoys."""
        return tuple(item for item in self.items.values() if not item.expected)


def write_batch(path: Path, kind: ItemKind, source: str, *, seed: int = 0, repeats: float = 0.1) -> AnnotationBatch:
    """Make a batch of a kind's items; a folder that holds anything is a UserError."""
    with new_folder(path) as new:  # answers must not lose their items
        items = list(kind.items())
        if not any(not item.expected for item in items):
            raise UserError(f"{source}: there is nothing to judge.")
        _refuse_faults(path, items, kind.questions)
        write_jsonl(new / ITEMS, items)
        head = BatchHeader(kind.name, source, seed, repeats, kind.questions, sha256_of(new / ITEMS))
        EventStore(new / EVENTS).create()
        write_text(new / HEAD, encode(head).decode() + "\n")
    return AnnotationBatch(path, head, {item.id: item for item in items})


def open_batch(path: Path) -> AnnotationBatch:
    """The batch in a folder; one whose items were changed is a UserError, since the answers are of the others."""
    head = read_head(path)
    if not (path / ITEMS).is_file() or sha256_of(path / ITEMS) != head.items_sha256:
        raise UserError(f"{path / ITEMS}: changed or deleted since the batch was made. Restore the file.")
    return AnnotationBatch(path, head, {item.id: item for item in read_jsonl(path / ITEMS, AnnotationItem)})


def read_head(path: Path) -> BatchHeader:
    """What decides the batch in a folder."""
    file = path / HEAD
    if not file.is_file():
        raise UserError(f"{path}: no {HEAD}, so this is not a batch. Make one with `csuite gold sample SUITE`.")
    try:
        head: BatchHeader = adapter(BatchHeader).validate_json(file.read_bytes())
    except ValidationError as error:
        raise UserError(f"{file}: {describe(error)} Was it edited, or written by another version?") from None
    return head


def check_name(annotator: str) -> str:
    """The name of a person, if it is one that can stand in a file's name and a table."""
    if not _NAME.fullmatch(annotator):
        raise UserError(
            f"{annotator!r}: this is not a valid name of a person. Use at most 64 letters, digits, '.', '_', '@' and '-'."
        )
    return annotator


def _refuse_faults(path: Path, items: Sequence[AnnotationItem], questions: Sequence[AnnotationQuestion]) -> None:
    """What a kind of item must keep to."""
    names = [*NOT_SHOWN, *(question.id for question in questions)]
    assert len(set(names)) == len(names), f"questions share a name with a column: {names}"
    repeated = [name for name, count in Counter(item.id for item in items).items() if count > 1]
    if repeated:
        raise UserError(f"{path}: {len(repeated)} ids of items appear more than once; the first is {repeated[0]!r}.")
    for item in items:
        assert not set(item.fields) & set(names), f"{item.id}: a field has the name of another column"


APART = (0.4, 0.6)
"""What comes again stood in the first 40 % of the queue and comes in the last 40 %."""
_EXCHANGED = dict(zip(SIDES, reversed(SIDES), strict=True))
_WHOLE = 2**64


@dataclass(frozen=True, slots=True)
class AnnotationTask:
    """One item as one annotator sees it."""

    row: str
    """An id that says neither which item this is nor whether it is a decoy or comes again."""
    item: AnnotationItem
    copy: int
    turned: bool
    """Whether its sides are exchanged."""

    def shown(self) -> dict[str, str]:
        """All that an annotator may see."""
        sides = {} if self.item.sides is None else dict(zip(SIDES, self._in_order(self.item.sides), strict=True))
        return {**self.item.fields, **sides}

    def _in_order(self, sides: tuple[str, str]) -> tuple[str, str]:
        return (sides[1], sides[0]) if self.turned else sides

    def as_meant(self, value: AnswerValue) -> AnswerValue:
        """An answer about what was shown in the terms of the item, and the other way round."""
        if not self.turned or self.item.sides is None:
            return value
        if isinstance(value, str):
            return _EXCHANGED.get(value, value)
        return tuple(sorted(_EXCHANGED.get(part, part) for part in value))


def tasks_of(batch: AnnotationBatch, annotator: str) -> tuple[AnnotationTask, ...]:
    """The queue of one annotator: every item once, some of them a second time, much later and turned. Drawn once a batch."""
    if annotator not in batch.queues:
        batch.queues[annotator] = _draw(batch, annotator)
    return batch.queues[annotator]


def _draw(batch: AnnotationBatch, annotator: str) -> tuple[AnnotationTask, ...]:
    seed = str(batch.head.seed)

    def draw(purpose: str, item: str) -> float:
        return stable_hash("queue", purpose, seed, annotator, item) / _WHOLE

    placed: list[tuple[float, AnnotationTask]] = []
    for item in batch.items.values():
        place, turned = draw("place", item.id), draw("turn", item.id) < 0.5
        placed.append((place, _task(batch, annotator, item, 0, turned)))
        if place < APART[0] and not item.expected and draw("again", item.id) < batch.head.repeats / APART[0]:
            later = APART[1] + (1 - APART[1]) * draw("later", item.id)
            placed.append((later, _task(batch, annotator, item, 1, not turned)))
    return tuple(task for _, task in sorted(placed, key=lambda one: (one[0], one[1].row)))


def tasks_by_row(batch: AnnotationBatch, annotator: str) -> Mapping[str, AnnotationTask]:
    """The queue by the ids that a sheet carries."""
    return {task.row: task for task in tasks_of(batch, annotator)}


def _task(batch: AnnotationBatch, annotator: str, item: AnnotationItem, copy: int, turned: bool) -> AnnotationTask:
    row = f"{stable_hash('row', batch.head.items_sha256, annotator, item.id, str(copy)):016x}"
    return AnnotationTask(row, item, copy, turned)
