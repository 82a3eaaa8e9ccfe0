"""Every distinct (query, document) of a suite, scored once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.models.base import Pair, Scorer, TextError
from constraintsuite.records.examples import Example

Scores = Mapping[tuple[str, str], float]
"""Score by query and text of the document."""


@dataclass(frozen=True, slots=True)
class PairScore:
    """What a model gave one query and one document; the document's id is the SHA-256 of its text in UTF-8."""

    query: str
    document: str
    score: float


def document_id(text: str) -> str:
    """The name of a text in a run."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def documents_of(examples: Iterable[Example]) -> list[str]:
    """The distinct texts of all documents, sorted."""
    return sorted({document.text for example in examples for document in example.documents})


def pairs_of(examples: Iterable[Example]) -> list[tuple[str, str]]:
    """The distinct (query, text) pairs, sorted."""
    return sorted(
        {
            (query, document.text)
            for example in examples
            for query in example.queries.values()
            for document in example.documents
        }
    )


def score_pairs(scorer: Scorer, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """The score of each pair; a model that gives anything but one finite number a pair is refused."""
    return dict(zip(pairs, check_given(scorer, pairs, scorer.score(pairs)).tolist(), strict=True))


def check_given(scorer: Scorer, pairs: Sequence[Pair], scores: object) -> npt.NDArray[np.float64]:
    """Scores that a model gave, if that is one finite number a pair."""
    given = np.asarray(scores, dtype=np.float64)
    if given.shape != (len(pairs),):
        raise UserError(f"Model {scorer.name!r} gave {given.shape} scores for {len(pairs)} pairs, expected one each.")
    if not np.isfinite(given).all():
        query, text = pairs[int(np.flatnonzero(~np.isfinite(given))[0])]
        raise TextError(f"Model {scorer.name!r} gave no finite score to query {query!r} and text {text[:80]!r}.")
    return given
