"""What models make of two queries for two passages: only models that are at hand, only texts of bounded length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Literal

from constraintsuite.annotate.batch import Batch
from constraintsuite.annotate.kinds.query_rules import LONGEST
from constraintsuite.annotate.kinds.writing import LONGEST_PASSAGE, passages_of
from constraintsuite.annotate.records import Draft, Item
from constraintsuite.annotate.standing import Standing
from constraintsuite.evaluate.scoring import score_pairs
from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.models.naming import load_scorer
from constraintsuite.store.files import sha256_text

MODELS = ("bm25", "tfidf", "cross:tiny")
"""Those that need no download."""
_QUESTION = "scores:"
"""Before the name of a model: what an event with its scores is filed under. It is no question that people are asked."""
_scoring = Lock()  # one at a time: a page must not take the machine from everyone else's

Outcome = Literal["right", "wrong", "tie"]


@dataclass(frozen=True, slots=True)
class Preference:
    """What a model gives the two passages under one query."""

    scores: tuple[float, float]
    wants: int
    """The passage that answers the query: 0 or 1."""

    @property
    def outcome(self) -> Outcome:
        """Whether that passage is put first; the same score is a tie."""
        gap = self.scores[self.wants] - self.scores[1 - self.wants]
        return "right" if gap > 0 else "wrong" if gap < 0 else "tie"


Verdict = tuple[Preference, Preference]
"""On the first query and on the second."""


def score_drafts(batch: Batch, item: Item, by: str, queries: tuple[str, str], models: tuple[str, ...]) -> list[Draft]:
    """The scores of some models as events, each with the hash of the queries that it is of."""
    passages = tuple(text[:LONGEST_PASSAGE] for text in passages_of(item))
    pairs = [(query[:LONGEST], passage) for query in queries for passage in passages]
    drafts = []
    for model in models:
        with _scoring:
            scores = score_pairs(_scorer(model, _texts(batch)), pairs)
        drafts.append(
            Draft(by, item.id, _QUESTION + model, tuple(repr(scores[pair]) for pair in pairs), note=_of(queries))
        )
    return drafts


def read_verdicts(said: Standing, item: Item, by: str, queries: tuple[str, str]) -> dict[str, Verdict]:
    """The kept scores of just these queries, by model."""
    found = {}
    for model in MODELS:
        event = said.of(item.id, _QUESTION + model).get(by)
        if event is not None and event.note == _of(queries):
            first, second, third, fourth = map(float, event.value)
            found[model] = Preference((first, second), 0), Preference((third, fourth), 1)
    return found


def _of(queries: tuple[str, str]) -> str:
    return sha256_text(*queries)[:16]


def _texts(batch: Batch) -> tuple[str, ...]:
    """The collection in which words are counted: all passages of the batch."""
    return tuple(sorted({text for item in batch.judged for text in passages_of(item)}))


@lru_cache(maxsize=8)
def _scorer(model: str, documents: tuple[str, ...]) -> Scorer:
    return load_scorer(model, Workbench(documents))
