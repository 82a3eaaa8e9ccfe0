"""A BM25 index over a corpus or a part of it; documents can be added and removed."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate, islice
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from constraintsuite.models.bm25.formula import Bm25Formula, CorpusStatistics
from constraintsuite.models.bm25.postings import Int32Array, Postings, PostingsSegment

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
Real = TypeVar("Real", np.float32, np.float64)

_BLOCK = 16_384  # documents whose terms are sorted together
_MERGED_SEGMENTS = 8  # of about the same size


class Bm25Index(Generic[Real]):
    """Scores documents, which are given as lists of terms. Each document has a slot number until `compacted` changes it.

    Statistics are counted from the current documents, or come from `corpus_statistics` if these are a part of a corpus. So a
    score has the same bits in whatever order documents were added and removed. `precision` is the type of idf and scores:
    np.float32 gives the bits of bm25s. With a `vocabulary`, only its terms are indexed, while all terms count for the length
    of a document.
    """

    def __init__(
        self,
        precision: type[Real],
        formula: Bm25Formula | None = None,
        *,
        vocabulary: Sequence[str] | None = None,
        corpus_statistics: CorpusStatistics | None = None,
    ) -> None:
        self.formula = formula or Bm25Formula()
        self._precision: type[Real] = precision
        self._corpus_statistics = corpus_statistics
        self._vocabulary = vocabulary
        self._term_numbers = _numbered(vocabulary or ())
        self._segments: list[PostingsSegment] = []
        self._lengths = np.empty(0, dtype=np.int32)  # (slots,)
        self._occupied = np.empty(0, dtype=np.bool_)  # (slots,) whether the slot has a document
        self._all: _View[Real] | None = None
        self._some: tuple[BoolArray, _View[Real]] | None = None  # the last view of a part of the documents

    @property
    def empty_slots(self) -> int:
        """How many slots are empty."""
        return len(self._occupied) - int(self._occupied.sum())

    def add(self, documents: Iterable[Sequence[str]]) -> Int32Array:
        """Add documents, each as its terms with repetitions; returns their slots in the same order."""
        first, waiting = len(self._lengths), iter(documents)
        while True:
            terms, counts, lengths = array("q"), array("i"), array("i")
            for document in islice(waiting, _BLOCK):
                numbers = self._numbers(document)
                terms.fromlist(numbers)
                counts.append(len(numbers))
                lengths.append(len(document))
            if not lengths:
                return np.arange(first, len(self._lengths), dtype=np.int32)
            segment = PostingsSegment.counted(
                np.frombuffer(terms, dtype=np.int64), np.frombuffer(counts, dtype=np.int32)
            )
            slots = segment.documents + np.int32(len(self._lengths))
            self._append(segment._replace(documents=slots), np.frombuffer(lengths, dtype=np.int32))

    def _numbers(self, terms: Sequence[str]) -> list[int]:
        """The numbers of the terms, without terms that are not indexed."""
        if self._vocabulary is None:
            return list(map(self._term_numbers.__getitem__, terms))
        return [number for number in map(self._term_numbers.get, terms) if number is not None]

    def add_postings(self, postings: Postings) -> Int32Array:
        """As `add`, for documents whose terms were counted before."""
        first = len(self._lengths)
        numbers = np.array([self._term_numbers[term] for term in postings.terms], dtype=np.int32)
        slots = postings.documents + np.int32(first)
        if (np.diff(numbers) > 0).all():  # always true for the first postings
            segment = PostingsSegment(numbers, postings.starts, slots, postings.counts)
        else:
            terms = np.repeat(numbers, np.diff(postings.starts))
            order = np.argsort(terms, kind="stable")
            segment = PostingsSegment.of(terms[order], slots[order], postings.counts[order])
        self._append(segment, postings.lengths)
        return np.arange(first, len(self._lengths), dtype=np.int32)

    def _append(self, segment: PostingsSegment, lengths: Int32Array) -> None:
        self._lengths = np.concatenate([self._lengths, lengths])
        self._occupied = np.concatenate([self._occupied, np.ones(len(lengths), dtype=np.bool_)])
        self._segments.append(segment)
        self._all = self._some = None
        self._merge_small()

    def _merge_small(self) -> None:
        """Merge the last eight segments if they have about the same size: this keeps few segments, and rarely moves large ones."""
        tiers = [len(segment.documents).bit_length() // 3 for segment in self._segments]
        alike = len(tiers) - next((n + 1 for n in reversed(range(len(tiers))) if tiers[n] > tiers[-1]), 0)
        if alike >= _MERGED_SEGMENTS:
            self._segments[-alike:] = [self._merged(self._segments[-alike:])]
            self._merge_small()

    def _merged(self, segments: Sequence[PostingsSegment]) -> PostingsSegment:
        """One segment from several, without the postings of removed documents."""
        terms = np.concatenate([np.repeat(each.terms, np.diff(each.starts)) for each in segments])
        slots = np.concatenate([each.documents for each in segments])
        order = np.argsort(terms, kind="stable")
        if self.empty_slots:
            order = order[self._occupied[slots[order]]]
        counts = np.concatenate([each.counts for each in segments])
        return PostingsSegment.of(terms[order], slots[order], counts[order])

    def remove(self, slots: Int32Array) -> None:
        """Remove the documents of some slots."""
        self._occupied[slots] = False
        self._all = self._some = None

    def compacted(self) -> Int32Array:
        """Drop the empty slots; returns the new slot of each old one, or -1."""
        renumber = np.where(self._occupied, np.cumsum(self._occupied) - 1, -1).astype(np.int32)
        if self._segments:
            whole, names = self._merged(self._segments), list(self._term_numbers)
            still: list[str] = [names[number] for number in whole.terms.tolist()]
            self._term_numbers = _numbered(dict.fromkeys([*still, *(self._vocabulary or ())]))
            terms = np.arange(len(whole.terms), dtype=np.int32)
            self._segments = [whole._replace(terms=terms, documents=renumber[whole.documents])]
        self._lengths, self._occupied = self._lengths[self._occupied], self._occupied[self._occupied]
        self._all = self._some = None
        return renumber

    def postings(self, slots: Int32Array) -> Postings:
        """The postings of the documents of some slots, numbered in this order, independent of how they were added."""
        if not len(slots):
            return Postings((), np.zeros(1, np.int64), slots, np.empty(0, np.uint8), self._lengths[:0])
        whole = self._merged(self._segments)
        names = list(self._term_numbers)
        found = np.array([names[number] for number in whole.terms.tolist()], dtype=object)
        by_name = np.argsort(found)
        terms = np.repeat(np.argsort(by_name), np.diff(whole.starts))  # by their rank among the names
        numbers = np.full(len(self._lengths), -1)
        numbers[slots] = np.arange(len(slots))
        documents = numbers[whole.documents]
        order = np.argsort(terms * len(numbers) + documents)
        order = order[documents[order] >= 0]
        kept = PostingsSegment.of(terms[order].astype(np.int32), documents[order].astype(np.int32), whole.counts[order])
        names = found[by_name][kept.terms].tolist()
        return Postings(names, kept.starts, kept.documents, kept.counts, self._lengths[slots])

    def scores(self, terms: Sequence[str], among: BoolArray | None = None) -> npt.NDArray[Real]:
        """The score of each slot for the terms of a query, 0 if no term is shared; a repeated term counts again.

        With `among`, a mask over slots, the index behaves as if it had only these documents.
        """
        view = self._view(among)
        self._weigh([term for term in dict.fromkeys(terms) if term not in view.weights], view)
        scores = np.zeros(len(self._lengths), dtype=self._precision)
        for term in terms:
            np.add.at(scores, *view.weights[term])
        return scores

    def full_score(self, terms: Sequence[str], among: BoolArray | None = None) -> float:
        """The score of an imagined document of mean length that contains every term of a query once."""
        view = self._view(among)
        return sum(self._idf(term, len(self._find(term, view)[0]), view) for term in terms) / (1 + self.formula.k1)

    def _weigh(self, terms: Sequence[str], view: _View[Real]) -> None:
        """Compute for each term its slots and its contribution to their scores; the view keeps them for later queries."""
        if not terms:
            return
        found = [self._find(term, view) for term in terms]
        sizes = [len(slots) for slots, _ in found]
        idf = np.array([self._idf(*each, view) for each in zip(terms, sizes, strict=True)], dtype=self._precision)
        norms = view.norms[np.concatenate([slots for slots, _ in found])]
        counts = np.concatenate([counts for _, counts in found]).astype(np.float64)
        weights = self.formula.weight(np.repeat(idf.astype(np.float64), sizes), counts, norms).astype(self._precision)
        for term, (slots, _), end in zip(terms, found, accumulate(sizes), strict=True):
            view.weights[term] = (slots, weights[end - len(slots) : end])

    def _idf(self, term: str, found: int, view: _View[Real]) -> float:
        holding = found if self._corpus_statistics is None else self._corpus_statistics.holding.get(term, 0)
        return self.formula.idf(holding, view.statistics.documents)

    def _find(self, term: str, view: _View[Real]) -> tuple[Int32Array, npt.NDArray[np.unsignedinteger]]:
        """The slots that contain a term, and how often."""
        number = self._term_numbers.get(term)
        if number is None or not self._segments:
            return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint8)
        found = [segment.postings(number) for segment in self._segments]
        slots = found[0][0] if len(found) == 1 else np.concatenate([slots for slots, _ in found])
        counts = found[0][1] if len(found) == 1 else np.concatenate([counts for _, counts in found])
        if view.complete:
            return slots, counts
        included = view.included[slots]
        return slots[included], counts[included]

    def _view(self, among: BoolArray | None) -> _View[Real]:
        """The view of all documents, or of some of them; the last one of either is cached."""
        if among is None:
            if self._all is None:
                self._all = self._make_view(self._occupied)
            return self._all
        if self._some is None or not np.array_equal(self._some[0], among):
            self._some = (among.copy(), self._make_view(self._occupied & among))
        return self._some[1]

    def _make_view(self, included: BoolArray) -> _View[Real]:
        counted = CorpusStatistics(int(included.sum()), int(self._lengths[included].sum()), {})
        statistics = self._corpus_statistics or counted
        norms = self.formula.norm(self._lengths.astype(np.float64), statistics.mean_length)
        return _View(included, counted.documents == len(included), statistics, norms, {})


class _View(NamedTuple, Generic[Real]):
    """The documents that are searched, with their statistics and the weights of terms."""

    included: BoolArray  # (slots,)
    complete: bool
    """Whether every slot has a document in this view."""
    statistics: CorpusStatistics
    norms: FloatArray  # (slots,)
    weights: dict[str, tuple[Int32Array, npt.NDArray[Real]]]
    """For each term that was searched, its slots and its contribution to their scores."""


def _numbered(terms: Iterable[str]) -> defaultdict[str, int]:
    """The numbers of terms; looking up a new term gives it the next number."""
    vocabulary: defaultdict[str, int] = defaultdict(None, {term: number for number, term in enumerate(terms)})
    vocabulary.default_factory = vocabulary.__len__
    return vocabulary
