"""The collection that a suite offers to search, and the judgments of its queries.

It is the suite's own collection, or the documents of its pairs. A judged document answers a query or violates it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.text import Candidates, Document, InstructionChange, Qrel, Query, passage_of
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.corpora.base import STRICT_ALWAYS, SourceSettings
from constraintsuite.corpora.judgments import distinct_judgments, read_qrels
from constraintsuite.corpora.registry import open_source
from constraintsuite.experiments.load import load_suite
from constraintsuite.models.retrieval.base import Passages
from constraintsuite.text.normalization import clean

T = TypeVar("T")
DOCUMENTS, QUERIES, QRELS, VIOLATIONS = "documents.jsonl", "queries.jsonl", "qrels.jsonl", "violations.jsonl"
CANDIDATES, CHANGES = "candidates.jsonl", "changes.jsonl"


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query and its judgments."""

    id: str
    text: str
    grades: Mapping[str, int]
    """Grades by document; from 1 on a document is relevant."""
    violating: frozenset[str] = frozenset()
    """Documents that violate the constraint of the query."""
    links: frozenset[str] = frozenset()
    """Queries that share one of these names are not independent."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Groups that it belongs to, by grouping."""
    candidates: frozenset[str] = frozenset()
    """The documents to rank; empty if the collection is searched."""
    original: str = ""
    """Id of the query whose instruction was changed to make this one, if there is one."""
    regraded: frozenset[str] = frozenset()
    """Documents whose grade the changed instruction changes."""

    @property
    def relevant(self) -> frozenset[str]:
        """Documents that answer the query."""
        return frozenset(document for document, grade in self.grades.items() if grade > 0)


class Judgments(NamedTuple):
    """Judged queries, and notes on them for readers of the figures."""

    queries: list[JudgedQuery]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class RankingCollection:
    """Passages to search, and judged queries."""

    name: str
    inputs: dict[str, str]
    """Hashes of the files that it was read from."""
    passages: Passages
    queries: tuple[JudgedQuery, ...]
    titled: bool
    """Whether a passage is title and text, as in most collections, or text alone, as in pairs."""
    notes: tuple[str, ...] = ()

    @property
    def most_candidates(self) -> int:
        """The length of the longest list of documents to rank; 0 if the collection is searched."""
        return max((len(query.candidates) for query in self.queries), default=0)


def read_collection(suite: Path, split: str | None = None, corpus: str | None = None) -> RankingCollection:
    """Read the collection of a suite; the passages of a corpus are added to it as unjudged documents."""
    artifact = Artifact.open(suite, "suite")
    own = {DOCUMENTS, QUERIES} <= artifact.manifest.files.keys()
    collection = _read_own(artifact, split) if own else _read_pairs(suite, split)
    if not collection.queries:
        raise UserError(f"{suite}: no query{f' of the split {split}' if split else ''} has a judged document.")
    if corpus and collection.most_candidates:
        raise UserError(f"--corpus: {suite} says which documents to rank for each query. Leave --corpus out.")
    return _with_corpus(collection, corpus) if corpus else collection


def _read_own(artifact: Artifact, split: str | None) -> RankingCollection:
    present = artifact.manifest.settings.get("source_split")
    if split is not None and split != present:
        raise UserError(f"--split {split}: {artifact.path} holds the queries of the split {present!r} only.")
    files = artifact.manifest.files
    documents = list(read_jsonl(artifact.path / DOCUMENTS, Document))
    queries = {query.id: query for query in read_jsonl(artifact.path / QUERIES, Query)}
    violations = list(read_jsonl(artifact.path / VIOLATIONS, Qrel)) if VIOLATIONS in files else []
    qrels = list(read_jsonl(artifact.path / QRELS, Qrel)) if QRELS in files else []
    judged = judge_queries({name: query.text for name, query in queries.items()}, qrels, violations)
    listed = list(read_jsonl(artifact.path / CANDIDATES, Candidates)) if CANDIDATES in files else []
    changes = list(read_jsonl(artifact.path / CHANGES, InstructionChange)) if CHANGES in files else []
    ids = [document.id for document in documents]
    if len(set(ids)) < len(ids):
        raise UserError(f"{artifact.path / DOCUMENTS}: two documents have the same id. Import the collection again.")
    return RankingCollection(
        artifact.manifest.name,
        {"suite": artifact.manifest.content},
        Passages(ids, [passage_of(document.title, document.text) for document in documents]),
        tuple(_with_facts(judged.queries, queries, listed, changes)),
        titled=True,
        notes=judged.notes,
    )


