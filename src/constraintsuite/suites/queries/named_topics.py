"""Topics that a name narrows: the films of an actor, the people born in a place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from constraintsuite.suites.corpus.corpus import DocumentNumbers
from constraintsuite.suites.domain import Relation
from constraintsuite.suites.queries.records import Topic
from constraintsuite.suites.queries.topics import TopicTable
from constraintsuite.suites.queries.wording import with_definite_article


class NamedTopics:
    """The topics whose documents state the same name, for documents that state one that is frequent."""

    def __init__(
        self, stating: Iterable[tuple[Relation, Mapping[str, DocumentNumbers]]], topics: TopicTable, min_documents: int
    ) -> None:
        """`stating` has the documents of each filler of a relation, and `min_documents` is what a topic needs."""
        self.members: dict[Topic, DocumentNumbers] = {}
        """The documents of each topic, in order."""
        largest: dict[str, Topic] = {}
        for topic, documents in _group(stating, topics, min_documents):
            rival = largest.setdefault(topic.text, topic)  # "Clint Eastwood films": he stars in them, or directs them
            if rival == topic or len(documents) > len(self.members[rival]):
                self.members.pop(rival, None)
                largest[topic.text] = topic
                self.members[topic] = documents
        self._topics: dict[int, list[Topic]] = defaultdict(list)
        for topic, numbers in self.members.items():
            for document in numbers.tolist():
                self._topics[document].append(topic)

    def topics_of(self, document: int) -> list[Topic]:
        """The topics of a document."""
        return self._topics.get(document, [])


def _group(
    stating: Iterable[tuple[Relation, Mapping[str, DocumentNumbers]]], topics: TopicTable, min_documents: int
) -> Iterator[tuple[Topic, DocumentNumbers]]:
    for relation, by_filler in stating:
        for y, documents in by_filler.items():
            if relation.as_topic and len(documents) >= min_documents:
                for bare, members in _by_class(documents, topics).items():
                    if bare.kind in relation.as_topic and len(members) >= min_documents:
                        slots = {"y": y, "the_y": with_definite_article(y), "noun": bare.text}
                        text = relation.as_topic[bare.kind].format(**slots)
                        yield Topic(text, bare.head, bare.kind, name=y, relation=relation.key), members


def _by_class(documents: DocumentNumbers, topics: TopicTable) -> dict[Topic, DocumentNumbers]:
    """The documents by the class noun that they share."""
    found: dict[Topic, list[int]] = defaultdict(list)
    for document in documents.tolist():
        for topic in topics.topics_of(document):
            if topic.bare:
                found[topic].append(document)
    return {topic: np.array(numbers, dtype=np.uint32) for topic, numbers in found.items()}
