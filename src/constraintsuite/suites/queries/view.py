"""The topics and facts of a corpus, as far as mining needs them in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.suites.corpus.corpus import Corpus
from constraintsuite.suites.corpus.files import walk
from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.queries.relations import FactTable
from constraintsuite.suites.queries.topics import TopicTable, defining_heads, established
from constraintsuite.suites.reading.records import ClassesRead, ClassReading, StatementsRead


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


def view_corpus(corpus: Corpus, knowledge: Knowledge, facts: FactTable, min_topic_documents: int) -> CorpusView:
    """Read the classes and facts of all documents twice: the first pass finds out which class nouns and fillers count."""
    heads: Counter[str] = Counter()
    hints: Counter[str] = Counter()
    read = np.zeros(len(corpus.numbering), dtype=np.bool_)
    for number, _, reading in corpus.passages():
        found = reading.parse(StatementsRead)
        read[number] = True
        heads.update(defining_heads(found.classes))
        hints.update(found.hints)
        facts.add(number, found.facts)
    naming = facts.keep_frequent()

    def classes() -> Iterator[tuple[int, tuple[ClassReading, ...]]]:
        for number, _, reading in corpus.passages():
            if number in naming:
                facts.name(reading.parse(StatementsRead).facts)
            yield number, reading.parse(ClassesRead).classes

    topics = TopicTable(classes(), established(heads, knowledge), len(corpus.numbering), knowledge, min_topic_documents)
    return CorpusView(corpus, read, facts, hints, topics)


def read_heads(mentions: Path, knowledge: Knowledge) -> frozenset[str]:
    """The class nouns that count in a corpus."""
    heads: Counter[str] = Counter()
    for row in walk(mentions):
        heads.update(defining_heads(row.parse(ClassesRead).classes))
    return established(heads, knowledge)
