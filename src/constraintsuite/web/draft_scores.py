"""Scores that a page asks for: only by models that are at hand, and never so that all others wait."""

from __future__ import annotations

from functools import lru_cache
from threading import BoundedSemaphore, Lock

from constraintsuite.annotate.batch import AnnotationBatch
from constraintsuite.annotate.kinds.scores import pairs_to_score, score_draft
from constraintsuite.annotate.kinds.writing import passages_of
from constraintsuite.annotate.records import AnnotationItem, EventDraft
from constraintsuite.errors import UserError
from constraintsuite.experiments.scoring import score_pairs
from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.models.naming import load_scorer

MODELS = ("bm25", "tfidf", "cross:tiny")
"""Those that need no download."""
WAITING = 4
"""Who may wait for scores at once. Each holds a worker of the server, and pages need some too."""
PLACES = BoundedSemaphore(WAITING)
_scoring = Lock()  # one at a time: a page must not take the machine from everyone else's


class BusyError(UserError):
    """Too many ask for scores at once."""


def score_drafts(
    batch: AnnotationBatch, item: AnnotationItem, by: str, queries: tuple[str, str], models: tuple[str, ...]
) -> list[EventDraft]:
    """The scores of some models as events; a BusyError where too many wait already."""
    if not models:
        return []
    if not PLACES.acquire(blocking=False):
        raise BusyError("Models score for others just now. Ask once more in a moment.")
    try:
        return [_score(batch, item, by, queries, model) for model in models]
    finally:
        PLACES.release()


def _score(batch: AnnotationBatch, item: AnnotationItem, by: str, queries: tuple[str, str], model: str) -> EventDraft:
    pairs = pairs_to_score(item, queries)
    with _scoring:
        scores = score_pairs(_scorer(model, _texts(batch)), pairs)
    return score_draft(by, item, model, queries, [scores[pair] for pair in pairs])


def _texts(batch: AnnotationBatch) -> tuple[str, ...]:
    """The collection in which words are counted: all passages of the batch."""
    return tuple(sorted({text for item in batch.judged for text in passages_of(item)}))


@lru_cache(maxsize=8)
def _scorer(model: str, documents: tuple[str, ...]) -> Scorer:
    return load_scorer(model, Workbench(documents))
