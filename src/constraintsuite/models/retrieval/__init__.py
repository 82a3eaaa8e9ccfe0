"""Retrievers that find documents for a query: one file per kind, and one line in `RETRIEVERS`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.core.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.models.retrieval.base import RetrieverFactory

RETRIEVERS: Catalogue[RetrieverFactory] = Catalogue(
    "retriever",
    {
        "bm25": "constraintsuite.models.retrieval.bm25:make_bm25",
        "dense": "constraintsuite.models.retrieval.dense:make_dense",
        "dpr": "constraintsuite.models.retrieval.dense:make_dense",
        "http": "constraintsuite.models.retrieval.dense:make_dense",
        "opensearch": "constraintsuite.models.retrieval.opensearch.retriever:make_opensearch",
        "rrf": "constraintsuite.models.retrieval.fusion:make_rrf",
    },
)
