"""A bundle: its vectors by one encoder, and what people judged of its documents."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.vectors.ann.data import Metric, VectorSet
from constraintsuite.vectors.ann.sources.base import SourceSettings, existing
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.relevance import relevance_rows
from constraintsuite.vectors.vectorset import open_vectors


class BundleSource(SourceSettings):
    """`format: bundle`."""

    path: str
    encoder: str | None = None
    metric: Metric | None = None

    def load(self, name: str, folder: Path) -> VectorSet:
        """Map the vectors; judgments of documents that are not in the bundle are left out and counted."""
        bundle = Bundle.open(existing(folder, self.path))
        vectors = open_vectors(bundle, self.encoder)
        metric = self.metric or vectors.similarity
        if metric == "manhattan":
            raise UserError(f"{bundle.path}: its encoder compares by manhattan, which no engine does. Name a `metric`.")
        judged: dict[int, dict[int, int]] = {}
        absent = 0
        for row in relevance_rows(bundle):
            if row.doc_row is None:
                absent += row.relevance > 0
            else:
                judged.setdefault(row.query_row, {})[row.doc_row] = row.relevance
        notes = [f"bundle {bundle.id[:16]}, vectors of {vectors.model}"]
        if absent:
            notes.append(f"{absent:,} relevant documents are not in the bundle; rel.* is over those that are")
        return VectorSet(name, vectors.documents, vectors.queries, metric, None, judged or None, tuple(notes))
