"""Vectors of units, each text embedded once, and their similarity to a query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.cache import ArrayCache
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.memory.graph import FloatArray
from constraintsuite.models.base import Encoder, TextRole
from constraintsuite.models.dense import DenseScorer

Matrix = npt.NDArray[np.float32]
_BLOCK = 4_096  # texts that are embedded, and rows that are compared, at once


class DenseIndex:
    """One vector per text. A score depends on its vector only, not on its position: equal texts tie, to the bit.

    The last bits of an encoder's vectors depend on the rest of the batch. With a cache, a text keeps the vector that it was
    first given, so a memory that grew equals one made at once.
    """

    def __init__(self, encoder: DenseScorer, texts: Sequence[str], cache: Path | None = None) -> None:
        self.encoder = encoder
        self._cache = ArrayCache(cache / f"texts-{encoder.encoder.fingerprint}.bin") if cache else None
        self._last_query: tuple[str, Matrix] | None = None
        self.vectors: Matrix = np.empty((len(texts), 0), dtype=np.float32)
        positions: dict[str, list[int]] = defaultdict(list)
        for position, text in enumerate(texts):
            positions[text].append(position)
        distinct = list(positions)
        for start in range(0, len(distinct), _BLOCK):
            block = distinct[start : start + _BLOCK]
            vectors = self.embed(block)
            if not self.vectors.size:
                self.vectors = np.empty((len(texts), vectors.shape[1]), dtype=np.float32)
            for text, vector in zip(block, vectors, strict=True):
                self.vectors[positions[text]] = vector
        self._lengths: Matrix = np.sqrt(np.vecdot(self.vectors, self.vectors))

    def scores(self, query: str) -> FloatArray:
        """Return the similarity of each text to the query, in single precision."""
        if not len(self.vectors):
            return np.zeros(0)
        return self._compare(self._query(query)).astype(np.float64)

    def _compare(self, query: Matrix) -> Matrix:
        if self.encoder.similarity in ("dot", "cosine"):
            products: Matrix = np.vecdot(self.vectors, query)
            if self.encoder.similarity == "cosine":
                products /= np.maximum(self._lengths * np.sqrt(np.vecdot(query, query)), np.float32(1e-12))
            return products
        order = 1 if self.encoder.similarity == "manhattan" else 2
        blocks = (self.vectors[at : at + _BLOCK] - query for at in range(0, len(self.vectors), _BLOCK))
        return -np.concatenate([np.linalg.norm(block, ord=order, axis=1) for block in blocks])

    def _query(self, query: str) -> Matrix:
        if self._last_query is None or self._last_query[0] != query:
            self._last_query = (query, _checked(self.encoder, self.encoder.encoder.encode([query], "query"), 1)[0])
        return self._last_query[1]

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text; rows of the cache are not computed again."""
        if self._cache is None:
            return _checked(self.encoder, self.encoder.encoder.encode(texts, "document"), len(texts))
        keys = [sha256_text(str(REVISIONS["arrays"]), self.encoder.encoder.fingerprint, text) for text in texts]
        rows = [self._cache.get(key) for key in keys]
        missing = [number for number, row in enumerate(rows) if row is None]
        if missing:
            new = [texts[number] for number in missing]
            fresh = _checked(self.encoder, self.encoder.encoder.encode(new, "document"), len(new))
            for number, row in zip(missing, fresh, strict=True):
                self._cache.put(keys[number], row)
                rows[number] = row
        return np.stack([row for row in rows if row is not None]).astype(np.float32, copy=False)


def _checked(encoder: DenseScorer, vectors: Matrix, count: int) -> Matrix:
    if vectors.ndim != 2 or len(vectors) != count:
        raise UserError(
            f"{encoder.name}: gave an array of shape {vectors.shape} for {count} texts, not a vector for each."
        )
    if not np.isfinite(vectors).all():
        raise UserError(f"{encoder.name}: gave a vector that is not finite.")
    return vectors


class CachedEncoder:
    """An encoder that remembers every vector it gave, and computes only the vectors of new texts."""

    def __init__(self, encoder: Encoder, documents: Mapping[str, Matrix] | None = None) -> None:
        """`documents` are vectors of documents that were computed elsewhere."""
        self.name = encoder.name
        self.similarity = encoder.similarity
        self.fingerprint = encoder.fingerprint
        self._encoder = encoder
        self._known: dict[TextRole, dict[str, Matrix]] = {"document": dict(documents or {}), "query": {}}

    def encode(self, texts: Sequence[str], role: TextRole) -> Matrix:
        """Return one row per text; all new texts are embedded in one call, in their order."""
        known = self._known[role]
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new:
            known |= zip(new, self._encoder.encode(new, role), strict=True)
        return np.stack([known[text] for text in texts])


def cached(encoder: DenseScorer) -> DenseScorer:
    """Return the same encoder, but it remembers what it computed."""
    return DenseScorer(encoder.name, CachedEncoder(encoder.encoder), encoder.similarity)


def embed_all(encoder: DenseScorer, texts: Iterable[str], questions: Iterable[str], cache: Path | None) -> DenseScorer:
    """Return the encoder with its vectors of all texts and questions ready; `cache` is a folder of vectors made before."""
    documents, queries = list(dict.fromkeys(texts)), list(dict.fromkeys(questions))
    vectors = DenseIndex(encoder, documents, cache).vectors
    ready = CachedEncoder(encoder.encoder, dict(zip(documents, vectors, strict=True)))
    ready.encode(queries, "query")
    return DenseScorer(encoder.name, ready, encoder.similarity)
