"""Vectors of units: the similarities of the scorer, each text embedded once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.memory import dense
from constraintsuite.memory.dense import DenseIndex
from constraintsuite.models.backends import Similarity
from constraintsuite.models.base import TextRole
from constraintsuite.models.dense import DenseScorer
from memory.tiny_parts import LetterEncoder


def filled(texts: Sequence[str], similarity: Similarity = "dot", cache: Path | None = None) -> DenseIndex:
    return DenseIndex(DenseScorer("letters", LetterEncoder(), similarity), texts, cache)


@given(st.lists(st.text("abcx", max_size=6), max_size=10), st.text("abc", max_size=6), st.sampled_from([1, 3, 100]))
def test_scores_are_those_of_the_scorer(texts: list[str], query: str, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dense, "_BLOCK", block)
        for similarity in get_args(Similarity):
            scorer = DenseScorer("letters", LetterEncoder(), similarity)
            expected = scorer.score([(query, text) for text in texts]).tolist()
            assert filled(texts, similarity).scores(query).tolist() == pytest.approx(expected, abs=1e-5)


class Noise(LetterEncoder):
    """Vectors of 384 numbers by the text."""

    def encode(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.float32]:
        return np.stack([np.random.default_rng(int(text)).standard_normal(384, dtype=np.float32) for text in texts])


@pytest.mark.parametrize("similarity", get_args(Similarity))
def test_a_score_does_not_depend_on_the_place_of_its_row(similarity: Similarity) -> None:
    texts = [str(number) for number in range(503)]
    scorer = DenseScorer("noise", Noise(), similarity)
    forwards, backwards = DenseIndex(scorer, [*texts, "7"]), DenseIndex(scorer, texts[::-1])
    scores = forwards.scores("1000").tolist()
    assert scores[-1] == scores[7]
    assert backwards.scores("1000").tolist() == scores[-2::-1]


def test_each_distinct_text_is_embedded_once_as_a_document() -> None:
    index = filled(["ab", "c", "ab"])
    assert index.encoder.encoder.asked == [("document", ("ab", "c"))]  # type: ignore[attr-defined]
    assert index.vectors.tolist() == [[1, 1, 0], [0, 0, 1], [1, 1, 0]]


def test_the_last_query_is_not_embedded_again() -> None:
    index = filled(["ab"])
    for query in ("a", "a", "b", "a"):
        index.scores(query)
    asked = index.encoder.encoder.asked[1:]  # type: ignore[attr-defined]
    assert asked == [("query", ("a",)), ("query", ("b",)), ("query", ("a",))]


def test_a_text_of_the_cache_is_not_embedded_again(tmp_path: Path) -> None:
    first = filled(["ab", "c"], cache=tmp_path)
    second = filled(["c", "b", "ab"], cache=tmp_path)
    assert second.encoder.encoder.asked == [("document", ("b",))]  # type: ignore[attr-defined]
    assert second.vectors.tolist() == [first.vectors.tolist()[1], [0, 1, 0], first.vectors.tolist()[0]]


def test_a_cache_of_another_encoder_is_not_used(tmp_path: Path) -> None:
    filled(["ab"], cache=tmp_path)
    other = DenseIndex(DenseScorer("letters", LetterEncoder(fingerprint="077e4"), "dot"), ["ab"], tmp_path)
    assert other.encoder.encoder.asked == [("document", ("ab",))]  # type: ignore[attr-defined]


def test_nothing_to_search() -> None:
    assert filled([]).scores("a").tolist() == []


class Faulty(LetterEncoder):
    def __init__(self, answer: npt.NDArray[np.float32]) -> None:
        super().__init__()
        self.answer = answer

    def encode(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.float32]:
        return self.answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.zeros((2, 3), dtype=np.float32), r"shape \(2, 3\) for 1 texts"),
        (np.zeros(3, dtype=np.float32), r"shape \(3,\)"),
        (np.full((1, 3), np.nan, dtype=np.float32), "not finite"),
    ],
)
def test_an_encoder_that_misbehaves_is_named(answer: npt.NDArray[np.float32], message: str) -> None:
    with pytest.raises(UserError, match=f"faulty: .*{message}"):
        DenseIndex(DenseScorer("faulty", Faulty(answer), "dot"), ["a"])
