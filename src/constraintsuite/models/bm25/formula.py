"""BM25 as Lucene computes it, and what has to be known of a corpus to compute it.

A document that holds a term `tf` times scores idf · tf / (tf + norm) for it. A term that n of N documents hold has the idf
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
    """The formula with its two constants; each part takes numbers, or arrays of them."""

    k1: float = 0.9
    """How slowly repeated terms saturate."""
    b: float = 0.4
    """How much long documents are held back."""

    def idf(self, holding: int, documents: int) -> float:
        """The weight of a term that `holding` of all `documents` hold."""
        return math.log1p((documents - holding + 0.5) / (holding + 0.5))

    def norm(self, length: Value, mean_length: float) -> Value:
        """What the count of a term is compared with in a document of some length."""
        return self.k1 * ((1 - self.b) + self.b * length / mean_length)

    def weight(self, idf: Value, count: Value, norm: Value) -> Value:
        """What a term adds to the score of a document that holds it `count` times."""
        return idf * count / (count + norm)


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """How many documents a corpus or a part of it has, how long they are, and how many of them hold a term."""

    documents: int
    length: int
    """Terms of all documents together, with repetitions."""
    holding: Mapping[str, int]
    """The number of documents that hold a term, for each term that is found."""

    @property
    def mean_length(self) -> float:
        """Terms per document; 1 where there are no terms, so that it can be divided by."""
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
