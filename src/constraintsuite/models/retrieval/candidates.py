"""A retriever that ranks given candidates: a first retriever searches everything, and all but the candidates are left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.store.files import sha256_text
from constraintsuite.models.base import ModelFact
from constraintsuite.models.retrieval.base import BatchRetriever, Hit, System, search_all


class CandidateRetriever(BatchRetriever):
    """Ranks the candidates of each query; those that the first retriever does not find are last, in the order of their ids."""

    def __init__(
        self, first: System, candidates: Mapping[str, Collection[str]], documents: int, reporter: Reporter
    ) -> None:
        """`candidates` are the ids of documents by the text of the query; `documents` is the size of the collection."""
        self.name = first.name
        self._first, self._candidates, self._documents, self._reporter = first, candidates, documents, reporter

    @property
    def fingerprint(self) -> str:
        """Hash of the first retriever; the candidates belong to the collection."""
        return sha256_text("candidates", self._first.fingerprint)

    def search_all(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The best candidates of each query."""
        found = search_all(self._first, queries, self._documents, self._reporter)
        return [self._ranked(query, hits)[:k] for query, hits in zip(queries, found, strict=True)]

    def describe(self) -> Mapping[str, ModelFact]:
        """The facts of the first retriever."""
        return self._first.describe()

    def _ranked(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        wanted = set(self._candidates[query])
        head = [(hit.document, hit.score) for hit in hits if hit.document in wanted]
        lowest = head[-1][1] if head else 0.0
        rest = sorted(wanted - {document for document, _ in head})
        tail = [(document, lowest - place) for place, document in enumerate(rest, 1)]
        return [Hit(document, rank, score) for rank, (document, score) in enumerate([*head, *tail], 1)]
