"""Proposes relations that documents state of their subject: directed by Y, born in Y, a Y drama film."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.suites.corpus.corpus import DocumentNumbers, Numbering
from constraintsuite.suites.domain import Knowledge, Relation
from constraintsuite.suites.queries.evidence import Sides, YWords
from constraintsuite.suites.queries.named_topics import NamedTopics
from constraintsuite.suites.queries.records import ATTRIBUTE, Proposal, Topic, y_key
from constraintsuite.suites.queries.topics import TopicTable, plural, plural_of_value
from constraintsuite.suites.queries.wording import QueryWording, keep_sound, make_proposal, word_query
from constraintsuite.suites.reading.records import Fact
from constraintsuite.suites.recipe import QuerySettings, Recipe
from constraintsuite.suites.splits import AskedSplits
from constraintsuite.suites.word_lists import reading_words


@dataclass(frozen=True)
class RelationFacts:
    """One relation, and the documents that state each of its fillers."""

    relation: Relation
    documents: dict[str, DocumentNumbers]


class FactTable:
    """The facts of a corpus, in little memory.

    A first pass over the corpus keeps only hashes of the fillers (`add`). A second pass looks up the names of those that are
    frequent, in one document each (`name`).
    """

    def __init__(self, knowledge: Knowledge, allowed: Iterable[str]) -> None:
        self._relations = {key: knowledge.relations[key] for key in allowed if key in knowledge.relations}
        self._keys, self._documents = array("Q"), array("I")
        self._names: dict[int, tuple[str, str]] = {}
        self.by_relation: Counter[str] = Counter()
        """The number of facts of each relation, also of relations that are not asked for."""
        self.documents = 0
        """The number of documents that state a fact."""

    def add(self, document: int, facts: Sequence[Fact]) -> None:
        """Add the facts of a document."""
        self.documents += bool(facts)
        self.by_relation.update(fact.relation for fact in facts)
        for key, relation in self._relations.items():
            for y in dict.fromkeys([fact.y for fact in facts if fact.relation == key][: relation.leading]):
                self._keys.append(stable_hash(key, y))
                self._documents.append(document)

    def keep_frequent(self) -> frozenset[int]:
        """Remove fillers that too few documents state. Returns one document for each of the others; `name` needs their facts."""
        keys, documents = np.array(self._keys, dtype=np.uint64), np.array(self._documents, dtype=np.uint32)
        least = min((relation.min_documents for relation in self._relations.values()), default=1)
        found, counts = np.unique(keys, return_counts=True)
        kept = np.isin(keys, found[counts >= least])
        self._keys, self._documents = array("Q", keys[kept].tobytes()), array("I", documents[kept].tobytes())
        _, first = np.unique(keys[kept], return_index=True)
        return frozenset(documents[kept][first].tolist())

    def name(self, facts: Sequence[Fact]) -> None:
        """Keep the names of a document's fillers."""
        self._names |= {_key(fact): (fact.relation, fact.y) for fact in facts}

    def gather(self) -> dict[str, RelationFacts]:
        """The documents of the fillers that were kept, by relation."""
        keys, documents = np.array(self._keys, dtype=np.uint64), np.array(self._documents, dtype=np.uint32)
        order = np.lexsort((documents, keys))
        found, begins, counts = np.unique(keys[order], return_index=True, return_counts=True)
        by_relation: dict[str, dict[str, DocumentNumbers]] = defaultdict(dict)
        for key, begin, count in zip(found.tolist(), begins.tolist(), counts.tolist(), strict=True):
            relation, y = self._names[key]
            by_relation[relation][y] = documents[order[begin : begin + count]]
        return {
            key: RelationFacts(self._relations[key], dict(sorted(by_relation[key].items())))
            for key in sorted(by_relation)
        }


def _key(fact: Fact) -> int:
    return stable_hash(fact.relation, fact.y)


def y_words(relation: Relation, y: str) -> YWords:
    """The forms of a filler, such as a surname or a place without its region, and other words that give it away."""
    if relation.filler == "person":
        return YWords((y, _surname(y)), (), is_attribute=False)
    if relation.filler == "place":
        return YWords(tuple(dict.fromkeys((y, y.split(",", maxsplit=1)[0]))), (), is_attribute=False)
    if relation.filler == "value":
        forms = (y,) if y[:1].isupper() else tuple(dict.fromkeys((y, plural(y))))
        return YWords(forms, relation.same.get(y, ()), is_attribute=False)
    return YWords((y,), tuple(word for word in y.split()[:1] if len(word) > 4), is_attribute=False)


