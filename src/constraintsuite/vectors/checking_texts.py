"""Whether the texts of a bundle agree with each other and with what its manifest counts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import chain
from typing import Any

from constraintsuite.corpora.base import BadRow
from constraintsuite.errors import UserError
from constraintsuite.store.jsonl import read_jsonl
from constraintsuite.vectors.bundle import CORPUS, COVERAGE, QRELS, QUERIES, REJECTS, TWINS, Bundle
from constraintsuite.vectors.judged import measure_coverage, positives_of, state_of
from constraintsuite.vectors.survey import KeyMaker, survey, text_hash
from constraintsuite.vectors.tables import count_rows
from constraintsuite.vectors.twins import DocumentTwin

_ROWS_KEPT = 1_000  # of the rejects: a source that has more gives only their number


def compare_counts(manifest: str, said: Mapping[str, int], found: Mapping[str, int]) -> Iterator[str]:
    """The first count that is not what was found."""
    for name in dict.fromkeys((*found, *said)):
        if said.get(name) != found.get(name):
            yield f"{manifest}: it counts {said.get(name, 'no')} {name}, and there are {found.get(name, 'none')}"
            return


def check_counts(bundle: Bundle) -> Iterator[str]:
    """Rows of the tables, and what was left out; all else rests on these."""
    manifest = bundle.texts.manifest
    report = _report(bundle)
    found = {
        "documents": sum(count_rows(file) for file in sorted((bundle.path / CORPUS).iterdir())),
        "queries": count_rows(bundle.path / QUERIES),
        "judgments": count_rows(bundle.path / QRELS),
        **{name: report[name] for name in ("population",) if name in report},
        **{name: report["coverage"][name] for name in ("positives", "positives_in_subset") if "coverage" in report},
        **report.get("twins", {}),
        **report.get("without_text", {}),
    }
    yield from compare_counts("manifest.json", manifest.counts, found)
    file = bundle.path / REJECTS
    kept = Counter[str](row.reason for row in read_jsonl(file, BadRow)) if file.is_file() else Counter[str]()
    complete = kept.total() < _ROWS_KEPT
    if (complete and kept != manifest.rejects) or any(manifest.rejects.get(name, 0) < kept[name] for name in kept):
        yield f"manifest.json: its counts of rejects are not those of {REJECTS}"


def _report(bundle: Bundle) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((bundle.path / COVERAGE).read_text(encoding="utf-8"))
    return report


def check_corpus(bundle: Bundle) -> Iterator[str]:
    """Rows in order, texts that have their hashes, ids that are there once."""
    for count, row in enumerate(bundle.rows()):
        if row.row != count:
            yield f"{CORPUS}: row {row.row} stands where {count} should"
            return
        if row.text is not None and row.text_sha256 != text_hash(row.passage):
            yield f"{CORPUS}: the hash of document {row.id!r} is not that of its text"
    try:
        survey(bundle.ids, KeyMaker("corpus", "verify", "0")).refuse_repeated_ids()
    except UserError as error:
        yield f"{CORPUS}: {str(error).partition(' of the source')[0]}"


def check_twins(bundle: Bundle) -> Iterator[str]:
    """Documents that gave way are not there, and those that stand for them are."""
    file = bundle.path / TWINS
    if not file.is_file():
        return
    kept = {twin.row: twin.kept for twin in read_jsonl(file, DocumentTwin) if twin.row is not None}
    if (
        any(name != kept.get(row, name) for row, name in enumerate(bundle.ids()))
        or max(kept, default=0) >= bundle.documents
    ):
        yield f"{TWINS}: a document that should stand for others is not in its row"
    try:
        ids = lambda: chain(bundle.ids(), (twin.id for twin in read_jsonl(file, DocumentTwin)))  # noqa: E731 - read twice
        survey(ids, KeyMaker("corpus", "verify", "0")).refuse_repeated_ids()
    except UserError as error:
        yield f"{TWINS}: {str(error).partition(' stands')[0]} was left out and is there, or was left out twice"


def check_judgments(bundle: Bundle) -> Iterator[str]:
    """Queries by row, each once, with the share of their positives that is really there; judgments of these only."""
    qrels, queries = list(bundle.qrels()), bundle.queries
    names = [query.id for query in queries]
    if [query.row for query in queries] != list(range(len(queries))) or len(set(names)) != len(names):
        yield f"{QUERIES}: a row or an id stands there twice, or out of order"
    couples = [(qrel.query, qrel.document) for qrel in qrels]
    if couples != sorted(set(couples)):
        yield f"{QRELS}: a judgment stands there twice, or out of order"
    unknown = {query for query, _ in couples} - set(names)
    if unknown:
        yield f"{QRELS}: the query {min(unknown)!r} is judged and is not there"
    judged = {document for _, document in couples}
    there = {name for name in bundle.ids() if name in judged}
    positives = positives_of(qrels, bundle.min_relevance)
    states = tuple(state_of(positives.get(name, frozenset()), there) for name in names)
    for query, state in zip(queries, states, strict=True):
        if query.coverage != state:
            yield f"{QUERIES}: query {query.id!r} is marked {query.coverage!r}, and its positives say {state!r}"
    said = _report(bundle).get("coverage")
    measured = json.loads(json.dumps(asdict(measure_coverage(states, positives, there))))
    if said is not None and said != measured:
        yield f"{COVERAGE}: the coverage is not what judgments and documents give"
