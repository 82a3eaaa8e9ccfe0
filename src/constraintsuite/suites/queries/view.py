"""The topics and facts of a corpus, as far as mining needs them in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.suites.corpus.corpus import Corpus
from constraintsuite.suites.corpus.files import walk
from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.queries.class_counts import ClassCounts
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.relations import FactTable
from constraintsuite.suites.queries.topics import TopicTable
from constraintsuite.suites.reading.records import ClassesRead, ClassReading, StatementsRead
from constraintsuite.suites.recipe import QuerySettings


@dataclass(frozen=True)
class CorpusView:
    """A corpus with its facts and topics; texts, scopes and nouns stay on disk."""

    corpus: Corpus
    read: npt.NDArray[np.bool_]
    """By number, whether a document could be read."""
    facts: FactTable
    hints: Counter[str]
    """Relation phrases of defining sentences, with the number of documents that have them."""
    topics: TopicTable
    proposed: dict[str, list[Proposal]] = field(default_factory=dict)
    """What each constraint type proposed so far: a type that combines others comes after them."""


def view_corpus(corpus: Corpus, knowledge: Knowledge, facts: FactTable, settings: QuerySettings) -> CorpusView:
    """Read the classes and facts of all documents twice: the first pass finds out which class nouns and fillers count."""
    counts = ClassCounts()
    hints: Counter[str] = Counter()
    read = np.zeros(len(corpus.numbering), dtype=np.bool_)
    for number, _, reading in corpus.passages():
        found = reading.parse(StatementsRead)
        read[number] = True
        counts.add(found.classes)
        hints.update(found.hints)
        facts.add(number, found.facts)
    naming = facts.keep_frequent()

    def classes() -> Iterator[tuple[int, tuple[ClassReading, ...]]]:
        for number, _, reading in corpus.passages():
            if number in naming:
                facts.name(reading.parse(StatementsRead).facts)
            yield number, reading.parse(ClassesRead).classes

    heads = counts.established(knowledge)
    topics = TopicTable(classes(), heads, len(corpus.numbering), knowledge, settings.min_topic_documents)
    return CorpusView(corpus, read, facts, hints, topics)


def read_heads(mentions: Path, knowledge: Knowledge) -> frozenset[str]:
    """The class nouns that count in a corpus."""
    counts = ClassCounts()
    for row in walk(mentions):
        counts.add(row.parse(ClassesRead).classes)
    return counts.established(knowledge)
