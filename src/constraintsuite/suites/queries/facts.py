"""Who states what: twelve bytes a fact, until it is known which fillers enough documents state."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.execution.shards import stable_hash
from constraintsuite.suites.corpus.numbering import DocumentNumbers
from constraintsuite.suites.domain import Knowledge, Relation
from constraintsuite.suites.reading.records import Fact


@dataclass(frozen=True)
class RelationFacts:
    """Who states which filler of one relation."""

    relation: Relation
    documents: dict[str, DocumentNumbers]
    """Documents by filler, in order."""


class FactTable:
    """The facts of a corpus. Fillers are hashes at first; their names are looked up in one document each, by a second pass."""

    def __init__(self, knowledge: Knowledge, allowed: Iterable[str]) -> None:
        self._relations = {key: knowledge.relations[key] for key in allowed if key in knowledge.relations}
        self._keys, self._documents = array("Q"), array("I")
        self._names: dict[int, tuple[str, str]] = {}
        self.by_relation: Counter[str] = Counter()
        """How many facts there are, also of relations that nobody asks for."""
        self.documents = 0
        """How many documents state something."""

    def add(self, document: int, facts: Sequence[Fact]) -> None:
        """Count the facts of a document."""
        self.documents += bool(facts)
        self.by_relation.update(fact.relation for fact in facts)
        for key in {_key(fact) for fact in facts if fact.relation in self._relations}:
            self._keys.append(key)
            self._documents.append(document)

    def keep_frequent(self) -> frozenset[int]:
        """Forget fillers that too few documents state; gives for each of the others a document that does, to `name` them by."""
        keys, documents = np.array(self._keys, dtype=np.uint64), np.array(self._documents, dtype=np.uint32)
        least = min((relation.min_documents for relation in self._relations.values()), default=1)
        found, counts = np.unique(keys, return_counts=True)
        kept = np.isin(keys, found[counts >= least])
        self._keys, self._documents = array("Q", keys[kept].tobytes()), array("I", documents[kept].tobytes())
        _, first = np.unique(keys[kept], return_index=True)
        return frozenset(documents[kept][first].tolist())

    def name(self, facts: Sequence[Fact]) -> None:
        """Note what the fillers of a document are called."""
        self._names |= {_key(fact): (fact.relation, fact.y) for fact in facts}

    def gather(self) -> dict[str, RelationFacts]:
        """The fillers of each relation that enough documents state."""
        keys, documents = np.array(self._keys, dtype=np.uint64), np.array(self._documents, dtype=np.uint32)
        order = np.lexsort((documents, keys))
        found, begins, counts = np.unique(keys[order], return_index=True, return_counts=True)
        by_relation: dict[str, dict[str, DocumentNumbers]] = defaultdict(dict)
        for key, begin, count in zip(found.tolist(), begins.tolist(), counts.tolist(), strict=True):
            stating = documents[order[begin : begin + count]]
            relation, y = self._names[key]
            if len(stating) >= self._relations[relation].min_documents:
                by_relation[relation][y] = stating
        return {
            key: RelationFacts(self._relations[key], dict(sorted(by_relation[key].items())))
            for key in sorted(by_relation)
            if len(by_relation[key]) >= 2
        }


def _key(fact: Fact) -> int:
    return stable_hash(fact.relation, fact.y)
