"""Models whose vectors are too large to store: a document is compared with its queries at once, and only scores are kept.

The vectors of all queries stay in memory, the vectors of a document only during its batch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.files import sha256_text
from constraintsuite.models.base import ModelFact, Pair, TextRole, Workbench
from constraintsuite.models.batches import BatchLimits, BatchRun
from constraintsuite.models.tokenization import IntArray, first_alike
from constraintsuite.models.torch.sentences import SentenceModel
from constraintsuite.models.torch.settings import BatchSizes
from constraintsuite.models.torch.text_model import Features

FloatArray = npt.NDArray[np.float64]
T = TypeVar("T")
V = TypeVar("V")


class DocumentQueries(NamedTuple):
    """A document and the queries that it is scored for."""

    document: str
    queries: tuple[str, ...]


class InteractionScorer(ABC, Generic[V]):
    """Scores pairs by comparing the vectors of query and document; each distinct text is computed once."""

    family: str
    sizes: BatchSizes
    """Tokens in a batch."""
    spreadable = True

    def __init__(self, name: str, model: SentenceModel, bench: Workbench) -> None:
        self.name, self.model, self._bench = name, model, bench
        self._counts: dict[str, int] = {}

    @abstractmethod
    def vectors(self, features: Features, role: TextRole) -> list[V]:
        """The vectors of each text of a batch, in CPU memory."""

    @abstractmethod
    def compare(self, query: V, document: V) -> float:
        """The score of a query and a document from their vectors."""

    @abstractmethod
    def size(self, vector: V) -> int:
        """The number of its parts: active dimensions, or tokens."""

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the family and the model."""
        return sha256_text(self.family, self.model.fingerprint)

    def visible(self, pairs: Sequence[Pair]) -> IntArray | None:
        """How many characters are read of each pair's text; None if the model reads the end."""
        if self.model.folder.cuts_left:
            return None
        return self.model.visible([text for _, text in pairs], "document")

    def text_counts(self) -> Mapping[str, int]:
        """How many queries and documents the last `score` had, and how many parts they had together."""
        return self._counts

    def score(self, pairs: Sequence[Pair]) -> FloatArray:
        """The score of each pair, in order."""
        if not pairs:
            return np.empty(0, dtype=np.float64)
        queries = self._alike([query for query, _ in pairs], "query")
        documents = self._alike([document for _, document in pairs], "document")
        alike = [(queries[query], documents[document]) for query, document in pairs]
        groups = _group_by_document(alike)
        rows = self._rows(groups)
        scores: dict[Pair, float] = {}
        sizes: dict[str, int] = {}
        for group, row in zip(groups, rows, strict=True):
            for query, score, size in zip(group.queries, row[1::2], row[2::2], strict=False):
                scores[query, group.document] = float(score)
                sizes[query] = int(size)
        self._counts = {
            "queries": len(sizes),
            "query_parts": sum(sizes.values()),
            "documents": len(rows),
            "document_parts": int(rows[:, 0].sum()),
        }
        return np.array([scores[pair] for pair in alike], dtype=np.float64)

    def _alike(self, texts: Sequence[str], role: TextRole) -> dict[str, str]:
        return first_alike(texts, self.model.marks(texts, role))

    def _rows(self, groups: Sequence[DocumentQueries]) -> FloatArray:
        """One row per document: its size, then score and size of each query; zeros if other documents have more queries."""
        limits = self.sizes.limits(self.model.settings)
        width = max(len(group.queries) for group in groups)
        queries = list(dict.fromkeys(query for group in groups for query in group.queries))
        # The queries are computed in batches too, so the last bits of each depend on all of them.
        all_queries = sha256_text(str(width), *queries)
        run = BatchRun(
            "documents",
            _Documents(self, _Queries(self, queries, limits, self._bench), width),
            self.model.fingerprint,
            lambda group: sha256_text(all_queries, group.document, *group.queries),
            limits,
            self._bench,
        )
        lengths = self.model.lengths([group.document for group in groups], "document")
        return run(groups, lengths).astype(np.float64, copy=False)


def mean_sizes(sizes: Mapping[str, int]) -> Mapping[str, ModelFact]:
    """The mean number of parts of a vector, by role."""
    return {
        "queries": sizes["query_parts"] / sizes["queries"],
        "documents": sizes["document_parts"] / sizes["documents"],
    }


def _group_by_document(pairs: Sequence[Pair]) -> list[DocumentQueries]:
    by_document: dict[str, dict[str, None]] = {}
    for query, document in pairs:
        by_document.setdefault(document, {})[query] = None
    return [DocumentQueries(document, tuple(queries)) for document, queries in by_document.items()]


class _Inputs(NamedTuple, Generic[T]):
    items: Sequence[T]
    features: Features


class _Queries(Generic[V]):
    """The vectors of all queries, computed when the first one is needed; a run with all scores cached needs none."""

    def __init__(
        self, interaction: InteractionScorer[V], queries: Sequence[str], limits: BatchLimits, bench: Workbench
    ) -> None:
        self._interaction = interaction
        self._queries = queries
        # Vectors of different sizes cannot be cached as rows; and only the documents have a progress bar.
        self._run = BatchRun("queries", self, "", str, limits, replace(bench, cache=None, reporter=Silent()))
        self._read: dict[str, V] = {}

    def __getitem__(self, query: str) -> V:
        if not self._read:
            self._run(self._queries, self._interaction.model.lengths(self._queries, "query"))
        return self._read[query]

    def prepare(self, items: Sequence[str]) -> _Inputs[str]:
        """The items of a batch with their padded tokens."""
        return _Inputs(items, self._interaction.model.features(items, "query"))

    def compute(self, inputs: _Inputs[str]) -> FloatArray:
        """Keep the vectors; the result is their sizes."""
        vectors = self._interaction.vectors(inputs.features, "query")
        self._read.update(zip(inputs.items, vectors, strict=True))
        return np.array([self._interaction.size(vector) for vector in vectors], dtype=np.float64)


@dataclass(frozen=True)
class _Documents(Generic[V]):
    """Computes the vectors of documents and compares them with their queries."""

    interaction: InteractionScorer[V]
    queries: _Queries[V]
    width: int

    def prepare(self, items: Sequence[DocumentQueries]) -> _Inputs[DocumentQueries]:
        """The items of a batch with their padded tokens."""
        return _Inputs(items, self.interaction.model.features([item.document for item in items], "document"))

    def compute(self, inputs: _Inputs[DocumentQueries]) -> FloatArray:
        """One row per document: its size, then score and size of each query."""
        rows = np.zeros((len(inputs.items), 1 + 2 * self.width), dtype=np.float64)
        vectors = self.interaction.vectors(inputs.features, "document")
        for row, group, vector in zip(rows, inputs.items, vectors, strict=True):
            row[0] = self.interaction.size(vector)
            for place, query in enumerate(group.queries):
                known = self.queries[query]
                row[1 + 2 * place : 3 + 2 * place] = (
                    self.interaction.compare(known, vector),
                    self.interaction.size(known),
                )
        return rows
