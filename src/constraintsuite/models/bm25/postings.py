"""Postings: which documents contain which terms, and how often; sorted by term, in arrays and as a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.models.bm25.formula import CorpusStatistics

Int32Array = npt.NDArray[np.int32]
Counts = npt.NDArray[np.unsignedinteger]


class Postings(NamedTuple):
    """The count of each term in each of some documents: all that BM25 needs of them."""

    terms: Sequence[str]
    """Sorted."""
    starts: npt.NDArray[np.int64]  # (terms + 1,) where the postings of each begin
    documents: Int32Array
    """By number, ascending within a term."""
    counts: Counts
    lengths: Int32Array
    """The number of terms of each document, including terms without postings here."""

    def statistics(self) -> CorpusStatistics:
        """What these documents add to the statistics of a corpus."""
        holding = dict(zip(self.terms, np.diff(self.starts).tolist(), strict=True))
        return CorpusStatistics(len(self.lengths), int(self.lengths.sum()), holding)


class PostingsSegment(NamedTuple):
    """Postings whose terms are numbers of a vocabulary."""

    terms: Int32Array
    """The numbers of the terms that occur, ascending."""
    starts: npt.NDArray[np.int64]  # (terms + 1,)
    documents: Int32Array
    counts: Counts
    """In the smallest integer type that fits all counts."""

    @classmethod
    def of(cls, terms: Int32Array, documents: Int32Array, counts: npt.NDArray[np.integer]) -> PostingsSegment:
        """A segment from single postings that are sorted by term."""
        starts = np.flatnonzero(np.diff(terms, prepend=-1))
        smallest = np.min_scalar_type(int(counts.max(initial=0)))
        return cls(terms[starts], np.append(starts, len(terms)), documents, counts.astype(smallest))

    @classmethod
    def counted(cls, terms: npt.NDArray[np.int64], term_counts: Int32Array) -> PostingsSegment:
        """A segment from the terms of documents in one row with repetitions; `term_counts` is the number of terms per document."""
        size = max(len(term_counts), 1)
        pairs, counts = np.unique(
            terms * size + np.repeat(np.arange(len(term_counts)), term_counts), return_counts=True
        )
        numbers, documents = np.divmod(pairs, size)
        return cls.of(numbers.astype(np.int32), documents.astype(np.int32), counts)

    def postings(self, term: int) -> tuple[Int32Array, Counts]:
        """The documents that contain a term, and how often."""
        at = int(np.searchsorted(self.terms, term))
        if at == len(self.terms) or self.terms[at] != term:
            return self.documents[:0], self.counts[:0]
        rows = slice(self.starts[at], self.starts[at + 1])
        return self.documents[rows], self.counts[rows]


def write_postings(file: BinaryIO, postings: Postings) -> None:
    """Append postings to an open file."""
    terms = np.frombuffer("\n".join(postings.terms).encode(), dtype=np.uint8)
    for array in (terms, *postings[1:]):
        np.save(file, array, allow_pickle=False)


def read_postings(file: BinaryIO) -> Postings:
    """Read postings that `write_postings` wrote, from the current place in the file."""
    terms, *others = (np.load(file, allow_pickle=False) for _ in Postings._fields)
    return Postings(terms.tobytes().decode().split("\n") if len(terms) else (), *others)