def _surname(name: str) -> str:
    words = [word for word in name.split() if word.rstrip(".").lower() not in reading_words()["name_ends"]]
    return words[-1] if words else name


@dataclass(frozen=True, slots=True)
class AskedFiller:
    """A filler that is a real part of a topic, so that somebody may want it left out."""

    relation: Relation
    y: str
    topic: Topic
    topic_size: int
    """How many documents the topic has."""
    documents: DocumentNumbers
    """Those of the topic that affirm the filler."""


def find_asked(
    gathered: Mapping[str, RelationFacts],
    evidence: Mapping[str, Sides],
    topics: TopicTable,
    named: NamedTopics,
    rejects: Counter[str],
) -> Iterator[AskedFiller]:
    """Each filler with each topic in which enough documents state it, over all splits together."""
    sizes = topics.sizes | {topic: len(members) for topic, members in named.members.items()}
    for key, facts in gathered.items():
        for y, stating in facts.documents.items():
            affirming = np.intersect1d(stating, evidence[y_key(key, y)].affirming, assume_unique=True)
            by_topic: dict[Topic, list[int]] = defaultdict(list)
            for document in affirming.tolist():
                for topic in (*topics.topics_of(document), *named.topics_of(document)):
                    if fits(topic, facts.relation):
                        by_topic[topic].append(document)
            for topic, documents in by_topic.items():
                if _counts_as_part(len(documents), topic, sizes[topic], facts.relation, rejects):
                    yield AskedFiller(facts.relation, y, topic, sizes[topic], np.array(documents, dtype=np.uint32))


def propose_relations(
    found: Iterable[AskedFiller],
    topics: TopicTable,
    numbering: Numbering,
    splits: AskedSplits,
    rejects: Counter[str],
) -> Iterator[Proposal]:
    """One proposal for each filler that is asked for, and each split that asks for it."""
    for asked in found:
        relation, topic, y = asked.relation, asked.topic, asked.y
        for split, (own,) in splits.deal(y_key(relation.key, y), asked.documents):
            wordings = keep_sound(_word_queries(relation, topic, y), rejects)
            if not wordings:
                continue
            yield make_proposal(
                (relation.key, topic.text, y, split),
                wordings,
                y_words(relation, y),
                relation=relation.key,
                domain=topics.domain(topic),
                split=split,
                status="build" if topic.kind else "doubtful",
                score=float(len(own)),
                affirming=numbering.names(own),
                topic_documents=asked.topic_size,
                partners=asked.topic_size - len(own),
                is_attribute=False,
                is_name=relation.has_names,
            )


def _word_queries(relation: Relation, topic: Topic, y: str) -> Iterator[QueryWording]:
    for family in relation.families:
        yield word_query(family, relation.key, topic.text, y, ys=plural_of_value(relation, y))


def fits(topic: Topic, relation: Relation) -> bool:
    """Whether a topic can be narrowed by this relation without saying the same thing twice."""
    if relation.beside and topic.relation not in relation.beside:
        return False
    if relation.needs and not any(getattr(topic, part) for part in relation.needs):
        return False
    return relation.repeats is None or not getattr(topic, relation.repeats)


def matters(documents: int, topic: Topic, size: int, relation: Relation) -> bool:
    """Whether a filler that so many documents of a topic state is worth leaving out, and leaves enough."""
    least = 1 if topic.name else relation.min_documents
    return documents >= least and relation.min_share <= documents / size <= relation.max_share


def _counts_as_part(documents: int, topic: Topic, size: int, relation: Relation, rejects: Counter[str]) -> bool:
    found = matters(documents, topic, size, relation)
    rejects["query:not_a_real_part_of_the_topic"] += not found
    return found


def check_relations(settings: QuerySettings, knowledge: Knowledge) -> None:
    """Refuse a recipe that names a relation that no domain file has."""
    known = {*knowledge.relations, ATTRIBUTE}
    for name in (*settings.relations, *settings.exclude_relations):
        if name not in known:
            raise UserError(f"No relation named {name!r}. There are: {', '.join(sorted(known))}.")


def allowed_relations(recipe: Recipe, knowledge: Knowledge) -> set[str]:
    """The relations that a recipe lets be asked for."""
    known = {*knowledge.relations, ATTRIBUTE}
    wanted = set(recipe.queries.relations) or known
    return (wanted & known) - set(recipe.queries.exclude_relations)
