"""Whether the vectors and truths of a bundle agree with its texts, with each other and with what their manifests count."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from heapq import nsmallest

import numpy as np

from constraintsuite.execution.shards import stable_hash
from constraintsuite.execution.spread import UNWORKABLE
from constraintsuite.models.base import TextRole
from constraintsuite.models.dense import Similarity
from constraintsuite.store.artifact import Artifact
from constraintsuite.vectors.bundle import TRUTH, VECTORS, Bundle
from constraintsuite.vectors.checking_texts import compare_counts
from constraintsuite.vectors.embedding import PLURALS
from constraintsuite.vectors.matrices import Matrix, check_lengths, slack_of, zero_count
from constraintsuite.vectors.neighbours import NearestRow, count_neighbours, nearest, read_neighbours
from constraintsuite.vectors.relevance import RELEVANCE, count_judged, read_relevance, relevance_rows
from constraintsuite.vectors.vectorset import (
    DOCUMENTS_FILE,
    ENCODER_FILE,
    QUERIES_FILE,
    TRUNCATION_FILE,
    VectorSet,
    open_vectors,
)

_RECOMPUTED = 100


def check_vectors(bundle: Bundle, vectors: VectorSet) -> Iterator[str]:
    """A row for each text, finite, of length 1 where the encoder says so; which row is whose, the hash of the texts says."""
    folder, where = vectors.artifact.path, f"{VECTORS}/{vectors.name}"
    slack = slack_of(json.loads((folder / ENCODER_FILE).read_text(encoding="utf-8")))
    found = dict(json.loads((folder / TRUNCATION_FILE).read_text(encoding="utf-8")))
    sides: tuple[tuple[TextRole, str, Matrix, int], ...] = (
        ("document", DOCUMENTS_FILE, vectors.documents, bundle.documents),
        ("query", QUERIES_FILE, vectors.queries, len(bundle.queries)),
    )
    for role, name, matrix, rows in sides:
        if len(matrix) != rows:
            yield f"{where}/{name}: {len(matrix):,} rows for {rows:,} texts"
        lengths = check_lengths(matrix, slack)
        if lengths.fault:
            yield f"{where}/{name}: row {lengths.row:,} {lengths.fault}"
        plural = PLURALS[role]
        found |= {plural: rows, zero_count(plural): lengths.zeros}
    said = vectors.artifact.manifest.counts
    zeros = {zero_count(plural) for plural in PLURALS.values()}
    if not zeros & said.keys():  # written before they were counted
        found = {name: count for name, count in found.items() if name not in zeros}
    yield from compare_counts(f"{where}/manifest.json", said, found)
    lost = vectors.artifact.manifest.rejects
    if lost.keys() - {UNWORKABLE} or lost.get(UNWORKABLE, 0) > sum(found.get(name, 0) for name in zeros):
        yield f"{where}/manifest.json: it counts rejects {lost}, and not as many vectors are zero"


def check_relevance(bundle: Bundle) -> Iterator[str]:
    """One row a judgment, and nothing else."""
    for part in bundle.parts(TRUTH):
        if part.manifest.name == RELEVANCE:
            rows, name = relevance_rows(bundle), f"{TRUTH}/{RELEVANCE}"
            if list(read_relevance(bundle)) != rows:
                yield f"{name}: it is not what the judgments give"
            yield from compare_counts(f"{name}/manifest.json", part.manifest.counts, count_judged(rows))
            yield from _no_rejects(part, name)


def check_neighbours(bundle: Bundle, truth: Artifact) -> Iterator[str]:
    """Rows in range, each once and in order, and those of some queries found again."""
    name = f"{TRUTH}/{truth.path.name}"
    settings = truth.manifest.settings
    vectors = open_vectors(bundle, settings["encoder"])
    if truth.manifest.inputs["vectors"] != vectors.artifact.manifest.content:
        yield f"{name}: made from other vectors"
        return
    yield from compare_counts(
        f"{name}/manifest.json", truth.manifest.counts, count_neighbours(read_neighbours(truth.path))
    )
    yield from _no_rejects(truth, name)
    if [row.query_row for row in read_neighbours(truth.path)] != list(range(len(bundle.queries))):
        yield f"{name}: its rows are not those of the queries"
        return
    chosen = set(nsmallest(_RECOMPUTED, range(len(bundle.queries)), key=lambda row: stable_hash("verify", str(row))))
    compared = []
    for row in read_neighbours(truth.path):  # one after the other: all of them are many times as large as the file
        yield from (f"{name}: query row {row.query_row}: {fault}" for fault in _wrong(row, bundle, settings["k"]))
        if row.query_row in chosen:
            compared.append(row)
    yield from (f"{name}: {fault}" for fault in _again(compared, vectors, settings["k"], settings["metric"]))


def _no_rejects(artifact: Artifact, where: str) -> Iterator[str]:
    if artifact.manifest.rejects:
        yield f"{where}/manifest.json: it counts rejects, where there can be none"


def _wrong(row: NearestRow, bundle: Bundle, k: int) -> Iterator[str]:
    if len(set(row.doc_rows)) != len(row.doc_rows):
        yield "a document stands there twice"
    if not all(0 <= each < bundle.documents for each in row.doc_rows):
        yield "a document is out of range"
    if not len(row.doc_rows) == len(row.scores) == min(k, bundle.documents):
        yield f"{len(row.doc_rows)} neighbours with {len(row.scores)} scores, expected {min(k, bundle.documents)}"
    order = sorted(zip(row.scores, row.doc_rows, strict=False), key=lambda pair: (-pair[0], pair[1]))
    if not np.isfinite(row.scores).all() or order != list(zip(row.scores, row.doc_rows, strict=False)):
        yield "the neighbours are not in order"
    elif row.scores and row.kth_score != row.scores[-1]:
        yield "the last score is another"


def _again(rows: Sequence[NearestRow], vectors: VectorSet, k: int, metric: Similarity) -> Iterator[str]:
    queries = np.asarray(vectors.queries[[row.query_row for row in rows]])
    for row, fresh in zip(rows, nearest(queries, vectors.documents, k, metric), strict=True):
        if (row.doc_rows, row.tied_beyond_k) != (fresh.doc_rows, fresh.tied_beyond_k):
            yield f"query row {row.query_row}: computed again, the neighbours are others"
