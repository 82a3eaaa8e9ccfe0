"""Exact search with a bi-encoder: each query is compared with the vectors of all passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from constraintsuite.models.base import ModelFact, Workbench
from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.model_names import load_scorer
from constraintsuite.models.retrieval.base import BatchRetriever, Hit, Passages, System, not_a_retriever
from constraintsuite.models.retrieval.topk import top_k


def make_dense(text: str, passages: Passages, bench: Workbench) -> System:
    """The retriever of any model string that gives vectors, such as `dense:NAME_OR_FOLDER`."""
    scorer = load_scorer(text, bench)
    if not isinstance(scorer, DenseScorer):
        raise not_a_retriever(text, "this model has no vectors to search")
    return DenseRetriever(scorer, passages)


class DenseRetriever(BatchRetriever):
    """Compares vectors in double precision, with the function that scores pairs in `csuite eval`."""

    def __init__(self, scorer: DenseScorer, passages: Passages) -> None:
        self.name = scorer.name
        self._scorer = scorer
        # Rows are in the order of ids, so ties are too.
        order = sorted(range(len(passages.ids)), key=lambda i: passages.ids[i])
        self._ids = [passages.ids[i] for i in order]
        self._texts = [passages.texts[i] for i in order]

    @property
    def fingerprint(self) -> str:
        """Hash of the encoder and the similarity."""
        return self._scorer.fingerprint

    @cached_property
    def _vectors(self) -> npt.NDArray[np.float32]:
        return self._scorer.encoder.encode(self._texts, "document")

    def search_all(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The nearest documents of each query; each distinct query is encoded once."""
        if not queries or not self._ids:
            return [[] for _ in queries]
        distinct = {query: row for row, query in enumerate(dict.fromkeys(queries))}
        vectors = self._scorer.encoder.encode(list(distinct), "query")
        rows, scores = top_k(vectors, self._vectors, k, self._scorer.similarity)
        hits = [
            [Hit(self._ids[row], rank, score) for rank, (row, score) in enumerate(zip(*found, strict=True), 1)]
            for found in zip(rows.tolist(), scores.tolist(), strict=True)
        ]
        return [hits[distinct[query]] for query in queries]

    def describe(self) -> Mapping[str, ModelFact]:
        """The facts of the encoder, and the similarity."""
        return self._scorer.describe()
