"""A graph with what is needed to search it: BM25, vectors where there is an encoder, and the names of its entities."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from copy import copy
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.memory.dense import DenseIndex, Matrix
from constraintsuite.memory.entities import EntityFinder, EntitySynonyms, NameVectors
from constraintsuite.memory.graph import BoolArray, FloatArray, Int32Array, MemoryGraph
from constraintsuite.memory.graph_update import update_graph
from constraintsuite.memory.records import MemoryDocument, Unit
from constraintsuite.models.bm25.formula import Bm25Formula
from constraintsuite.models.bm25.index import Bm25Index
from constraintsuite.models.bm25.postings import Postings
from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.retrieval.bm25 import Bm25Settings
from constraintsuite.text.terms import TermAnalyser


class Indexing(Bm25Settings):
    """How the units of a memory are made searchable."""

    headings: bool = Field(True, description="yes or no: whether the headings above a unit are searched with it")


class Memory:
    """Documents can be added and removed; every answer is then as if the memory had been made of those that are left."""

    def __init__(
        self, encoder: DenseScorer | None = None, indexing: Indexing | None = None, cache: Path | None = None
    ) -> None:
        self.graph = MemoryGraph()
        self.indexing = indexing or Indexing()
        self._analyser = TermAnalyser(self.indexing.stop_list, self.indexing.stem)
        self._lexical = Bm25Index(np.float64, Bm25Formula(self.indexing.k1, self.indexing.b))
        self._slots = np.empty(0, dtype=np.int32)  # (units,) where each is in the indices
        self._in_order = True  # whether the n-th unit is in the n-th slot, and no other slot is there
        self._dense = DenseIndex(encoder, cache) if encoder is not None else None
        self._names = NameVectors(self._dense) if self._dense is not None else None
        self._finder: tuple[MemoryGraph, EntityFinder] | None = None

    @classmethod
    def of(
        cls,
        parts: Iterable[MemoryDocument],
        encoder: DenseScorer | None = None,
        indexing: Indexing | None = None,
        cache: Path | None = None,
        terms: Postings | None = None,
    ) -> Memory:
        """The memory of some documents; `cache` is a folder of vectors of texts that were embedded before.

        `terms` are those of all units, in the order of the graph, where they have been counted.
        """
        memory = cls(encoder, indexing, cache)
        memory.update(parts, (), terms)
        return memory

    @property
    def encoder(self) -> DenseScorer | None:
        """What its vectors are made with."""
        return self._dense.encoder if self._dense is not None else None

    def add(self, parts: Iterable[MemoryDocument]) -> None:
        """Take documents in; one whose id is here already takes the place of the old one."""
        self.update(parts, ())

    def remove(self, documents: Collection[str]) -> None:
        """Forget documents; edges of others to them wait until they come back."""
        self.update((), documents)

    def update(self, add: Iterable[MemoryDocument], remove: Collection[str], terms: Postings | None = None) -> None:
        """Remove, then add; on an error nothing has changed. `terms` are those of the units that come, if they are known."""
        graph, origin = update_graph(self.graph, add, remove)
        new = [graph.units[i] for i in np.flatnonzero(origin < 0).tolist()]
        if self._dense is not None:
            self._dense.prepare([self.searched(unit) for unit in new])
        self._index(origin, new, terms)
        self.graph = graph

    def _index(self, origin: Int32Array, new: list[Unit], terms: Postings | None) -> None:
        stays = np.zeros(len(self._slots), dtype=np.bool_)
        stays[origin[origin >= 0]] = True
        self._lexical.remove(self._slots[~stays])
        slots = np.empty(len(origin), dtype=np.int32)
        slots[origin >= 0] = self._slots[origin[origin >= 0]]
        if terms is not None and len(terms.lengths) == len(new):
            slots[origin < 0] = self._lexical.take(terms)
        else:
            slots[origin < 0] = self._lexical.add(self.terms(new))
        if self._dense is not None:
            self._dense.take()
        if self._lexical.gone > len(slots):
            renumber = self._lexical.compacted()
            slots = renumber[slots]
            if self._dense is not None:
                self._dense.compact(renumber)
        self._slots = slots
        self._in_order = not self._lexical.gone and np.array_equal(slots, np.arange(len(slots)))

    def searched(self, unit: Unit) -> str:
        """The text under which a unit is found."""
        return "\n".join((*unit.headings, unit.text)) if self.indexing.headings else unit.text

    def terms(self, units: Iterable[Unit]) -> Iterator[list[str]]:
        """The terms by which each of some units is found."""
        return self._analyser.analyse(map(self.searched, units))

    def lexical(self, query: str, visible: BoolArray | None = None) -> FloatArray:
        """Of each unit its BM25, 0 where it shares nothing with the query; with `visible`, as if no others were there."""
        scores = self._lexical.scores(self._analyser.terms(query), self._among(visible))
        return scores if self._in_order else scores[self._slots]

    def coverage(self, query: str, visible: BoolArray | None = None) -> FloatArray:
        """Of each unit how much of the query it holds, from 0 to 1, by BM25: one accidental word is little of a question."""
        whole = self._lexical.full_score(self._analyser.terms(query), self._among(visible))
        held = self.lexical(query, visible)
        covered: FloatArray = np.minimum(held / whole, 1.0) if whole else np.zeros(len(held))
        return covered

    def _among(self, visible: BoolArray | None) -> BoolArray | None:
        """A mask over units as one over slots; None where no unit is left out."""
        if visible is None or visible.all():
            return None
        among = np.zeros(len(self._slots) + self._lexical.gone, dtype=np.bool_)
        among[self._slots] = visible
        return among

    def dense(self, query: str) -> FloatArray:
        """Of each unit how near it is to the query."""
        return self._require_vectors().scores(query)[self._slots]

    def vectors(self) -> Matrix:
        """One row a unit, as the encoder gave it; do not write to it. After a change of the memory it is a copy."""
        rows = self._require_vectors().vectors
        return rows if self._in_order else rows[self._slots]

    def _require_vectors(self) -> DenseIndex:
        if self._dense is None:
            raise UserError("This memory has no vectors. Open it with an encoder, such as dense:all-MiniLM-L6-v2.")
        return self._dense

    def entity_numbers(self, text: str, among: BoolArray | None = None) -> Int32Array:
        """Numbers of the nodes of the entities (of `among`, a mask over all) that a text names, in the order in which it
        does; where one name is part of another, the longer counts."""
        if self._finder is None or self._finder[0] is not self.graph:
            self._finder = (self.graph, EntityFinder(self.graph.entities))
        return np.array(self._finder[1].find(text, among), dtype=np.int32) + np.int32(len(self.graph.units))

    def synonyms(self, least: float, among: BoolArray | None = None) -> EntitySynonyms:
        """Entities (of `among`, a mask over all) whose names the encoder finds alike, from a cosine on. Names are compared
        each with each, and embedded when this is first asked for."""
        if self._names is None:
            raise UserError(
                "Synonyms need vectors of names. Open the memory with an encoder, such as dense:all-MiniLM-L6-v2."
            )
        names = self.graph.entities
        return self._names.synonyms(names, least, np.ones(len(names), dtype=np.bool_) if among is None else among)

    def without(self, edges: npt.NDArray[np.bool_] | npt.NDArray[np.integer] | Collection[int]) -> Memory:
        """The memory less some edges of its graph; it shares all else, so use it before this one changes."""
        other = copy(self)
        other.graph = self.graph.without(edges)
        return other
