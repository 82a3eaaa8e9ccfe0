"""What a suite lets one search: its own collection, or the documents of its pairs; and which documents answer or violate each query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Example, ExampleDocument
from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.corpora.base import REASONS, BadRows, Reason, SourceSettings
from constraintsuite.corpora.judgments import read_qrels
from constraintsuite.corpora.registry import open_source
from constraintsuite.experiments.load import load_suite
from constraintsuite.models.retrieval.base import Passages
from constraintsuite.text.normalization import clean

T = TypeVar("T")
DOCUMENTS, QUERIES, QRELS, VIOLATIONS = "documents.jsonl", "queries.jsonl", "qrels.jsonl", "violations.jsonl"


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query and its judgments."""

    id: str
    text: str
    grades: Mapping[str, int]
    """Of documents; from 1 on a document is relevant."""
    violating: frozenset[str] = frozenset()
    """Documents that break what the query asks."""
    links: frozenset[str] = frozenset()
    """Queries that share one of these names are not independent."""

    @property
    def relevant(self) -> frozenset[str]:
        """Documents that answer the query."""
        return frozenset(document for document, grade in self.grades.items() if grade > 0)


class Judgments(NamedTuple):
    """Judged queries, and what a reader of figures should know of them."""

    queries: list[JudgedQuery]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class RankingCollection:
    """Passages to search, and queries to search for."""

    name: str
    inputs: dict[str, str]
    """Hashes of what it was read from."""
    passages: Passages
    queries: tuple[JudgedQuery, ...]
    titled: bool
    """Whether passages are title and text, as in most collections, or text alone, as in pairs."""
    notes: tuple[str, ...] = ()
    """What a reader of the figures should know."""


def read_collection(suite: Path, split: str | None = None, corpus: str | None = None) -> RankingCollection:
    """What can be searched in a suite, with the passages of a corpus between the judged documents."""
    artifact = Artifact.open(suite, "suite")
    own = {DOCUMENTS, QUERIES} <= artifact.manifest.files.keys()
    collection = _read_own(artifact, split) if own else _read_pairs(suite, split)
    if not collection.queries:
        raise UserError(f"{suite}: no query{f' of the split {split}' if split else ''} has a judged document.")
    return _with_corpus(collection, corpus) if corpus else collection


def _read_own(artifact: Artifact, split: str | None) -> RankingCollection:
    present = artifact.manifest.settings.get("source_split")
    if split is not None and split != present:
        raise UserError(f"--split {split}: {artifact.path} holds the queries of the split {present!r} only.")
    files = artifact.manifest.files
    documents = list(read_jsonl(artifact.path / DOCUMENTS, Document))
    texts = {query.id: query.text for query in read_jsonl(artifact.path / QUERIES, Query)}
    violations = list(read_jsonl(artifact.path / VIOLATIONS, Qrel)) if VIOLATIONS in files else []
    qrels = list(read_jsonl(artifact.path / QRELS, Qrel)) if QRELS in files else []
    judged = judge_queries(texts, qrels, violations)
    ids = [document.id for document in documents]
    if len(set(ids)) < len(ids):
        raise UserError(f"{artifact.path / DOCUMENTS}: two documents have the same id. Import the collection again.")
    return RankingCollection(
        artifact.manifest.name,
        {"suite": artifact.manifest.content},
        Passages(ids, [_titled(document) for document in documents]),
        tuple(judged.queries),
        titled=True,
        notes=judged.notes,
    )


def _read_pairs(suite: Path, split: str | None) -> RankingCollection:
    """Each distinct text of the examples is a document; the pairs of a query, named after its first example, judge it."""
    loaded = load_suite(suite)
    documents = _Documents()
    by_query: dict[str, list[Example]] = defaultdict(list)
    for example in loaded.examples:
        documents.add(example.satisfying)
        documents.add(example.violating)
        if split in (None, example.split):
            by_query[example.query].append(example)
    judged = judge_queries(
        {examples[0].id: text for text, examples in by_query.items()},
        [Qrel(of[0].id, documents.ids[e.satisfying.text], 1) for of in by_query.values() for e in of],
        [Qrel(of[0].id, documents.ids[e.violating.text], 1) for of in by_query.values() for e in of],
    )
    return RankingCollection(
        loaded.name,
        {"suite": loaded.content},
        Passages(list(documents.ids.values()), list(documents.ids)),
        tuple(replace(query, links=_links(by_query[query.text])) for query in judged.queries),
        titled=False,
        notes=judged.notes,
    )


