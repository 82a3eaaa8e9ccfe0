"""A batch: a folder with items to judge, the questions about them, and what people answered.

    batch.json items.jsonl annotations.sqlite

Items and questions are written once. Events are only ever added.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.store.files import sha256_of, write_text
from constraintsuite.core.store.jsonl import encode, read_json, read_jsonl, write_jsonl
from constraintsuite.core.store.workspace import new_folder
from constraintsuite.suites.annotation.events import EventStore
from constraintsuite.suites.annotation.records import SIDES, AnnotationItem, AnnotationQuestion, AnswerValue, ItemSet

HEAD = "batch.json"
ITEMS = "items.jsonl"
EVENTS = "annotations.sqlite"
RESERVED_COLUMNS = ("row", *SIDES, "note")
"""Columns of every sheet. No field and no question may have one of these names."""
_NAME = re.compile(r"[\w][\w.@-]{0,63}")


@dataclass(frozen=True)
class BatchHeader:
    """Everything that decides a batch except its items."""

    kind: str
    source: str
    """Name and hash of what the items were made from."""
    seed: int
    repeats: float
    """Share of the items that each annotator sees a second time, with the sides exchanged."""
    questions: tuple[AnnotationQuestion, ...]
    items_sha256: str


@dataclass(frozen=True)
class AnnotationBatch:
    """An opened batch."""

    path: Path
    head: BatchHeader
    items: Mapping[str, AnnotationItem]
    queues: dict[str, tuple[AnnotationTask, ...]] = field(default_factory=dict, compare=False, repr=False)
    """Cache of `tasks_of`, by annotator: for a large batch, drawing a queue takes a while."""

    @property
    def store(self) -> EventStore:
        """The events of the batch."""
        return EventStore(self.path / EVENTS)

    @cached_property
    def questions(self) -> Mapping[str, AnnotationQuestion]:
        """The questions by id, in the order in which they are asked."""
        return {question.id: question for question in self.head.questions}

    @cached_property
    def judged(self) -> tuple[AnnotationItem, ...]:
        """The items that count: all except decoys."""
        return tuple(item for item in self.items.values() if not item.expected)


def write_batch(path: Path, new: ItemSet, *, seed: int = 0, repeats: float = 0.1) -> AnnotationBatch:
    """Write a new batch. Raises UserError if the folder is not empty, because answers must not lose their items."""
    with new_folder(path) as folder:
        _check_items(path, new)
        write_jsonl(folder / ITEMS, new.items)
        head = BatchHeader(new.kind, new.source, seed, repeats, new.questions, sha256_of(folder / ITEMS))
        EventStore(folder / EVENTS).create()
        write_text(folder / HEAD, encode(head).decode() + "\n")
    return AnnotationBatch(path, head, {item.id: item for item in new.items})


def open_batch(path: Path) -> AnnotationBatch:
    """Open the batch in a folder.

    Raises UserError if its items were changed, since the answers are about the original ones.
    """
    head = read_head(path)
    if not (path / ITEMS).is_file() or sha256_of(path / ITEMS) != head.items_sha256:
        raise UserError(f"{path / ITEMS}: changed or deleted since the batch was made. Restore the file.")
    return AnnotationBatch(path, head, {item.id: item for item in read_jsonl(path / ITEMS, AnnotationItem)})


def read_head(path: Path) -> BatchHeader:
    """Read the header of the batch in a folder."""
    if not (path / HEAD).is_file():
        raise UserError(f"{path}: no {HEAD}, so this is not a batch. Make one with `csuite gold sample SUITE`.")
    return read_json(path / HEAD, BatchHeader)


def check_name(annotator: str) -> str:
    """Return the name of a person if it can be used in file names and tables, else raise a UserError."""
    if not _NAME.fullmatch(annotator):
        raise UserError(
            f"{annotator!r}: this is not a valid name of a person. Use at most 64 letters, digits, '.', '_', '@' and '-'."
        )
    return annotator


def _check_items(path: Path, new: ItemSet) -> None:
    """Refuse items of which none can be judged or two have the same id."""
    if all(item.expected for item in new.items):
        raise UserError(f"{new.source}: there is nothing to judge.")
    repeated = [name for name, count in Counter(item.id for item in new.items).items() if count > 1]
    if repeated:
        raise UserError(f"{path}: {len(repeated)} ids of items appear more than once; the first is {repeated[0]!r}.")
    columns = [*RESERVED_COLUMNS, *(question.id for question in new.questions)]
    columns += {name for item in new.items for name in item.fields}
    assert len(set(columns)) == len(columns), f"two columns of a sheet would have the same name: {columns}"


FIRST_PART, LAST_PART = 0.4, 0.6
"""A repeated item comes first in the first 40 % of a queue, and again in the last 40 %."""
_EXCHANGED = dict(zip(SIDES, reversed(SIDES), strict=True))
_WHOLE = 2**64


@dataclass(frozen=True, slots=True)
class AnnotationTask:
    """One item as one annotator sees it."""

    row: str
    """An id that reveals neither the item nor whether it is a decoy or a repeat."""
    item: AnnotationItem
    copy: int
    turned: bool
    """Whether the sides are exchanged."""

    def shown(self) -> dict[str, str]:
        """All texts that the annotator may see, by heading."""
        return self.item.shown(turned=self.turned)

    def as_meant(self, value: AnswerValue) -> AnswerValue:
        """Translate between the sides as they were shown and the sides of the item, in either direction."""
        if not self.turned or self.item.sides is None:
            return value
        if isinstance(value, str):
            return _EXCHANGED.get(value, value)
        return tuple(sorted(_EXCHANGED.get(part, part) for part in value))


def tasks_of(batch: AnnotationBatch, annotator: str) -> tuple[AnnotationTask, ...]:
    """The queue of one annotator: every item once, and some of them again, much later and with exchanged sides."""
    if annotator not in batch.queues:
        batch.queues[annotator] = _draw_queue(batch, annotator)
    return batch.queues[annotator]


def _draw_queue(batch: AnnotationBatch, annotator: str) -> tuple[AnnotationTask, ...]:
    placed: list[tuple[float, AnnotationTask]] = []
    for item in batch.items.values():
        place, turn, again, later = (
            stable_hash("queue", purpose, str(batch.head.seed), annotator, item.id) / _WHOLE
            for purpose in ("place", "turn", "again", "later")
        )
        placed.append((place, _task(batch, annotator, item, 0, turn < 0.5)))
        if place < FIRST_PART and not item.expected and again < batch.head.repeats / FIRST_PART:
            placed.append((LAST_PART + (1 - LAST_PART) * later, _task(batch, annotator, item, 1, turn >= 0.5)))
    return tuple(task for _, task in sorted(placed, key=lambda one: (one[0], one[1].row)))


def _task(batch: AnnotationBatch, annotator: str, item: AnnotationItem, copy: int, turned: bool) -> AnnotationTask:
    row = f"{stable_hash('row', batch.head.items_sha256, annotator, item.id, str(copy)):016x}"
    return AnnotationTask(row, item, copy, turned)
