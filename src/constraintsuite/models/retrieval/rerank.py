"""A retriever that reranks: a first retriever finds documents, and a scorer orders them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constraintsuite.core.store.files import sha256_text
from constraintsuite.models.base import Describing, ModelFact, Pair, Scorer, Workbench
from constraintsuite.models.callable import check_scores
from constraintsuite.models.retrieval.base import BatchRetriever, Hit, Passages, System, search_all


class RerankingRetriever(BatchRetriever):
    """Reranks the first `depth` hits; equal scores, and all hits below, keep the order of the first retriever."""

    def __init__(self, first: System, scorer: Scorer, depth: int, passages: Passages, bench: Workbench) -> None:
        self.name = f"{first.name} > {scorer.name}"
        self._first, self._scorer, self._depth, self._bench = first, scorer, depth, bench
        self._texts = dict(zip(passages.ids, passages.texts, strict=True))

    @property
    def fingerprint(self) -> str:
        """Hash of both models and the depth."""
        return sha256_text("rerank", self._first.fingerprint, self._scorer.fingerprint, str(self._depth))

    def search_all(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The best hits of each query; the scorer gets all distinct pairs of all queries in one call."""
        found = search_all(self._first, queries, max(k, self._depth), self._bench.reporter)
        asked = list(zip(queries, found, strict=True))
        pairs = sorted({(query, self._texts[hit.document]) for query, hits in asked for hit in hits[: self._depth]})
        checked = check_scores(self._scorer.name, pairs, self._scorer.score(pairs))
        scores = dict(zip(pairs, checked.tolist(), strict=True))
        return [self._reordered(query, hits, scores)[:k] for query, hits in asked]

    def describe(self) -> Mapping[str, ModelFact]:
        """The facts of the first retriever and the scorer, and the depth."""
        scorer = self._scorer.describe() if isinstance(self._scorer, Describing) else {}
        return {"first": self._first.describe(), "reranker": scorer, "rerank_depth": self._depth}

    def _reordered(self, query: str, hits: Sequence[Hit], scores: Mapping[Pair, float]) -> list[Hit]:
        head = [(scores[query, self._texts[hit.document]], hit.document) for hit in hits[: self._depth]]
        head.sort(key=lambda scored: -scored[0])  # stable: ties stay as they were
        lowest = head[-1][0] if head else 0.0
        # Scores of the first retriever are not comparable, so the hits below only keep their order.
        tail = [(lowest - place, hit.document) for place, hit in enumerate(hits[self._depth :], 1)]
        return [Hit(document, rank, score) for rank, (score, document) in enumerate([*head, *tail], 1)]