def _with_facts(
    judged: Iterable[JudgedQuery],
    queries: Mapping[str, Query],
    listed: Iterable[Candidates],
    changes: Iterable[InstructionChange],
) -> Iterator[JudgedQuery]:
    """The judged queries with their groups, their candidates, and the query whose instruction was changed."""
    candidates = {one.query: frozenset(one.documents) for one in listed}
    by_changed = {change.changed: change for change in changes}
    originals = {change.original for change in changes}
    for query in judged:
        change = by_changed.get(query.id)
        topic = change.original if change else query.id
        yield replace(
            query,
            tags=queries[query.id].tags,
            links=query.links | ({f"instruction {topic}"} if topic in originals else frozenset()),
            candidates=candidates.get(query.id, frozenset()),
            original=change.original if change else "",
            regraded=frozenset(change.documents) if change else frozenset(),
        )


def _read_pairs(suite: Path, split: str | None) -> RankingCollection:
    """Every distinct text is a document. Examples with the same query judge one query, named after the first of them."""
    loaded = load_suite(suite)
    ids = _name_documents(loaded.examples)
    by_query: dict[str, list[Example]] = defaultdict(list)
    for example in loaded.examples:
        if split in (None, example.split):
            by_query[example.query].append(example)
    judged = judge_queries(
        {examples[0].id: text for text, examples in by_query.items()},
        [Qrel(of[0].id, ids[e.satisfying.text], 1) for of in by_query.values() for e in of],
        [Qrel(of[0].id, ids[e.violating.text], 1) for of in by_query.values() for e in of],
    )
    return RankingCollection(
        loaded.name,
        {"suite": loaded.content},
        Passages(list(ids.values()), list(ids)),
        tuple(replace(query, links=_links(by_query[query.text])) for query in judged.queries),
        titled=False,
        notes=judged.notes,
    )


def _links(examples: Sequence[Example]) -> frozenset[str]:
    """Names that a query shares with queries it is not independent of."""
    return frozenset(name for e in examples for name in (*e.clusters, e.satisfying.source, e.violating.source))


def _name_documents(examples: Iterable[Example]) -> dict[str, str]:
    """An id for each distinct text. If two texts have one id, the second gets a hash appended."""
    ids: dict[str, str] = {}
    used: set[str] = set()
    for document in (document for e in examples for document in (e.satisfying, e.violating)):
        if document.text not in ids:
            repeated = document.id in used
            ids[document.text] = f"{document.id}~{stable_hash(document.text):016x}" if repeated else document.id
            used.add(ids[document.text])
    return ids


def _with_corpus(collection: RankingCollection, corpus: str) -> RankingCollection:
    """Add the passages of a corpus, except those whose id or text the collection already has."""
    source = open_source(SourceSettings(source=corpus))
    known = dict(zip(collection.passages.ids, collection.passages.texts, strict=True))
    before, seen, altered = len(known), set(known.values()), 0
    for document in source.documents(STRICT_ALWAYS):
        text = passage_of(document.title, document.text) if collection.titled else clean(document.text)
        altered += document.id in known and known[document.id] != text
        if document.id not in known and text not in seen:
            known[document.id] = text
            seen.add(text)
    notes = [f"{len(known) - before:,} passages of {source.name} were added, none of them judged."]
    if altered:
        notes.append(f"{altered:,} have the id of a document that was there with another text, and were left out.")
    return replace(
        collection,
        inputs={**collection.inputs, "corpus": source.fingerprint()},
        passages=Passages(list(known), list(known.values())),
        notes=(*collection.notes, *notes),
    )


def judge_queries(texts: Mapping[str, str], qrels: Iterable[Qrel], violations: Iterable[Qrel]) -> Judgments:
    """The judged queries, in the order of `texts`. A document that both answers and violates a query counts as neither."""
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for qrel in distinct_judgments(qrels):
        grades[qrel.query][qrel.document] = qrel.grade
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
    """Read judgments and violating documents, whose grades are ignored, from files. The texts of the queries are unknown."""
    judged = list(read_qrels(qrels, STRICT_ALWAYS))
    violating = list(read_qrels(violations, STRICT_ALWAYS)) if violations else []
    if not judged:
        raise UserError(f"{qrels}: holds no judgment.")
    return judge_queries({qrel.query: "" for qrel in [*judged, *violating]}, judged, violating)
