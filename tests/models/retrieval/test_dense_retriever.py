"""Dense search: the scores of the pairwise scorer, all passages ranked, ties by document id."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from constraintsuite.models.backends import Similarity
from constraintsuite.models.base import TextRole
from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.retrieval.base import Passages
from constraintsuite.models.retrieval.dense import DenseRetriever

WORDS = ("soup", "cream", "leeks", "no", "bread", "nuts")
PASSAGES = Passages(
    ("d4", "d1", "d3", "d2"), ("soup cream cream", "soup leeks no cream", "bread nuts", "soup leeks no cream")
)


class WordCounts:
    """An encoder whose vectors can be worked out by hand."""

    name = "words"
    fingerprint = "words"

    def __init__(self, similarity: Similarity = "dot") -> None:
        self.similarity: Similarity = similarity
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.float32]:
        self.encoded += texts
        return np.array([[text.split().count(word) for word in WORDS] for text in texts], dtype=np.float32)


def retriever(encoder: WordCounts) -> DenseRetriever:
    return DenseRetriever(DenseScorer(encoder.name, encoder, encoder.similarity), PASSAGES)


def test_the_nearest_come_first_and_equal_ones_in_the_order_of_ids() -> None:
    hits = retriever(WordCounts()).search("soup cream", 3)
    assert [(hit.document, hit.rank, hit.score) for hit in hits] == [("d4", 1, 3.0), ("d1", 2, 2.0), ("d2", 3, 2.0)]


@pytest.mark.parametrize("similarity", ["dot", "cosine", "euclidean", "manhattan"])
def test_scores_are_those_of_the_pairwise_scorer(similarity: Similarity) -> None:
    encoder = WordCounts(similarity)
    hits = retriever(encoder).search("soup no cream", 4)
    texts = dict(zip(*PASSAGES, strict=True))
    pairs = [("soup no cream", texts[hit.document]) for hit in hits]
    assert [hit.score for hit in hits] == DenseScorer("words", encoder).score(pairs).tolist()


def test_each_passage_and_each_distinct_query_is_encoded_once() -> None:
    encoder = WordCounts()
    found = retriever(encoder).search_all(["soup", "nuts", "soup"], 1)
    assert [hits[0].document for hits in found] == ["d1", "d3", "d1"]
    assert sorted(encoder.encoded) == sorted([*PASSAGES.texts, "soup", "nuts"])


def test_nothing_is_found_among_no_passages() -> None:
    encoder = WordCounts()
    empty = DenseRetriever(DenseScorer("words", encoder, "dot"), Passages())
    assert empty.search_all(["soup"], 5) == [[]]


def test_the_similarity_is_part_of_what_a_retriever_is() -> None:
    assert retriever(WordCounts("dot")).fingerprint != retriever(WordCounts("cosine")).fingerprint
