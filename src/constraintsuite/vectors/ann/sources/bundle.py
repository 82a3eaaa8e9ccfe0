"""A bundle: its vectors by one encoder, and what people judged of its documents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import Field, field_validator

from constraintsuite.core.errors import UserError
from constraintsuite.models.backends import Similarity
from constraintsuite.models.base import Workbench
from constraintsuite.models.retrieval.base import Passages, load_retriever
from constraintsuite.vectors.ann.data import BenchmarkVectors, VectorMetric
from constraintsuite.vectors.ann.sources.base import TextSearch, VectorSourceSettings, existing_path
from constraintsuite.vectors.bundle import Bundle, open_vectors, reading
from constraintsuite.vectors.relevance import relevance_rows


class BundleSource(VectorSourceSettings):
    """`format: bundle`: the vectors of a bundle by one of its encoders."""

    path: str
    encoder: str | None = None
    metric: VectorMetric | None = None
    retrievers: tuple[str, ...] = Field(
        (), description="search the texts without the vectors, for comparison: bm25, ..."
    )

    @field_validator("retrievers")
    @classmethod
    def _known(cls, retrievers: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse a wrong or repeated name before anything is read."""
        for text in retrievers:
            load_retriever(text, Passages(), Workbench())
        if len(set(retrievers)) < len(retrievers):
            raise ValueError("a retriever is named twice")
        return retrievers

    @contextmanager
    def locked(self, folder: Path) -> Iterator[None]:
        """Verify the bundle and hold its shared lock while the block runs."""
        with reading(existing_path(folder, self.path)) as bundle:
            open_vectors(bundle, self.encoder)
            yield

    def load(self, name: str, folder: Path) -> BenchmarkVectors:
        """Map the vectors; judgments of documents outside the bundle are left out and counted."""
        with reading(existing_path(folder, self.path)) as bundle:
            vectors = open_vectors(bundle, self.encoder)
            metric = self.metric or engine_metric(bundle, vectors.similarity)
            least = bundle.min_relevance
            judged: dict[int, dict[int, int]] = {}
            absent = 0
            for row in relevance_rows(bundle):
                if row.doc_row is None:
                    absent += row.relevance >= least
                else:
                    judged.setdefault(row.query_row, {})[row.doc_row] = row.relevance
            notes = [f"vectors of {vectors.model}"]
            if absent:
                notes.append(f"{absent:,} relevant documents are not in the bundle; rel.* is over those that are")
            return BenchmarkVectors(
                name,
                vectors.documents,
                vectors.queries,
                metric,
                None,
                judged or None,
                least,
                tuple(notes),
                bundle=bundle.id,
                population=bundle.texts.manifest.counts.get("population"),
            )

    def texts(self, folder: Path) -> TextSearch | None:
        """The bundle, if retrievers are named. Raises UserError if it has no texts."""
        if not self.retrievers:
            return None
        bundle = Bundle.open(existing_path(folder, self.path))
        bundle.require_texts()
        return TextSearch(bundle, self.retrievers)


def engine_metric(bundle: Bundle, similarity: Similarity) -> VectorMetric:
    """The similarity of an encoder as a metric of engines. Raises UserError if they do not have it."""
    if similarity == "manhattan":
        raise UserError(
            f"{bundle.path}: its encoder uses the manhattan distance, which no engine has. Name a `metric`."
        )
    return similarity
