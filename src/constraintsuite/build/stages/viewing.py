"""Reads back what stages wrote: the corpus with all that is known of it, and the finished examples."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from constraintsuite.build.domain import Knowledge
from constraintsuite.build.queries.topics import TopicTable
from constraintsuite.build.queries.view import CorpusView
from constraintsuite.build.reading.records import ClassReading
from constraintsuite.build.stages.documents import read_documents
from constraintsuite.build.stages.mentions import read_readings
from constraintsuite.records.examples import Example
from constraintsuite.store.jsonl import read_jsonl


def view_corpus(documents: Path, mentions: Path, knowledge: Knowledge, min_topic_documents: int) -> CorpusView:
    """Read both stages into memory, without the nouns."""
    classes: dict[str, tuple[ClassReading, ...]] = {}
    scopes, facts, pronouns, sentences = {}, {}, {}, {}
    hints: Counter[str] = Counter()
    for reading in read_readings(mentions):
        classes[reading.id] = reading.classes
        scopes[reading.id] = reading.scopes
        sentences[reading.id] = reading.sentences
        pronouns[reading.id] = reading.pronoun
        hints.update(reading.hints)
        if reading.facts:
            facts[reading.id] = reading.facts
    topics = TopicTable(classes, knowledge, min_topic_documents)
    texts = {document.id: document for document in read_documents(documents)}
    return CorpusView(texts, scopes, facts, pronouns, sentences, hints, topics)


def read_examples(folder: Path) -> list[Example]:
    """The examples of a finished stage or suite."""
    return list(read_jsonl(folder / "examples.jsonl", Example))
