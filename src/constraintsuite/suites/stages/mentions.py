"""Stage 2: reads every document once: its class, the facts it states, its nouns, and how far each negation reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.execution.record_isolation import RecordIsolation
from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.suites.corpus.files import part_path
from constraintsuite.suites.domain import load_knowledge
from constraintsuite.suites.reading.document import read_document
from constraintsuite.suites.reading.records import DocumentReading
from constraintsuite.suites.recipe import Recipe
from constraintsuite.text.choice import get_analyser


@dataclass(frozen=True)
class ReadingTask:
    """The documents of one shard to read, and where the readings go."""

    source: Path
    target: Path
    analyser: str
    domains: tuple[Path, ...]


def work(job: Job[Recipe]) -> WorkCounts:
    """Write the readings of every shard of documents; workers share only the folders."""
    targets = [part_path(job.out, shard) for shard in range(job.recipe.documents.shards)]
    settings = job.recipe.analysis
    tasks = {
        target.stem: ReadingTask(job.inputs["documents"] / target.name, target, settings.analyser, settings.domains)
        for target in targets
    }
    return job.map_shards("mentions", read_shard, tasks)


def read_shard(task: ReadingTask, isolation: RecordIsolation) -> WorkCounts:
    """Read the documents of one shard; few of them are in memory at a time."""
    counts = Counter({"documents": 0, "with a known class": 0, "facts": 0})

    def readings() -> Iterator[DocumentReading]:
        documents = read_jsonl(task.source, Document)
        for _, reading in isolation.map_blocks(
            documents, _name, lambda some: read_all(some, task.analyser, task.domains)
        ):
            counts["documents"] += 1
            counts["with a known class"] += has_known_class(reading)
            counts["facts"] += len(reading.facts)
            yield reading

    write_jsonl(task.target, readings())
    return WorkCounts(dict(counts))


def _name(document: Document) -> str:
    return document.id


def has_known_class(reading: DocumentReading) -> bool:
    """Whether a document says what it is in words that a domain file knows."""
    return any(found.strength >= 2 and found.kind for found in reading.classes)


def read_all(documents: Sequence[Document], analyser: str, domains: tuple[Path, ...] = ()) -> Iterator[DocumentReading]:
    """The reading of each document, in order."""
    knowledge = load_knowledge(domains)
    for document, analysis in zip(documents, get_analyser(analyser).analyse(d.text for d in documents), strict=True):
        yield read_document(document, analysis, knowledge)