def _links(examples: Sequence[Example]) -> frozenset[str]:
    """Names that queries share whose examples are not independent."""
    return frozenset(name for e in examples for name in (*e.clusters, e.satisfying.source, e.violating.source))


class _Documents:
    """Ids by text. An id belongs to the text that had it first; another text with it gets a hash behind it."""

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}
        self._taken: set[str] = set()

    def add(self, document: ExampleDocument) -> None:
        if document.text not in self.ids:
            repeated = document.id in self._taken
            name = f"{document.id}~{stable_hash(document.text):016x}" if repeated else document.id
            self._taken.add(name)
            self.ids[document.text] = name


def _with_corpus(collection: RankingCollection, corpus: str) -> RankingCollection:
    """Passages that are there already, by id or by text, are not added again."""
    source = open_source(SourceSettings(source=corpus))
    ids, texts = list(collection.passages.ids), list(collection.passages.texts)
    known = dict(zip(ids, texts, strict=True))
    seen = set(texts)
    altered = 0
    for document in source.documents(Refusing()):
        text = _titled(document) if collection.titled else clean(document.text)
        altered += document.id in known and known[document.id] != text
        if document.id not in known and text not in seen:
            known[document.id] = text
            seen.add(text)
            ids.append(document.id)
            texts.append(text)
    notes = [f"{len(ids) - len(collection.passages.ids):,} passages of {source.name} were added, none of them judged."]
    if altered:
        notes.append(f"{altered:,} have the id of a document that was there with another text, and were left out.")
    return replace(
        collection,
        inputs={**collection.inputs, "corpus": source.fingerprint()},
        passages=Passages(ids, texts),
        notes=(*collection.notes, *notes),
    )


def _titled(document: Document) -> str:
    return f"{document.title} {document.text}".strip()


def judge_queries(texts: Mapping[str, str], qrels: Iterable[Qrel], violations: Iterable[Qrel]) -> Judgments:
    """The queries that are judged, in the order of `texts`.

    A document that answers a query and violates it too says nothing: it is dropped from both.
    """
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for qrel in qrels:
        if grades[qrel.query].setdefault(qrel.document, qrel.grade) != qrel.grade:
            raise UserError(f"The document {qrel.document!r} has two different grades for the query {qrel.query!r}.")
    violating: dict[str, set[str]] = defaultdict(set)
    for qrel in violations:
        violating[qrel.query].add(qrel.document)
    judged, dropped = [], 0
    for query, text in texts.items():
        both = {document for document in violating[query] if grades[query].get(document, 0) > 0}
        dropped += len(both)
        agreed = {document: grade for document, grade in grades[query].items() if document not in both}
        if agreed or violating[query] - both:
            one = JudgedQuery(query, text, agreed, frozenset(violating[query] - both))
            judged.append(replace(one, links=one.relevant | one.violating))
    notes = (f"{dropped:,} documents both answer a query and violate it, and count as neither.",) if dropped else ()
    return Judgments(judged, notes)


def read_judged(qrels: Path, violations: Path | None) -> Judgments:
    """The queries of a file of judgments and one of violating documents, whose grades mean nothing; their texts are not known."""
    judged = list(read_qrels(qrels, Refusing()))
    violating = list(read_qrels(violations, Refusing())) if violations else []
    if not judged:
        raise UserError(f"{qrels}: holds no judgment.")
    return judge_queries({qrel.query: "" for qrel in [*judged, *violating]}, judged, violating)


class Refusing(BadRows):
    """Lets no broken row pass, where there is no option to skip them."""

    def add(self, where: str, reason: Reason, row: str) -> None:
        """Refuse the row with a UserError that says what is wrong with it."""
        raise UserError(f"{where}: this row cannot be used: {REASONS[reason]}. Correct it.")
