"""What an annotator is shown, in which order: drawn by hash, so that it knows nothing of other people, labels or scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from constraintsuite.annotate.batch import AnnotationBatch
from constraintsuite.annotate.records import SIDES, AnnotationItem, AnswerValue
from constraintsuite.execution.shards import stable_hash

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
