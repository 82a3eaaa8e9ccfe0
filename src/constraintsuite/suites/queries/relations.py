"""Proposals from relations that documents state of their subject: directed by Y, born in Y, a Y drama film."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Split
from constraintsuite.suites.corpus.corpus import DocumentNumbers, Numbering
from constraintsuite.suites.domain import Knowledge, Relation
from constraintsuite.suites.queries.evidence import Sides, YWords
from constraintsuite.suites.queries.records import Proposal, Status, Topic
from constraintsuite.suites.queries.topics import TopicTable, plural
from constraintsuite.suites.queries.wording import MinedValue, family_for, make_proposal, refuse, word_question
from constraintsuite.suites.reading.records import Fact
from constraintsuite.suites.reading.words import reading_words


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


def y_words(relation: Relation, y: str) -> YWords:
    """The forms of a filler, and the words that give it away: a surname, a place without its region, a synonym."""
    if relation.filler == "person":
        surname = _surname(y)
        return YWords((y, surname), ())
    if relation.filler == "place":
        return YWords(tuple(dict.fromkeys((y, y.split(",", maxsplit=1)[0]))), ())
    if relation.filler == "value":
        forms = (y,) if y[:1].isupper() else tuple(dict.fromkeys((y, plural(y))))
        return YWords(forms, relation.same.get(y, ()))
    return YWords((y,), tuple(word for word in y.split()[:1] if len(word) > 4))


def _surname(name: str) -> str:
    words = [word for word in name.split() if word.rstrip(".").lower() not in reading_words().name_ends]
    return words[-1] if words else name


def propose_relations(
    gathered: Mapping[str, RelationFacts],
    evidence: Mapping[str, Sides],
    topics: TopicTable,
    numbering: Numbering,
    splits: Mapping[str, Split],
    rejects: Counter[str],
) -> Iterator[Proposal]:
    """One proposal for each relation, filler and topic that its documents belong to."""
    for key, facts in gathered.items():
        for y, stating in facts.documents.items():
            split = splits[y_key(key, y)]
            affirming = np.intersect1d(stating, evidence[y_key(key, y)].affirming, assume_unique=True)
            by_topic: dict[Topic, list[int]] = defaultdict(list)
            for document in affirming.tolist():
                for topic in topics.topics_of(document):
                    if fits(topic, facts.relation):
                        by_topic[topic].append(document)
            for topic, documents in by_topic.items():
                proposal = _propose(facts.relation, y, topic, numbering.names(documents), split, topics, rejects)
                if proposal is not None:
                    yield proposal


def _propose(
    relation: Relation,
    y: str,
    topic: Topic,
    documents: Sequence[str],
    split: Split,
    topics: TopicTable,
    rejects: Counter[str],
) -> Proposal | None:
    family = family_for(relation.families, relation.key, split, f"{topic.text}|{y}")
    question = word_question(family, relation.key, topic.text, y)
    reason = refuse(question)
    if reason is not None:
        rejects[f"query:{reason}"] += 1
        return None
    finding = MinedValue(
        relation=relation.key,
        domain=topics.domain(topic),
        words=y_words(relation, y),
        split=split,
        topic_documents=topics.sizes[topic],
        affirming=documents,
        denying=(),
        partners=len(documents),
        is_attribute=False,
    )
    status: Status = "build" if topic.kind else "doubtful"
    return make_proposal((relation.key, topic.text, y), question, finding, status=status, score=float(len(documents)))


def fits(topic: Topic, relation: Relation) -> bool:
    """Whether a topic can be narrowed by this relation without saying the same thing twice."""
    if relation.key.endswith("nationality"):
        return not topic.nationality and (bool(topic.modifier) or topic.kind == "person")
    if relation.topics == "bare":
        return not topic.modifier
    if relation.topics == "modified":
        return not topic.bare
    return True


def y_key(relation: str, y: str) -> str:
    """The name of a filler in tables."""
    return f"{relation}\x1f{y}"


def relation_of(key: str) -> str:
    """The relation in a filler's name."""
    return key.partition("\x1f")[0]
