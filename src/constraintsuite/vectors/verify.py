"""Whether a bundle is what it says: every byte, then everything that must agree."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.execution.shards import stable_hash
from constraintsuite.models.dense import Similarity
from constraintsuite.store.artifact import Artifact, Origin
from constraintsuite.store.files import sha256_text
from constraintsuite.vectors.bundle import CODES, TRUTH, VECTORS, Bundle
from constraintsuite.vectors.keys import KeyMaker
from constraintsuite.vectors.neighbours import NearestRow, nearest, neighbour_truths, read_neighbours
from constraintsuite.vectors.relevance import RELEVANCE, read_relevance, relevance_rows
from constraintsuite.vectors.survey import survey
from constraintsuite.vectors.tables import text_hash
from constraintsuite.vectors.vectorset import ENCODER_FILE, VectorSet, open_vectors, vector_sets

_BLOCK = 16_384
_RECOMPUTED = 100
_UNIT = 1e-3


def verify_bundle(bundle: Bundle) -> list[str]:
    """What is wrong, one line a fault; where bytes changed, only that is said."""
    parts = [*bundle.parts(VECTORS), *bundle.parts(TRUTH)]
    faults = list(chain(_bytes_of_texts(bundle), *(_bytes_of(bundle, part) for part in parts)))
    if faults:
        return faults
    checks: list[Callable[[], Iterator[str]]] = [lambda: _corpus(bundle)]
    checks += [lambda vectors=vectors: _vectors(bundle, vectors) for vectors in vector_sets(bundle)]  # type: ignore[misc]
    checks += [lambda: _relevance(bundle)]
    checks += [lambda truth=truth: _neighbours(bundle, truth) for truth in neighbour_truths(bundle)]  # type: ignore[misc]
    for check in checks:
        try:
            faults += check()
        except UserError as error:
            faults.append(str(error))
    return faults


def _bytes_of_texts(bundle: Bundle) -> Iterator[str]:
    """Vectors and truths lie below the texts and have manifests of their own."""
    yield from (fault for fault in bundle.texts.verify() if not fault.startswith((f"{VECTORS}/", f"{TRUTH}/")))
    yield from _manifest(bundle.texts, "manifest.json")


def _bytes_of(bundle: Bundle, part: Artifact) -> Iterator[str]:
    name = part.path.relative_to(bundle.path).as_posix()
    yield from (f"{name}/{fault}" for fault in part.verify())
    yield from _manifest(part, f"{name}/manifest.json")
    if part.manifest.inputs.get("texts") != bundle.texts.manifest.content:
        yield f"{name}: made from other texts"


def _manifest(artifact: Artifact, name: str) -> Iterator[str]:
    """The manifest holds hashes of itself: of the files, and of all that decided them."""
    own = artifact.manifest
    origin = Origin(own.kind, own.name, own.inputs, own.settings, own.seed, CODES.get(own.kind, ""))
    if own.content != sha256_text(*(f"{file} {entry.sha256}" for file, entry in own.files.items())):
        yield f"{name}: its list of files was changed"
    if own.fingerprint != origin.fingerprint:
        yield f"{name}: its inputs or settings were changed, or it is of another version"


def _corpus(bundle: Bundle) -> Iterator[str]:
    count = 0
    for row in bundle.rows():
        if row.row != count:
            yield f"corpus: row {row.row} stands where {count} should"
            return
        if row.text is not None and row.text_sha256 != text_hash(row.passage):
            yield f"corpus: the hash of document {row.id!r} is not that of its text"
        count += 1
    if count != bundle.documents:
        yield f"corpus: {count:,} rows, but the manifest says {bundle.documents:,}"
    survey(bundle.ids, KeyMaker("corpus", "verify", "0")).refuse_repeated_ids()
    if len({query.id for query in bundle.queries}) != bundle.texts.manifest.counts["queries"]:
        yield "queries.parquet: an id stands there twice, or the manifest counts otherwise"


def _vectors(bundle: Bundle, vectors: VectorSet) -> Iterator[str]:
    facts = json.loads((vectors.artifact.path / ENCODER_FILE).read_text(encoding="utf-8"))
    normalised = "normalize" in facts.get("after_pooling", ())
    for name, matrix, rows in (
        ("docs.npy", vectors.documents, bundle.documents),
        ("queries.npy", vectors.queries, len(bundle.queries)),
    ):
        where = f"{VECTORS}/{vectors.name}/{name}"
        if len(matrix) != rows:
            yield f"{where}: {len(matrix):,} rows for {rows:,} texts"
        lengths = [
            np.linalg.norm(matrix[at : at + _BLOCK].astype(np.float64), axis=1) for at in range(0, len(matrix), _BLOCK)
        ]
        norms = np.concatenate(lengths)
        if not np.isfinite(norms).all():
            yield f"{where}: row {int(np.flatnonzero(~np.isfinite(norms))[0]):,} is not finite"
        elif normalised and np.abs(norms - 1).max() > _UNIT:
            yield f"{where}: row {int(np.abs(norms - 1).argmax()):,} is not of length 1, though the encoder normalises"


def _relevance(bundle: Bundle) -> Iterator[str]:
    if not any(part.manifest.name == RELEVANCE for part in bundle.parts(TRUTH)):
        return
    if list(read_relevance(bundle)) != relevance_rows(bundle):
        yield f"{TRUTH}/{RELEVANCE}: it is not what the judgments give"


def _neighbours(bundle: Bundle, truth: Artifact) -> Iterator[str]:
    name = f"{TRUTH}/{truth.path.name}"
    settings = truth.manifest.settings
    vectors = open_vectors(bundle, settings["encoder"])
    if truth.manifest.inputs["vectors"] != vectors.artifact.manifest.content:
        yield f"{name}: made from other vectors"
        return
    rows = list(read_neighbours(truth))
    yield from (
        f"{name}: query row {row.query_row}: {fault}" for row in rows for fault in _order(row, bundle.documents)
    )
    chosen = sorted(rows, key=lambda row: stable_hash("verify", str(row.query_row)))[:_RECOMPUTED]
    yield from (f"{name}: {fault}" for fault in _again(chosen, vectors, settings["k"], settings["metric"]))


def _order(row: NearestRow, documents: int) -> Iterator[str]:
    if len(set(row.doc_rows)) != len(row.doc_rows):
        yield "a document stands there twice"
    if not all(0 <= each < documents for each in row.doc_rows):
        yield "a document is out of range"
    if row.scores != sorted(row.scores, reverse=True):
        yield "the neighbours are not in order"


def _again(rows: Sequence[NearestRow], vectors: VectorSet, k: int, metric: Similarity) -> Iterator[str]:
    queries = np.asarray(vectors.queries[[row.query_row for row in rows]])
    for row, fresh in zip(rows, nearest(queries, vectors.documents, k, metric), strict=True):
        if row.doc_rows != fresh.doc_rows:
            yield f"query row {row.query_row}: computed again, the neighbours are others"
