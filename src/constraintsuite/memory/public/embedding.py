"""Vectors of all texts and questions of a benchmark, made in one go before the first search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from constraintsuite.memory.dense import DenseIndex, Matrix
from constraintsuite.models.base import Encoder, TextRole
from constraintsuite.models.dense import DenseScorer


def prepared(encoder: DenseScorer, texts: Iterable[str], questions: Iterable[str], cache: Path | None) -> DenseScorer:
    """The encoder with its answers for these texts ready; `cache` is a folder of vectors made before."""
    documents, queries = list(dict.fromkeys(texts)), list(dict.fromkeys(questions))
    index = DenseIndex(encoder, cache)
    index.prepare(documents)
    index.take()
    asked = encoder.encoder.encode(queries, "query")
    known: Mapping[TextRole, dict[str, Matrix]] = {
        "document": dict(zip(documents, index.vectors, strict=True)),
        "query": dict(zip(queries, asked, strict=True)),
    }
    return DenseScorer(encoder.name, PreparedEncoder(encoder.encoder, known), encoder.similarity)


class PreparedEncoder:
    """Gives the vectors that it holds, and holds those of other texts (names of entities) once they were asked for."""

    def __init__(self, encoder: Encoder, known: Mapping[TextRole, dict[str, Matrix]]) -> None:
        self.name = encoder.name
        self.similarity = encoder.similarity
        self.fingerprint = encoder.fingerprint
        self._encoder = encoder
        self._known = known

    def encode(self, texts: Sequence[str], role: TextRole) -> Matrix:
        """One row a text."""
        known = self._known[role]
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new:
            known |= zip(new, self._encoder.encode(new, role), strict=True)
        return np.stack([known[text] for text in texts])
