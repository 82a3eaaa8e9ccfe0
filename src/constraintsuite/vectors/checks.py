"""Check that texts, vectors and truths of a bundle agree with each other and with the counts in their manifests."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from heapq import nsmallest
from itertools import chain
from typing import Any

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shard_runs import UNWORKABLE
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.corpora.base import BadRow
from constraintsuite.models.backends import Similarity
from constraintsuite.models.base import TextRole
from constraintsuite.vectors import files
from constraintsuite.vectors.bundle import Bundle, VectorSet, open_vectors, vector_sets
from constraintsuite.vectors.draft import DocumentTwin
from constraintsuite.vectors.embedding_shard import PLURALS
from constraintsuite.vectors.judgments import coverage_state, measure_coverage, positives_of
from constraintsuite.vectors.matrices import Matrix, check_lengths, length_tolerance, zero_count
from constraintsuite.vectors.neighbours import NearestRow, count_neighbours, nearest, neighbour_truths, read_neighbours
from constraintsuite.vectors.relevance import RELEVANCE, count_judged, read_relevance, relevance_rows
from constraintsuite.vectors.survey import KeyMaker, survey, text_hash
from constraintsuite.vectors.tables import count_rows

_ROWS_KEPT = 1_000  # a source keeps this many broken rows, and only counts the others


def all_checks(bundle: Bundle) -> list[Callable[[], Iterator[str]]]:
    """All checks that need right counts. Each yields its faults. Raises UserError if a file cannot be read."""
    return [
        partial(_check_corpus, bundle),
        partial(_check_twins, bundle),
        partial(_check_judgments, bundle),
        *(partial(_check_vectors, bundle, vectors) for vectors in vector_sets(bundle)),
        partial(_check_relevance, bundle),
        *(partial(_check_neighbours, bundle, truth) for truth in neighbour_truths(bundle)),
    ]


def _compare_counts(manifest: str, stated: Mapping[str, int], found: Mapping[str, int]) -> Iterator[str]:
    """The first count of a manifest that is wrong."""
    for name in dict.fromkeys((*found, *stated)):
        if stated.get(name) != found.get(name):
            yield f"{manifest}: it counts {stated.get(name, 'no')} {name}, and there are {found.get(name, 'none')}"
            return


def check_counts(bundle: Bundle) -> Iterator[str]:
    """Count the rows of the tables and the rejects; all other checks rely on them."""
    manifest = bundle.texts.manifest
    report = _report(bundle)
    found = {
        "documents": sum(count_rows(file) for file in sorted((bundle.path / files.CORPUS).iterdir())),
        "queries": count_rows(bundle.path / files.QUERIES),
        "judgments": count_rows(bundle.path / files.QRELS),
        **{name: report[name] for name in ("population",) if name in report},
        **{name: report["coverage"][name] for name in ("positives", "positives_in_subset") if "coverage" in report},
        **report.get("twins", {}),
        **report.get("without_text", {}),
    }
    yield from _compare_counts("manifest.json", manifest.counts, found)
    file = bundle.path / files.REJECTS
    kept = Counter[str](row.reason for row in read_jsonl(file, BadRow)) if file.is_file() else Counter[str]()
    complete = kept.total() < _ROWS_KEPT
    if (complete and kept != manifest.rejects) or any(manifest.rejects.get(name, 0) < kept[name] for name in kept):
        yield f"manifest.json: its counts of rejects differ from {files.REJECTS}"


def _report(bundle: Bundle) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((bundle.path / files.COVERAGE).read_text(encoding="utf-8"))
    return report


def _check_corpus(bundle: Bundle) -> Iterator[str]:
    """Rows are in order, texts match their hashes, ids are unique."""
    for count, row in enumerate(bundle.rows()):
        if row.row != count:
            yield f"{files.CORPUS}: row {row.row} is where row {count} should be"
            return
        if row.text is not None and row.text_sha256 != text_hash(row.passage):
            yield f"{files.CORPUS}: the hash of document {row.id!r} does not match its text"
    if fault := _repeated_id(bundle.ids):
        yield f"{files.CORPUS}: {fault.partition(' of the source')[0]}"


def _repeated_id(ids: Callable[[], Iterable[str]]) -> str:
    """The error for an id that occurs twice; empty if there is none."""
    try:
        survey(ids, KeyMaker("corpus", "verify", "0")).refuse_repeated_ids()
    except UserError as error:
        return str(error)
    return ""


def _check_twins(bundle: Bundle) -> Iterator[str]:
    """Twins that were left out are not in the corpus, and the documents kept instead are."""
    file = bundle.path / files.TWINS
    if not file.is_file():
        return
    kept = {twin.row: twin.kept for twin in read_jsonl(file, DocumentTwin) if twin.row is not None}
    if (
        any(name != kept.get(row, name) for row, name in enumerate(bundle.ids()))
        or max(kept, default=0) >= bundle.documents
    ):
        yield f"{files.TWINS}: a document that was kept for its twins is not in its row"
    if fault := _repeated_id(lambda: chain(bundle.ids(), (twin.id for twin in read_jsonl(file, DocumentTwin)))):
        yield f"{files.TWINS}: {fault.partition(' occurs')[0]} was left out and is there, or was left out twice"


def _check_judgments(bundle: Bundle) -> Iterator[str]:
    """Queries and judgments are unique and in order, and the states of the queries are right."""
    qrels, queries = list(bundle.qrels()), bundle.queries
    names = [query.id for query in queries]
    if [query.row for query in queries] != list(range(len(queries))) or len(set(names)) != len(names):
        yield f"{files.QUERIES}: a row or an id is repeated or out of order"
    couples = [(qrel.query, qrel.document) for qrel in qrels]
    if couples != sorted(set(couples)):
        yield f"{files.QRELS}: a judgment is repeated or out of order"
    unknown = {query for query, _ in couples} - set(names)
    if unknown:
        yield f"{files.QRELS}: the query {min(unknown)!r} is judged, but not among the queries"
    judged = {document for _, document in couples}
    there = {name for name in bundle.ids() if name in judged}
    positives = positives_of(qrels, bundle.min_relevance)
    states = tuple(coverage_state(positives.get(name, frozenset()), there) for name in names)
    for query, state in zip(queries, states, strict=True):
        if query.coverage != state:
            yield f"{files.QUERIES}: query {query.id!r} is marked {query.coverage!r}, but its positives give {state!r}"
    stated = _report(bundle).get("coverage")
    measured = json.loads(json.dumps(asdict(measure_coverage(states, positives, there))))
    if stated is not None and stated != measured:
        yield f"{files.COVERAGE}: the coverage does not follow from judgments and documents"


_RECOMPUTED = 100


def _check_vectors(bundle: Bundle, vectors: VectorSet) -> Iterator[str]:
    """There is a finite vector for each text, of length 1 if the encoder normalises, and the counts are right."""
    folder, where = vectors.artifact.path, f"{files.VECTORS}/{vectors.name}"
    slack = length_tolerance(json.loads((folder / files.ENCODER).read_text(encoding="utf-8")))
    found = dict(json.loads((folder / files.TRUNCATION).read_text(encoding="utf-8")))
    sides: tuple[tuple[TextRole, str, Matrix, int], ...] = (
        ("document", files.DOCUMENT_VECTORS, vectors.documents, bundle.documents),
        ("query", files.QUERY_VECTORS, vectors.queries, len(bundle.queries)),
    )
    for role, name, matrix, rows in sides:
        if len(matrix) != rows:
            yield f"{where}/{name}: {len(matrix):,} rows for {rows:,} texts"
        lengths = check_lengths(matrix, slack)
        if lengths.fault:
            yield f"{where}/{name}: row {lengths.row:,} {lengths.fault}"
        plural = PLURALS[role]
        found |= {plural: rows, zero_count(plural): lengths.zeros}
    stated = vectors.artifact.manifest.counts
    zeros = {zero_count(plural) for plural in PLURALS.values()}
    if not zeros & stated.keys():  # written by a version that did not count them
        found = {name: count for name, count in found.items() if name not in zeros}
    yield from _compare_counts(f"{where}/manifest.json", stated, found)
    lost = vectors.artifact.manifest.rejects
    if lost.keys() - {UNWORKABLE} or lost.get(UNWORKABLE, 0) > sum(found.get(name, 0) for name in zeros):
        yield f"{where}/manifest.json: it counts rejects {lost}, but fewer vectors are zero"


def _check_relevance(bundle: Bundle) -> Iterator[str]:
    """The relevance truth follows from the judgments."""
    for part in bundle.parts(files.TRUTH):
        if part.manifest.name == RELEVANCE:
            rows, name = relevance_rows(bundle), f"{files.TRUTH}/{RELEVANCE}"
            if list(read_relevance(bundle)) != rows:
                yield f"{name}: it does not follow from the judgments"
            yield from _compare_counts(f"{name}/manifest.json", part.manifest.counts, count_judged(rows))
            yield from _no_rejects(part, name)


def _check_neighbours(bundle: Bundle, truth: Artifact) -> Iterator[str]:
    """Neighbours are in range, unique and in order, and a search for some queries finds the same ones again."""
    name = f"{files.TRUTH}/{truth.path.name}"
    settings = truth.manifest.settings
    vectors = open_vectors(bundle, settings["encoder"])
    if truth.manifest.inputs["vectors"] != vectors.artifact.manifest.content:
        yield f"{name}: made from other vectors"
        return
    yield from _compare_counts(
        f"{name}/manifest.json", truth.manifest.counts, count_neighbours(read_neighbours(truth.path))
    )
    yield from _no_rejects(truth, name)
    if [row.query_row for row in read_neighbours(truth.path)] != list(range(len(bundle.queries))):
        yield f"{name}: its rows do not match the queries"
        return
    chosen = set(nsmallest(_RECOMPUTED, range(len(bundle.queries)), key=lambda row: stable_hash("verify", str(row))))
    compared = []
    for row in read_neighbours(truth.path):  # row by row: all of them are many times as large as the file
        yield from (f"{name}: query row {row.query_row}: {fault}" for fault in _wrong(row, bundle, settings["k"]))
        if row.query_row in chosen:
            compared.append(row)
    yield from (f"{name}: {fault}" for fault in _again(compared, vectors, settings["k"], settings["metric"]))


def _no_rejects(artifact: Artifact, where: str) -> Iterator[str]:
    if artifact.manifest.rejects:
        yield f"{where}/manifest.json: it counts rejects, but there can be none"


def _wrong(row: NearestRow, bundle: Bundle, k: int) -> Iterator[str]:
    if len(set(row.doc_rows)) != len(row.doc_rows):
        yield "a document is repeated"
    if not all(0 <= each < bundle.documents for each in row.doc_rows):
        yield "a document is out of range"
    if not len(row.doc_rows) == len(row.scores) == min(k, bundle.documents):
        yield f"{len(row.doc_rows)} neighbours with {len(row.scores)} scores, expected {min(k, bundle.documents)}"
    order = sorted(zip(row.scores, row.doc_rows, strict=False), key=lambda pair: (-pair[0], pair[1]))
    if not np.isfinite(row.scores).all() or order != list(zip(row.scores, row.doc_rows, strict=False)):
        yield "the neighbours are not in order"
    elif row.scores and row.kth_score != row.scores[-1]:
        yield "the last score is wrong"


def _again(rows: Sequence[NearestRow], vectors: VectorSet, k: int, metric: Similarity) -> Iterator[str]:
    queries = np.asarray(vectors.queries[[row.query_row for row in rows]])
    for row, fresh in zip(rows, nearest(queries, vectors.documents, k, metric), strict=True):
        if (row.doc_rows, row.tied_beyond_k) != (fresh.doc_rows, fresh.tied_beyond_k):
            yield f"query row {row.query_row}: computed again, the neighbours differ"
