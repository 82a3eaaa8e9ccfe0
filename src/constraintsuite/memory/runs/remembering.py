"""An encoder that is asked for each text once, however often a run is repeated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from constraintsuite.memory.dense import Matrix
from constraintsuite.models.base import Encoder, TextRole
from constraintsuite.models.dense import DenseScorer


def remembering(encoder: DenseScorer) -> DenseScorer:
    """The same encoder; what it gave before it gives again without computing it."""
    return DenseScorer(encoder.name, RememberingEncoder(encoder.encoder), encoder.similarity)


class RememberingEncoder:
    """Holds every vector it gave."""

    def __init__(self, encoder: Encoder) -> None:
        self.name = encoder.name
        self.similarity = encoder.similarity
        self.fingerprint = encoder.fingerprint
        self._encoder = encoder
        self._held: dict[tuple[TextRole, str], Matrix] = {}

    def encode(self, texts: Sequence[str], role: TextRole) -> Matrix:
        """One row a text; those that are new are asked for in one call, in their order."""
        new = list(dict.fromkeys(text for text in texts if (role, text) not in self._held))
        if new:
            rows = self._encoder.encode(new, role)
            self._held |= {(role, text): row for text, row in zip(new, rows, strict=True)}
        return np.stack([self._held[role, text] for text in texts])
