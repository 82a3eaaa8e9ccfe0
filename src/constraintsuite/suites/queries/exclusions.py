"""What can be left out in a corpus: the relations and attributes that its texts state and deny, and the questions from them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, repeat
from pathlib import Path

import numpy as np

from constraintsuite.core.records.text import Document
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.suites.corpus.corpus import DocumentNumbers
from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.invented.passage import RealPassage, read_passage
from constraintsuite.suites.queries.attributes import AttributeMiner, attribute_key
from constraintsuite.suites.queries.considered import ConsideredAttribute
from constraintsuite.suites.queries.evidence import collect_sides
from constraintsuite.suites.queries.left_out import attribute_words
from constraintsuite.suites.queries.named_topics import NamedTopics
from constraintsuite.suites.queries.noun_counts import NounCount, count_topic_nouns
from constraintsuite.suites.queries.records import ATTRIBUTE, Proposal, Topic, y_key
from constraintsuite.suites.queries.relations import (
    AskedFiller,
    RelationFacts,
    allowed_relations,
    find_asked,
    propose_relations,
    y_words,
)
from constraintsuite.suites.queries.roles import RolePair, propose_roles
from constraintsuite.suites.queries.topics import TopicTable
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.suites.queries.wording import MOST_EXPECTED
from constraintsuite.suites.reading.records import ClassesRead, NamesRead
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.splits import AskedSplits

ROLES = "roles.jsonl"
WEIGHT = 3
"""How many times the kinds of exclusions count beside those of other types: a couple needs two documents of one split, and its
slices are smaller, so an uneven split costs more."""


class ExclusionSurvey:
    """The relations and attributes of a corpus that can be left out."""

    def __init__(self, view: CorpusView, knowledge: Knowledge, recipe: Recipe, rejects: Counter[str]) -> None:
        self._view, self._knowledge, self._recipe = view, knowledge, recipe
        self._allowed = allowed_relations(recipe, knowledge)
        self._gathered = view.facts.gather()
        self._miner = AttributeMiner(knowledge, recipe.queries)
        counted = count_topic_nouns(view, knowledge, recipe.queries) if ATTRIBUTE in self._allowed else {}
        self._attributes = self._miner.select(counted)
        entries = {
            y_key(key, y): y_words(found.relation, y) for key, found in self._gathered.items() for y in found.documents
        }
        entries |= {
            attribute_key(noun): attribute_words(noun, knowledge)
            for found in self._attributes.values()
            for noun in found
        }
        self._evidence = collect_sides(entries, view.corpus.read(view.topics.with_topic()))
        stated = [(found.relation, found.documents) for found in self._gathered.values()]
        named = NamedTopics(stated, view.topics, recipe.queries.min_named_documents)
        found = find_asked(self._gathered, self._evidence, view.topics, named, rejects)
        self._fillers = list(found) if recipe.queries.mine else []
        self._roles: list[RolePair] = []
        self.considered: list[ConsideredAttribute] = self._miner.considered
        self.names = _names(self._gathered)

    @property
    def ties(self) -> tuple[Sequence[DocumentNumbers], ...]:
        """Documents that state the same name, which would leak, and then those of narrow topics.

        A part of the few documents of a small topic gives far fewer couples than that part of a large topic.
        """
        topics = self._view.topics
        members = [topics.members(topic) for topic in self._attributes]
        return tuple(self.names.values()), members, _narrow(self._fillers, topics)

    @property
    def uses(self) -> Iterator[DocumentNumbers]:
        """The documents from which examples of each kind can be made, once for each example that may be expected."""
        return chain.from_iterable(
            repeat(kind, WEIGHT) for kind in _uses(self._gathered, self._fillers, self._attributes)
        )

    def propose(self, splits: AskedSplits, rejects: Counter[str]) -> Iterator[Proposal]:
        """Queries about people in other roles, about relations and about attributes, unless the recipe mines none."""
        if not self._recipe.queries.mine:
            return
        view = self._view
        numbering = view.corpus.numbering
        if self._recipe.pairs.entities == "invented":
            for pair, proposals in propose_roles(_passages(view), splits.documents, self._knowledge):
                if all(one.relation in self._allowed for one in proposals):
                    self._roles.append(pair)
                    yield from proposals
        yield from propose_relations(self._fillers, view.topics, numbering, splits, rejects)
        yield from self._miner.propose(self._attributes, self._evidence, view.topics, numbering, splits)

    def write(self, out: Path) -> None:
        """Write the pairs of passages with one name in two roles."""
        write_jsonl(out / ROLES, self._roles)


def _passages(view: CorpusView) -> Iterator[tuple[RealPassage, str]]:
    """The passages that can be rewritten with invented names, and the kind of thing that each is about."""
    for _, row, reading in view.corpus.passages():
        kind = next((found.kind for found in reading.parse(ClassesRead).classes if found.strength == 3), "")
        if not kind or kind == "person":
            continue
        passage = read_passage(row.parse(Document), reading.parse(NamesRead))
        if passage is not None:
            yield passage, kind


def _names(gathered: Mapping[str, RelationFacts]) -> dict[str, DocumentNumbers]:
    """The documents that state each name; the same person or place in two relations is two entries."""
    return {
        y_key(key, y): numbers
        for key, found in gathered.items()
        if found.relation.has_names
        for y, numbers in found.documents.items()
    }


def _narrow(fillers: Sequence[AskedFiller], topics: TopicTable) -> list[DocumentNumbers]:
    """The documents of each topic in which a closed value is asked for; a name narrows its topic to one split anyway."""
    asked = {filler.topic for filler in fillers if not filler.relation.has_names and not filler.topic.name}
    return [topics.members(topic) for topic in asked]


def _uses(
    gathered: Mapping[str, RelationFacts],
    fillers: Sequence[AskedFiller],
    attributes: Mapping[Topic, Mapping[str, NounCount]],
) -> Iterator[DocumentNumbers]:
    """The documents from which examples of each kind can be made, once for each example that may be expected.

    Kinds are the relations, twice: all that is stated, of which passages with exchanged roles are made, and what is asked for.
    Two more are, for the attributes of each topic, documents that affirm one and documents that deny one. The attributes of all
    topics together are two more kinds: a small topic is in one split, and another one makes up for it.
    """
    for found in gathered.values():
        most = MOST_EXPECTED if found.relation.has_names else None
        yield np.concatenate([numbers[:most] for numbers in found.documents.values()])
    by_relation: dict[str, list[DocumentNumbers]] = defaultdict(list)
    for filler in fillers:
        by_relation[filler.relation.key].append(filler.documents[:MOST_EXPECTED])
    for documents in by_relation.values():
        yield np.concatenate(documents)
    topics = [list(nouns.values()) for _, nouns in sorted(attributes.items(), key=lambda item: item[0].text)]
    for nouns in (*topics, [count for topic in topics for count in topic]):
        for side in ("affirmed", "denied") if nouns else ():
            yield np.concatenate([np.array(getattr(count, side), dtype=np.uint32) for count in nouns])


def read_roles(folder: Path) -> list[RolePair]:
    """The pairs of passages with one name in two roles."""
    return list(read_jsonl(folder / ROLES, RolePair))
