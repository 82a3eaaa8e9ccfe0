"""Who finds documents for a query: one file per way to search, one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.retrieval.base import RetrieverFactory

RETRIEVERS: Catalogue[RetrieverFactory] = Catalogue(
    "retriever",
    {
        "bm25": "constraintsuite.retrieval.bm25:make_bm25",
        "dense": "constraintsuite.retrieval.dense:make_dense",
        "dpr": "constraintsuite.retrieval.dense:make_dense",
        "http": "constraintsuite.retrieval.dense:make_dense",
        "opensearch": "constraintsuite.retrieval.opensearch.retriever:make_opensearch",
        "rrf": "constraintsuite.retrieval.fusion:make_rrf",
    },
)
