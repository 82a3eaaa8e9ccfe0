"""The score over any encoder: similarity, roles, each text once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.models.backends import Similarity
from constraintsuite.models.base import TextRole
from constraintsuite.models.dense import SIMILARITIES, DenseScorer
from models.reading import characters_read


@dataclass
class LetterEncoder:
    """How often a, b and c stand in a text; queries count twice, so that the roles can be told apart."""

    name: str = "letters"
    fingerprint: str = "letters 1"
    similarity: Literal["cosine", "dot", "euclidean", "manhattan"] = "dot"
    asked: list[tuple[TextRole, tuple[str, ...]]] = field(default_factory=list)

    def encode(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.float32]:
        self.asked.append((role, tuple(texts)))
        weight = 2 if role == "query" else 1
        return np.array([[weight * text.count(letter) for letter in "abc"] for text in texts], dtype=np.float32)


@dataclass
class ShortSightedEncoder(LetterEncoder):
    """Reads three characters."""

    def visible(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.int64]:
        return np.array([min(3, len(text)) for text in texts], dtype=np.int64)


@pytest.mark.parametrize(
    ("similarity", "score"),
    [("dot", 2 * 2 + 0 * 1), ("cosine", 4 / (2 * 5**0.5)), ("euclidean", -1.0), ("manhattan", -1.0)],
)
def test_each_similarity_by_hand(similarity: Similarity, score: float) -> None:
    found = DenseScorer("m", LetterEncoder(), similarity).score([("a", "aab")])  # (2, 0, 0) and (2, 1, 0)
    assert found.tolist() == pytest.approx([score], abs=1e-15)


def test_the_encoders_own_similarity_counts_unless_another_is_said() -> None:
    assert DenseScorer("m", LetterEncoder()).score([("a", "aa")]).tolist() == [4.0]
    assert DenseScorer("m", LetterEncoder(), "manhattan").score([("a", "aa")]).tolist() == [0.0]


def test_each_distinct_text_is_encoded_once_and_in_its_role() -> None:
    encoder = LetterEncoder()
    scores = DenseScorer("m", encoder).score([("a", "b"), ("a", "a"), ("b", "b"), ("a", "b")])
    assert encoder.asked == [("query", ("a", "b")), ("document", ("b", "a"))]
    assert scores.tolist() == [0.0, 2.0, 2.0, 0.0]


def test_no_pairs_no_work() -> None:
    encoder = LetterEncoder()
    assert len(DenseScorer("m", encoder).score([])) == 0
    assert encoder.asked == []


def test_a_zero_vector_has_no_direction_and_scores_zero() -> None:
    assert DenseScorer("m", LetterEncoder(), "cosine").score([("a", "xyz")]).tolist() == [0.0]


@given(st.lists(st.tuples(st.text("abcx", max_size=6), st.text("abcx", max_size=6)), max_size=30))
def test_a_score_does_not_depend_on_the_other_pairs(pairs: list[tuple[str, str]]) -> None:
    for similarity in get_args(Similarity):
        scorer = DenseScorer("m", LetterEncoder(), similarity)
        assert scorer.score(pairs).tolist() == [scorer.score([pair])[0] for pair in pairs]


def test_only_a_scorer_that_knows_what_is_cut_says_so() -> None:
    assert characters_read(DenseScorer("m", LetterEncoder()), [("a", "b")]) is None
    scorer = DenseScorer("m", ShortSightedEncoder())
    assert characters_read(scorer, [("q", "abcdef"), ("q", "a"), ("p", "abcdef")]) == [3, 1, 3]


def test_fingerprints_tell_encoders_and_similarities_apart() -> None:
    scorers = [DenseScorer("m", LetterEncoder(fingerprint=one), kind) for one in "12" for kind in SIMILARITIES]
    assert len({scorer.fingerprint for scorer in scorers}) == len(scorers)
