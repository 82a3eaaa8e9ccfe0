"""FollowIR (Weller et al. 2024): TREC queries with an instruction, the same with a changed one, and documents to rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.text import Candidates, Document, InstructionChange, Qrel, Query
from constraintsuite.corpora.fields import FileRecord
from constraintsuite.corpora.jsonl import read_objects
from constraintsuite.suites.importers.base import (
    MOST_PAIRS,
    WHOLE,
    ImportedSuite,
    hash_files,
    id_of,
    judged_pairs,
    name_source,
    require_files,
    text_of,
)

_FILES = ("corpus.jsonl", "queries.jsonl", "qrels_og/test.jsonl", "qrels_changed/test.jsonl", "top_ranked.jsonl")
_ABOUT = (
    "FollowIR: each query is asked with its original instruction (ID-og) and with a changed one (ID-changed), and comes with the "
    "documents to rank. `csuite retrieve-eval` ranks them and prints p-MRR, the paper's measure. A violating document is one that the "
    "original instruction wants and the changed one does not. Pairs prefer a document that the changed query wants to a violating one, "
    f"at most {MOST_PAIRS} per query, chosen by hash; each has one query, so its accuracy has a chance level of 50 %."
)
_Grades = Mapping[str, Mapping[str, int]]
"""Grade by query and document."""


@dataclass(frozen=True)
class _Topic:
    """A query under both instructions."""

    original: Query
    changed: Query
    before: Mapping[str, int]
    """Grades under the original instruction, by document."""
    after: Mapping[str, int]
    candidates: tuple[str, ...]

    @property
    def regraded(self) -> tuple[str, ...]:
        """The documents whose grade the changed instruction changes: those that p-MRR looks at."""
        return tuple(name for name, grade in self.before.items() if self.after[name] != grade)

    @property
    def violating(self) -> tuple[str, ...]:
        """The documents that only the original instruction wants."""
        return tuple(name for name in self.regraded if self.after[name] <= 0 < self.before[name])


def read(source: str, split: str | None) -> ImportedSuite:
    """A folder with the files of core17-instructions, robust04-instructions or news21-instructions of the hub."""
    if split not in (None, "test"):
        raise UserError(f"--split {split}: FollowIR's files hold the test set only.")
    advice = "Download all files of a dataset such as jhu-clsp/core17-instructions."
    corpus, queries, original, changed, ranked = files = require_files(source, _FILES, advice)
    documents = {document.id: document for document in map(_document, read_objects(corpus, WHOLE))}
    before, after, candidates = _grades(original), _grades(changed), _candidates(ranked)
    topics = [_topic(row, before, after, candidates, documents) for row in read_objects(queries, WHOLE)]
    if not topics:
        raise UserError(f"{queries}: holds no query.")
    return ImportedSuite(
        name_source(source),
        _ABOUT,
        hash_files(*files),
        "test",
        tuple(example for topic in topics for example in _pairs(topic, documents)),
        documents=tuple(documents.values()),
        queries=tuple(query for topic in topics for query in (topic.original, topic.changed)),
        qrels=tuple(qrel for topic in topics for qrel in _qrels(topic)),
        violations=tuple(Qrel(topic.changed.id, name, 0) for topic in topics for name in topic.violating),
        candidates=tuple(
            Candidates(query.id, topic.candidates) for topic in topics for query in (topic.original, topic.changed)
        ),
        changes=tuple(InstructionChange(topic.original.id, topic.changed.id, topic.regraded) for topic in topics),
    )


def _topic(
    row: FileRecord,
    before: _Grades,
    after: _Grades,
    candidates: Mapping[str, tuple[str, ...]],
    documents: Mapping[str, Document],
) -> _Topic:
    name = id_of(row, "_id")
    topic = _Topic(
        _query(row, f"{name}-og", "instruction_og", "original"),
        _query(row, f"{name}-changed", "instruction_changed", "changed"),
        before.get(name, {}),
        after.get(name, {}),
        candidates.get(name, ()),
    )
    if not topic.candidates:
        raise UserError(f"{row.where}: the query {name!r} has no documents in top_ranked.jsonl.")
    one_sided = sorted(topic.before.keys() ^ topic.after.keys())
    if one_sided:
        raise UserError(
            f"{row.where}: the document {one_sided[0]!r} is judged for the query {name!r} under one of its two "
            "instructions only. Judge it in both files of qrels."
        )
    stray = next((one for one in (*topic.before, *topic.candidates) if one not in documents), None)
    if stray is not None:
        raise UserError(f"{row.where}: the document {stray!r} of the query {name!r} is not in corpus.jsonl.")
    return topic


def _query(row: FileRecord, name: str, field: str, group: str) -> Query:
    """The query and an instruction with a space between them, which is how a model that takes one text is given both."""
    return Query(name, f"{text_of(row, 'text').strip()} {text_of(row, field).strip()}", {"instruction": group})


def _pairs(topic: _Topic, documents: Mapping[str, Document]) -> Iterator[Example]:
    better = [documents[name] for name, grade in topic.after.items() if grade > 0]
    worse = [documents[name] for name in topic.violating]
    return judged_pairs("followir", "followir", topic.changed, better, worse, "test")


def _qrels(topic: _Topic) -> Iterator[Qrel]:
    for query, grades in ((topic.original, topic.before), (topic.changed, topic.after)):
        for document, grade in grades.items():
            yield Qrel(query.id, document, grade)


def _document(row: FileRecord) -> Document:
    title, text = (row.values.get(key) or "" for key in ("title", "text"))
    if not isinstance(title, str) or not isinstance(text, str) or not f"{title}{text}".strip():
        raise UserError(f"{row.where}: expected a text in the field 'text' or 'title'.")
    return Document(id_of(row, "_id"), text, title)


def _grades(file: Path) -> _Grades:
    found: dict[str, dict[str, int]] = {}
    for row in read_objects(file, WHOLE):
        query, document, score = id_of(row, "query-id"), id_of(row, "corpus-id"), row.values.get("score")
        if isinstance(score, bool) or not isinstance(score, (int, float)) or score != int(score):
            raise UserError(f"{row.where}: the field 'score' must be an integer, found {score!r}.")
        if found.setdefault(query, {}).setdefault(document, int(score)) != int(score):
            raise UserError(f"{row.where}: the document {document!r} has two different grades for the query {query!r}.")
    return found


def _candidates(file: Path) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for row in read_objects(file, WHOLE):
        found.setdefault(id_of(row, "qid"), {})[id_of(row, "pid")] = None
    return {query: tuple(documents) for query, documents in found.items()}
