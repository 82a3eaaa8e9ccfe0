"""An encoder that is asked for each text once, however often a run needs its vector."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from constraintsuite.memory.dense import DenseIndex, Matrix
from constraintsuite.models.base import Encoder, TextRole
from constraintsuite.models.dense import DenseScorer


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
