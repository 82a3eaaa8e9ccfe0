"""A memory: a graph of units with its indices, which are BM25, vectors if there is an encoder, and names of entities."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from copy import copy
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.memory.dense import DenseIndex, Matrix
from constraintsuite.memory.entities import EntityFinder, EntitySynonyms, NameVectors
from constraintsuite.memory.graph import BoolArray, FloatArray, Int32Array
from constraintsuite.memory.graph_builder import build_graph
from constraintsuite.memory.records import MemoryDocument, Unit
from constraintsuite.models.bm25.formula import Bm25Formula
from constraintsuite.models.bm25.index import Bm25Index
from constraintsuite.models.bm25.postings import Postings
from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.retrieval.bm25 import Bm25Settings
from constraintsuite.text.terms import TermAnalyser


class Memory:
    """Documents as a graph with its indices; it does not change once it is made."""

    def __init__(
        self,
        encoder: DenseScorer | None = None,
        bm25: Bm25Settings | None = None,
        cache: Path | None = None,
        parts: Iterable[MemoryDocument] = (),
        terms: Postings | None = None,
    ) -> None:
        self.graph = build_graph(parts)
        settings = bm25 or Bm25Settings()
        self._analyser = TermAnalyser(settings.stop_list, settings.stem)
        self._lexical = Bm25Index(np.float64, Bm25Formula(settings.k1, settings.b))
        if terms is not None and len(terms.lengths) == len(self.graph.units):
            self._lexical.add_postings(terms)
        else:
            self._lexical.add(self.terms(self.graph.units))
        texts = [self.searched(unit) for unit in self.graph.units] if encoder is not None else []
        self._dense = DenseIndex(encoder, texts, cache) if encoder is not None else None
        self._names = NameVectors(self._dense) if self._dense is not None else None

    @classmethod
    def of(
        cls,
        parts: Iterable[MemoryDocument],
        encoder: DenseScorer | None = None,
        bm25: Bm25Settings | None = None,
        cache: Path | None = None,
        terms: Postings | None = None,
    ) -> Memory:
        """Make the memory of some documents; `cache` is a folder of vectors of texts that were embedded before.

        `terms` are the terms of all units, in the order of the graph, if they were counted before.
        """
        return cls(encoder, bm25, cache, parts, terms)

    @property
    def encoder(self) -> DenseScorer | None:
        """The encoder that its vectors are made with."""
        return self._dense.encoder if self._dense is not None else None

    @staticmethod
    def searched(unit: Unit) -> str:
        """Return the text under which a unit is found: the headings above it, and its own."""
        return "\n".join((*unit.headings, unit.text))

    def terms(self, units: Iterable[Unit]) -> Iterator[list[str]]:
        """Yield the terms by which each of some units is found."""
        return self._analyser.analyse(map(self.searched, units))

    def lexical(self, query: str, visible: BoolArray | None = None) -> FloatArray:
        """Return the BM25 of each unit, 0 where it shares nothing with the query; units outside of `visible` do not count."""
        return self._lexical.scores(self._analyser.terms(query), _partial(visible))

    def coverage(self, query: str, visible: BoolArray | None = None) -> FloatArray:
        """Return how much of the query each unit holds, from 0 to 1, by BM25: one accidental word is a small part of it."""
        whole = self._lexical.full_score(self._analyser.terms(query), _partial(visible))
        scores = self.lexical(query, visible)
        covered: FloatArray = np.minimum(scores / whole, 1.0) if whole else np.zeros(len(scores))
        return covered

    def dense(self, query: str) -> FloatArray:
        """Return the similarity of each unit to the query."""
        return self._require_vectors().scores(query)

    def vectors(self) -> Matrix:
        """Return one row per unit, as the encoder gave it; do not write to it."""
        return self._require_vectors().vectors

    def _require_vectors(self) -> DenseIndex:
        if self._dense is None:
            raise UserError("This memory has no vectors. Open it with an encoder, such as dense:all-MiniLM-L6-v2.")
        return self._dense

    @cached_property
    def _finder(self) -> EntityFinder:
        return EntityFinder(self.graph.entities)

    def entity_numbers(self, text: str, among: BoolArray | None = None) -> Int32Array:
        """Return the nodes of the entities that a text names, in the order of the text; of nested names the longest counts.

        `among` is a mask over all entities.
        """
        return np.array(self._finder.find(text, among), dtype=np.int32) + np.int32(len(self.graph.units))

    def synonyms(self, least: float, among: BoolArray | None = None) -> EntitySynonyms:
        """Return the pairs of entities (of `among`, a mask over all) whose names have at least a cosine of `least`.

        All pairs of names are compared. The first call embeds the names.
        """
        if self._names is None:
            raise UserError(
                "Synonyms need vectors of names. Open the memory with an encoder, such as dense:all-MiniLM-L6-v2."
            )
        names = self.graph.entities
        return self._names.synonyms(names, least, np.ones(len(names), dtype=np.bool_) if among is None else among)

    def without(self, edges: npt.NDArray[np.bool_] | npt.NDArray[np.integer] | Collection[int]) -> Memory:
        """Return the memory without some edges of its graph; it shares everything else."""
        other = copy(self)
        other.graph = self.graph.without(edges)
        return other


def _partial(visible: BoolArray | None) -> BoolArray | None:
    """Return None for a mask that leaves nothing out."""
    return None if visible is None or visible.all() else visible
