"""Reranking: one scoring pass over all queries, ties by the first retriever's rank, nothing lost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Pair, Workbench
from constraintsuite.models.retrieval.base import Passages, load_retriever
from constraintsuite.models.retrieval.rerank import RerankingRetriever

PASSAGES = Passages(("a", "b", "c", "d"), ("soup soup soup soup", "soup soup soup", "soup soup", "soup"))
BENCH = Workbench(PASSAGES.texts)


class Shortest:
    """Prefers short texts, in steps of ten characters."""

    name = "shortest"
    fingerprint = "shortest"

    def __init__(self) -> None:
        self.calls: list[list[Pair]] = []

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        self.calls.append(list(pairs))
        return np.array([-(len(text) // 10) for _, text in pairs], dtype=np.float64)


class Broken(Shortest):
    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        return np.full(len(pairs), np.nan)


def reranked(scorer: Shortest, depth: int) -> RerankingRetriever:
    return RerankingRetriever(load_retriever("bm25,b=0", PASSAGES, BENCH), scorer, depth, PASSAGES, BENCH)


@pytest.mark.parametrize(
    ("depth", "k", "documents"),
    [
        (4, 4, ["c", "d", "a", "b"]),  # c and d tie, a and b tie: each keeps the order of BM25
        (3, 4, ["c", "a", "b", "d"]),  # d was not scored and stays below
        (2, 2, ["a", "b"]),
        (4, 1, ["c"]),  # what is scored may be more than what is wanted
    ],
)
def test_what_was_found_is_put_in_order(depth: int, k: int, documents: list[str]) -> None:
    hits = reranked(Shortest(), depth).search("soup", k)
    assert [hit.document for hit in hits] == documents
    assert [hit.rank for hit in hits] == list(range(1, k + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_the_scorer_is_asked_once_for_all_queries_and_each_pair() -> None:
    scorer = Shortest()
    reranked(scorer, 2).search_all(["soup", "soups", "soup"], 2)
    texts = sorted(PASSAGES.texts[:2])
    assert scorer.calls == [[(query, text) for query in ("soup", "soups") for text in texts]]


def test_a_query_that_finds_nothing_has_nothing_to_rerank() -> None:
    assert reranked(Shortest(), 4).search_all(["bread"], 4) == [[]]


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(UserError, match="gave nan to query 'soup' and text"):
        reranked(Broken(), 4).search("soup", 4)


def test_the_depth_is_part_of_what_the_system_is() -> None:
    assert reranked(Shortest(), 2).fingerprint != reranked(Shortest(), 3).fingerprint
    assert reranked(Shortest(), 2).name == "bm25,b=0 > shortest"
