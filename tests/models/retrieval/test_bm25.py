"""BM25 pools: Lucene's formula, ties by document id, only documents that share a term."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.models.retrieval.bm25 import Bm25Retriever
from constraintsuite.text.terms import TermAnalyser

WORDS = ("soup", "cream", "leek", "pasta", "nut", "salad")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join), min_size=1, max_size=12)


def by_hand(texts: list[str], query: str, k1: float, b: float) -> dict[str, float]:
    analyser = TermAnalyser()
    counts = [Counter(analyser.terms(text)) for text in texts]
    mean = sum(count.total() for count in counts) / len(counts)
    scores = {}
    for i, count in enumerate(counts):
        score = 0.0
        for term in analyser.terms(query):
            holding = sum(term in other for other in counts)
            idf = math.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5))
            score += idf * count[term] / (count[term] + k1 * (1 - b + b * count.total() / mean))
        scores[f"d{i:02}"] = score
    return scores


@settings(max_examples=60, deadline=None)
@given(texts=TEXTS, query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join))
def test_a_pool_is_what_the_formula_says(texts: list[str], query: str) -> None:
    ids = [f"d{i:02}" for i in range(len(texts))]
    expected = by_hand(texts, query, 0.9, 0.4)
    hits = Bm25Retriever(ids, texts).search(query, len(texts))
    assert {hit.document for hit in hits} == {name for name, score in expected.items() if score > 0}
    assert [hit.score for hit in hits] == pytest.approx([expected[hit.document] for hit in hits], abs=1e-5)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_equal_scores_stand_in_the_order_of_ids_whatever_the_order_of_the_corpus() -> None:
    texts = {"c": "leek soup", "a": "leek soup", "b": "leek soup"}
    found = [
        Bm25Retriever(order, [texts[i] for i in order]).search("leek", 2)
        for order in (["c", "a", "b"], ["a", "b", "c"])
    ]
    assert [[hit.document for hit in hits] for hits in found] == [["a", "b"], ["a", "b"]]


@pytest.mark.parametrize("query", ["", "the", "zebra"])
def test_a_query_without_a_known_term_finds_nothing(query: str) -> None:
    assert Bm25Retriever(["a"], ["leek soup"]).search(query, 5) == []
