"""Vectors of units by an encoder, each text embedded once, and how near a query is to each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.cache import ArrayCache
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.memory.graph import FloatArray, Int32Array
from constraintsuite.models.base import Encoder, TextRole
from constraintsuite.models.dense import DenseScorer

Matrix = npt.NDArray[np.float32]
_BLOCK = 4_096  # texts that are embedded, and rows that are compared one by one, at once


class DenseIndex:
    """One row a text. A score depends on its row alone, not on where it stands: equal texts tie, to the bit.

    An encoder's vectors depend in their last bits on what else was in the batch. With a cache a text keeps the vector that
    it was first given, so that a memory that grew equals one made at once.
    """

    def __init__(self, encoder: DenseScorer, cache: Path | None = None) -> None:
        self.encoder = encoder
        self._rows: Matrix = np.empty((0, 0), dtype=np.float32)  # with room behind those that count
        self._lengths: Matrix = np.empty(0, dtype=np.float32)  # one for each row that counts
        self._prepared = 0
        self._cache = ArrayCache(cache / f"texts-{encoder.encoder.fingerprint}.bin") if cache else None
        self._asked: tuple[str, Matrix] | None = None

    @property
    def vectors(self) -> Matrix:
        """The rows, in the order in which they came."""
        return self._rows[: len(self._lengths)]

    def prepare(self, texts: Sequence[str]) -> None:
        """Embed some texts; their rows count once they are taken, so that an encoder that fails changes nothing."""
        places: dict[str, list[int]] = {}
        for place, text in enumerate(texts, len(self._lengths)):
            places.setdefault(text, []).append(place)
        distinct = list(places)
        for start in range(0, len(distinct), _BLOCK):
            block = distinct[start : start + _BLOCK]
            vectors = self.embed(block)
            self._make_room(len(self._lengths) + len(texts), vectors.shape[1])
            for text, vector in zip(block, vectors, strict=True):
                self._rows[places[text]] = vector
        self._prepared = len(texts)

    def _make_room(self, rows: int, width: int) -> None:
        if rows > len(self._rows):
            # Room that is not used costs no memory, and not every text that comes must move all the others.
            larger = np.empty((rows + rows // 8, width), dtype=np.float32)
            if len(self._lengths):
                larger[: len(self._lengths)] = self.vectors
            self._rows = larger

    def take(self) -> None:
        """From now on the rows that were prepared count, behind all others."""
        first = len(self._lengths)
        fresh = self._rows[first : first + self._prepared]
        self._lengths = np.concatenate([self._lengths, np.sqrt(np.vecdot(fresh, fresh))])
        self._prepared = 0

    def compact(self, renumber: Int32Array) -> None:
        """Move each row to its new place, which is not behind the old one; those whose place is -1 go."""
        kept = np.flatnonzero(renumber >= 0)
        for start in range(0, len(kept), _BLOCK):
            block = kept[start : start + _BLOCK]
            self._rows[start : start + len(block)] = self._rows[block]
        self._lengths = self._lengths[kept]

    def scores(self, query: str) -> FloatArray:
        """The similarity of each row to the query, in single precision."""
        if not len(self._lengths):
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
        if self._asked is None or self._asked[0] != query:
            self._asked = (query, _checked(self.encoder, self.encoder.encoder.encode([query], "query"), 1)[0])
        return self._asked[1]

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row a text; those of the cache are not asked for again."""
        if self._cache is None:
            return _checked(self.encoder, self.encoder.encoder.encode(texts, "document"), len(texts))
        keys = [sha256_text(str(REVISIONS["arrays"]), self.encoder.encoder.fingerprint, text) for text in texts]
        held = [self._cache.get(key) for key in keys]
        missing = [number for number, row in enumerate(held) if row is None]
        if missing:
            asked = [texts[number] for number in missing]
            fresh = _checked(self.encoder, self.encoder.encoder.encode(asked, "document"), len(asked))
            for number, row in zip(missing, fresh, strict=True):
                self._cache.put(keys[number], row)
                held[number] = row
        return np.stack([row for row in held if row is not None]).astype(np.float32, copy=False)


def _checked(encoder: DenseScorer, vectors: Matrix, count: int) -> Matrix:
    if vectors.ndim != 2 or len(vectors) != count:
        raise UserError(
            f"{encoder.name}: gave an array of shape {vectors.shape} for {count} texts, not a vector for each."
        )
    if not np.isfinite(vectors).all():
        raise UserError(f"{encoder.name}: gave a vector that is not finite.")
    return vectors


class CachedEncoder:
    """Keeps every vector that it gave, and asks the encoder for new texts alone."""

    def __init__(self, encoder: Encoder) -> None:
        self.name = encoder.name
        self.similarity = encoder.similarity
        self.fingerprint = encoder.fingerprint
        self._encoder = encoder
        self._known: dict[TextRole, dict[str, Matrix]] = {"document": {}, "query": {}}

    def add(self, role: TextRole, texts: Sequence[str], vectors: Matrix) -> None:
        """Keep vectors that were made elsewhere."""
        self._known[role] |= zip(texts, vectors, strict=True)

    def encode(self, texts: Sequence[str], role: TextRole) -> Matrix:
        """One row per text; those that are new are asked for in one call, in their order."""
        known = self._known[role]
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new:
            self.add(role, new, self._encoder.encode(new, role))
        return np.stack([known[text] for text in texts])


def cached(encoder: DenseScorer) -> DenseScorer:
    """The same encoder; what it gave before it gives again without computing it."""
    return DenseScorer(encoder.name, CachedEncoder(encoder.encoder), encoder.similarity)


def embed_all(encoder: DenseScorer, texts: Iterable[str], questions: Iterable[str], cache: Path | None) -> DenseScorer:
    """The encoder with its vectors of all texts and questions ready; `cache` is a folder of vectors made before."""
    documents, queries = list(dict.fromkeys(texts)), list(dict.fromkeys(questions))
    index = DenseIndex(encoder, cache)
    index.prepare(documents)
    index.take()
    ready = CachedEncoder(encoder.encoder)
    ready.add("document", documents, index.vectors)
    ready.encode(queries, "query")
    return DenseScorer(encoder.name, ready, encoder.similarity)
