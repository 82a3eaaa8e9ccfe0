"""BM25 as Lucene computes it, and the statistics of a corpus that it needs.

A document that contains a term `tf` times scores idf · tf / (tf + norm) for it. A term in n of N documents has the idf
ln(1 + (N − n + ½) / (n + ½)); a document has the norm k1 · (1 − b + b · length / mean length). This is the variant "Lucene
(accurate)" of Kamphuis et al., ECIR 2020, which Anserini and bm25s (method="lucene") compute too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Value = TypeVar("Value", float, npt.NDArray[np.float64])


@dataclass(frozen=True, slots=True)
class Bm25Formula:
    """The formula with its two constants; its parts take numbers or arrays."""

    k1: float = 0.9
    """How slowly repeated terms saturate."""
    b: float = 0.4
    """How much long documents are penalised."""

    def idf(self, holding: int, documents: int) -> float:
        """The idf of a term that `holding` of all `documents` contain."""
        return math.log1p((documents - holding + 0.5) / (holding + 0.5))

    def norm(self, length: Value, mean_length: float) -> Value:
        """The length normalisation of a document."""
        return self.k1 * ((1 - self.b) + self.b * length / mean_length)

    def weight(self, idf: Value, count: Value, norm: Value) -> Value:
        """The contribution of a term to the score of a document that contains it `count` times."""
        return idf * count / (count + norm)


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """The number of documents of a corpus or a part of it, their length, and how many of them contain each term."""

    documents: int
    length: int
    """The number of terms in all documents, with repetitions."""
    holding: Mapping[str, int]
    """The number of documents that contain each term."""

    @property
    def mean_length(self) -> float:
        """Terms per document; 1 if there are no terms, to avoid a division by zero."""
        return self.length / self.documents if self.length else 1.0

    @staticmethod
    def merged(parts: Iterable[CorpusStatistics]) -> CorpusStatistics:
        """The statistics of all parts together."""
        documents, length, holding = 0, 0, Counter[str]()
        for part in parts:
            documents += part.documents
            length += part.length
            holding.update(part.holding)
        return CorpusStatistics(documents, length, dict(sorted(holding.items())))
