"""BM25 over texts that come and go: postings in arrays, statistics of exactly the texts that are there."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.memory.columns import BoolArray, FloatArray, Int32Array
from constraintsuite.text.terms import TermAnalyser, words

_BLOCK = 16_384  # texts whose terms are sorted at once
_ALIKE = 8  # segments of about one size that are made into one


class _Segment(NamedTuple):
    """Postings of some slots: sorted by term, and for each term where its postings begin."""

    terms: Int32Array
    """The terms that occur, ascending."""
    starts: npt.NDArray[np.int64]  # (terms + 1,)
    slots: Int32Array
    counts: npt.NDArray[np.unsignedinteger]
    """How often the term stands in the text, in the smallest type that holds them all."""

    def postings(self, term: int) -> tuple[Int32Array, npt.NDArray[np.unsignedinteger]]:
        at = int(np.searchsorted(self.terms, term))
        if at == len(self.terms) or self.terms[at] != term:
            return self.slots[:0], self.counts[:0]
        rows = slice(self.starts[at], self.starts[at + 1])
        return self.slots[rows], self.counts[rows]


class TermPostings(NamedTuple):
    """How often each term stands in each of some texts: all that searching them needs."""

    terms: Sequence[str]
    """Sorted."""
    starts: npt.NDArray[np.int64]  # (terms + 1,) where the postings of each begin
    texts: Int32Array
    """By number, ascending within a term."""
    counts: npt.NDArray[np.unsignedinteger]
    lengths: Int32Array  # (texts,)


class _Statistics(NamedTuple):
    """The texts over which statistics are made."""

    here: BoolArray  # (slots,)
    texts: int
    norms: FloatArray  # (slots,) what a text of each slot's length must outweigh

    @property
    def whole(self) -> bool:
        """Whether no slot is left out."""
        return self.texts == len(self.here)


class LexicalIndex:
    """Lucene's BM25, as in `retrieval/bm25.py`. Each text has a slot, which is its name until `compacted` says otherwise.

    A score is the same to the bit however the texts got here: it is made of whole numbers that are counted anew, term by
    term in the order of the query.
    """

    def __init__(self, *, k1: float = 0.9, b: float = 0.4, analyser: TermAnalyser | None = None) -> None:
        self.k1, self.b = k1, b
        self.analyser = analyser or TermAnalyser()
        self._vocabulary: dict[str, int] = {}
        self._segments: list[_Segment] = []
        self._lengths = np.empty(0, dtype=np.int32)  # (slots,)
        self._here = np.empty(0, dtype=np.bool_)  # (slots,) whether the text of the slot is still there
        self._all: _Statistics | None = None
        self._some: tuple[BoolArray, _Statistics] | None = None  # of the texts that were last asked for

    @property
    def gone(self) -> int:
        """How many slots are empty."""
        return len(self._here) - int(self._here.sum())

    def add(self, texts: Iterable[str]) -> Int32Array:
        """Take in some texts; their slots, in the order of the texts."""
        first = len(self._lengths)
        known: dict[str, int] = {}
        waiting = iter(texts)
        while block := list(islice(waiting, _BLOCK)):
            self._add(block, known)
        return np.arange(first, len(self._lengths), dtype=np.int32)

    def _add(self, texts: Sequence[str], known: dict[str, int]) -> None:
        terms, lengths = array("i"), array("i")
        for text in texts:
            found = [number for number in self._numbers(text, known) if number >= 0]
            terms.extend(found)
            lengths.append(len(found))
        here = np.repeat(np.arange(len(texts)), lengths)
        pairs, counts = np.unique(np.array(terms, dtype=np.int64) * len(texts) + here, return_counts=True)
        slots = (pairs % len(texts) + len(self._lengths)).astype(np.int32)
        self._lengths = np.concatenate([self._lengths, np.array(lengths, dtype=np.int32)])
        self._here = np.concatenate([self._here, np.ones(len(texts), dtype=np.bool_)])
        self._forget_statistics()
        self._segments.append(_segment((pairs // len(texts)).astype(np.int32), slots, counts))
        self._merge_small()

    def take(self, counted: TermPostings) -> Int32Array:
        """As `add`, of texts whose terms have been counted before."""
        first = len(self._lengths)
        known = self._vocabulary
        numbers = np.array([known.setdefault(term, len(known)) for term in counted.terms], dtype=np.int32)
        slots = counted.texts + np.int32(first)
        if (np.diff(numbers) > 0).all():  # always, if it is the first to come
            segment = _Segment(numbers, counted.starts, slots, counted.counts)
        else:
            terms = np.repeat(numbers, np.diff(counted.starts))
            order = np.argsort(terms, kind="stable")
            segment = _segment(terms[order], slots[order], counted.counts[order])
        self._lengths = np.concatenate([self._lengths, counted.lengths])
        self._here = np.concatenate([self._here, np.ones(len(counted.lengths), dtype=np.bool_)])
        self._forget_statistics()
        self._segments.append(segment)
        self._merge_small()
        return np.arange(first, len(self._lengths), dtype=np.int32)

    def term_counts(self, slots: Int32Array) -> TermPostings:
        """The terms of the texts of some slots, numbered anew in this order; it does not show how they got here."""
        if not len(slots):
            return TermPostings((), np.zeros(1, np.int64), slots, np.empty(0, np.uint8), self._lengths[:0])
        whole = self._merged(self._segments)
        names = list(self._vocabulary)
        found = np.array([names[number] for number in whole.terms.tolist()], dtype=object)
        by_name = np.argsort(found)
        terms = np.repeat(np.argsort(by_name), np.diff(whole.starts))  # by their rank among the names
        numbers = np.full(len(self._lengths), -1)
        numbers[slots] = np.arange(len(slots))
        texts = numbers[whole.slots]
        order = np.argsort(terms * len(numbers) + texts)
        order = order[texts[order] >= 0]
        kept = _segment(terms[order].astype(np.int32), texts[order].astype(np.int32), whole.counts[order])
        return TermPostings(
            found[by_name][kept.terms].tolist(), kept.starts, kept.slots, kept.counts, self._lengths[slots]
        )

    def _merge_small(self) -> None:
        """Make one segment of the last eight when they are of a size: there are never many, and large ones move seldom."""
        tiers = [len(segment.slots).bit_length() // 3 for segment in self._segments]
        alike = len(tiers) - next((n + 1 for n in reversed(range(len(tiers))) if tiers[n] > tiers[-1]), 0)
        if alike >= _ALIKE:
            self._segments[-alike:] = [self._merged(self._segments[-alike:])]
            self._merge_small()

    def _numbers(self, text: str, known: dict[str, int]) -> Iterator[int]:
        """The terms of a text by number, -1 for a stop word; a word that was met before is not stemmed again."""
        for word in words(text):
            number = known.get(word)
            if number is None:
                term = self.analyser.terms(word)  # one, or none
                number = self._vocabulary.setdefault(term[0], len(self._vocabulary)) if term else -1
                known[word] = number
            yield number

    def remove(self, slots: Int32Array) -> None:
        """Forget the texts of some slots."""
        self._here[slots] = False
        self._forget_statistics()

    def compacted(self) -> Int32Array:
        """Give the empty slots up; of each old slot the new one, or -1."""
        renumber = np.where(self._here, np.cumsum(self._here) - 1, -1).astype(np.int32)
        whole = self._merged(self._segments) if self._segments else None
        if whole is not None:
            names = list(self._vocabulary)
            self._vocabulary = {names[old]: new for new, old in enumerate(whole.terms.tolist())}
            terms = np.arange(len(whole.terms), dtype=np.int32)
            self._segments = [whole._replace(terms=terms, slots=renumber[whole.slots])]
        self._lengths, self._here = self._lengths[self._here], self._here[self._here]
        self._forget_statistics()
        return renumber

    def _merged(self, segments: Sequence[_Segment]) -> _Segment:
        """One segment of several, less the postings of texts that are gone."""
        terms = np.concatenate([np.repeat(each.terms, np.diff(each.starts)) for each in segments])
        slots = np.concatenate([each.slots for each in segments])
        order = np.argsort(terms, kind="stable")
        if self.gone:
            order = order[self._here[slots[order]]]
        counts = np.concatenate([each.counts for each in segments])
        return _segment(terms[order], slots[order], counts[order])

    def scores(self, query: str, among: BoolArray | None = None) -> FloatArray:
        """Of each slot its BM25, 0 where no term is shared.

        With `among`, a mask over slots, as if no other texts were there.
        """
        statistics = self._statistics(among)
        scores = np.zeros(len(self._lengths))
        for term, times in Counter(self.analyser.terms(query)).items():
            slots, counts = self._postings(term, statistics)
            if len(slots):
                rarity = _rarity(len(slots), statistics.texts)
                scores[slots] += times * rarity * (counts / (counts + statistics.norms[slots]))
        return scores

    def whole(self, query: str, among: BoolArray | None = None) -> float:
        """What a text of mean length would score that holds every term of the query once, also those that no text has."""
        statistics = self._statistics(among)
        terms = Counter(self.analyser.terms(query))
        holding = {term: len(self._postings(term, statistics)[0]) for term in terms}
        return sum(times * _rarity(holding[term], statistics.texts) for term, times in terms.items()) / (1 + self.k1)

    def _postings(self, term: str, statistics: _Statistics) -> tuple[Int32Array, FloatArray]:
        """Those of the texts that hold a term, and how often."""
        number = self._vocabulary.get(term)
        if number is None or not self._segments:
            return np.empty(0, dtype=np.int32), np.empty(0)
        found = [segment.postings(number) for segment in self._segments]
        slots = np.concatenate([slots for slots, _ in found])
        counts = np.concatenate([counts for _, counts in found]).astype(np.float64)
        if statistics.whole:
            return slots, counts
        here = statistics.here[slots]
        return slots[here], counts[here]

    def _statistics(self, among: BoolArray | None) -> _Statistics:
        """The statistics of all texts that are there, or of some of them; those that were asked for last are kept."""
        if among is None:
            if self._all is None:
                self._all = self._count(self._here)
            return self._all
        if self._some is None or not np.array_equal(self._some[0], among):
            self._some = (among.copy(), self._count(self._here & among))
        return self._some[1]

    def _forget_statistics(self) -> None:
        self._all = self._some = None

    def _count(self, here: BoolArray) -> _Statistics:
        texts = int(here.sum())
        mean = int(self._lengths[here].sum()) / max(1, texts)
        norms = self.k1 * (1 - self.b + self.b * self._lengths.astype(np.float64) / (mean or 1.0))
        return _Statistics(here, texts, norms)


def _rarity(holding: int, texts: int) -> float:
    return log(1 + (texts - holding + 0.5) / (holding + 0.5))


def _segment(terms: Int32Array, slots: Int32Array, counts: npt.NDArray[np.integer]) -> _Segment:
    """Of postings that are sorted by term."""
    starts = np.flatnonzero(np.diff(terms, prepend=-1))
    smallest = np.min_scalar_type(int(counts.max(initial=0)))
    return _Segment(terms[starts], np.append(starts, len(terms)), slots, counts.astype(smallest))
