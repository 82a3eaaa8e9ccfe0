"""What models make of two queries for two passages, as events: each with the hash of the queries that it is of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from constraintsuite.annotate.answering import answers_to
from constraintsuite.annotate.batch import AnnotationBatch
from constraintsuite.annotate.kinds.query_rules import LONGEST
from constraintsuite.annotate.kinds.writing import LONGEST_PASSAGE, passages_of
from constraintsuite.annotate.queue import AnnotationTask
from constraintsuite.annotate.records import AnnotationEvent, AnnotationItem, EventDraft
from constraintsuite.metrics.ties import Outcome
from constraintsuite.store.files import sha256_text

_QUESTION = "scores:"
"""Before the name of a model: what an event with its scores is filed under. It is no question that people are asked."""


@dataclass(frozen=True, slots=True)
class PassageScores:
    """What a model gives the two passages under one query."""

    scores: tuple[float, float]
    wants: int
    """The passage that answers the query: 0 or 1."""

    @property
    def outcome(self) -> Outcome:
        """Whether that passage is put first; the same score is a tie."""
        gap = self.scores[self.wants] - self.scores[1 - self.wants]
        return "right" if gap > 0 else "wrong" if gap < 0 else "tie"


PairScores = tuple[PassageScores, PassageScores]
"""On the first query and on the second."""


def pairs_to_score(item: AnnotationItem, queries: tuple[str, str]) -> list[tuple[str, str]]:
    """Each query with each passage, in the order in which scores are kept; no text is longer than people may write or read."""
    passages = tuple(text[:LONGEST_PASSAGE] for text in passages_of(item))
    return [(query[:LONGEST], passage) for query in queries for passage in passages]


def score_draft(
    by: str, item: AnnotationItem, model: str, queries: tuple[str, str], scores: Sequence[float]
) -> EventDraft:
    """The scores of a model for `pairs_to_score` as an event."""
    return EventDraft(by, item.id, _QUESTION + model, tuple(map(repr, scores)), note=_of(queries))


def keep_scores(batch: AnnotationBatch, task: AnnotationTask, drafts: Iterable[EventDraft], now: datetime) -> None:
    """Write those that are new. With the `now` of the queries that they are of, both are taken back as one."""
    with batch.store.turn(now) as turn:
        for draft in drafts:
            before = answers_to(task, turn.events(draft.annotator)).get(draft.question)
            if before is None or (before.value, before.note) != (draft.value, draft.note):
                turn.append([draft])


def read_verdicts(
    task: AnnotationTask, own: Iterable[AnnotationEvent], queries: tuple[str, str]
) -> dict[str, PairScores]:
    """The scores of just these queries that a person asked for, by model, as they were asked."""
    found = {}
    for question, event in answers_to(task, own).items():
        if question.startswith(_QUESTION) and event.note == _of(queries):
            first, second, third, fourth = map(float, event.value)
            found[question.removeprefix(_QUESTION)] = (
                PassageScores((first, second), 0),
                PassageScores((third, fourth), 1),
            )
    return found


def _of(queries: tuple[str, str]) -> str:
    return sha256_text(*queries)[:16]
