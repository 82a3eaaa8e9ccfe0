"""Engines that a benchmark can name: one file per engine, one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.core.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.vectors.ann.engines.base import AnnEngine

ENGINES: Catalogue[type[AnnEngine]] = Catalogue(
    "engine",
    {
        "exact": "constraintsuite.vectors.ann.engines.exact:ExactEngine",
        "coded": "constraintsuite.vectors.ann.engines.coded:CodedEngine",
        "faiss": "constraintsuite.vectors.ann.engines.faiss:FaissEngine",
        "usearch": "constraintsuite.vectors.ann.engines.usearch:UsearchEngine",
        "hnswlib": "constraintsuite.vectors.ann.engines.hnswlib:HnswlibEngine",
        "pgvector": "constraintsuite.vectors.ann.engines.pgvector:PgvectorEngine",
        "qdrant": "constraintsuite.vectors.ann.engines.qdrant:QdrantEngine",
    },
)
