"""A folder of the MS MARCO subset methodology as a bundle: its padded truth repaired, and texts joined to it by id."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from constraintsuite.corpora.base import SourceSettings
from constraintsuite.corpora.opening import find_format, open_source
from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter, Silent
from constraintsuite.models.dense import Similarity
from constraintsuite.store.artifact import Artifact, Origin, finish
from constraintsuite.store.files import sha256_text, write_text
from constraintsuite.store.jsonl import write_jsonl
from constraintsuite.vectors.bundle import CODES, COVERAGE, PART_ROWS, QRELS, QUERIES, REJECTS, VECTORS, part_file
from constraintsuite.vectors.coverage import state_of
from constraintsuite.vectors.encoders import folder_name
from constraintsuite.vectors.folder import WORK, claimed, open_for_texts, refuse_others, reopen, tidy
from constraintsuite.vectors.joining import Grades, Joined, join, judge
from constraintsuite.vectors.layouts import msmarco
from constraintsuite.vectors.layouts.msmarco_reading import Found, hash_folder, read_folder
from constraintsuite.vectors.lengths import check_lengths, zero_count
from constraintsuite.vectors.matrices import Matrix, write_matrix
from constraintsuite.vectors.parts import read_loose, spread
from constraintsuite.vectors.relevance import make_relevance
from constraintsuite.vectors.tables import DOCUMENTS, WRITER, DocumentRow, passage, text_hash, write_table
from constraintsuite.vectors.tables import QRELS as QRELS_SCHEMA
from constraintsuite.vectors.tables import QUERIES as QUERIES_SCHEMA
from constraintsuite.vectors.vectorset import DOCUMENTS_FILE, ENCODER_FILE, QUERIES_FILE, TRUNCATION_FILE

_BLOCK = 16_384


class Imported(NamedTuple):
    """A bundle that came from elsewhere."""

    texts: Artifact
    repairs: tuple[str, ...]
    """What was wrong in the folder, and put right."""


class _Content(NamedTuple):
    """All that goes into the bundle, checked before anything is written."""

    found: Found
    joined: Joined | None
    grades: Grades
    repairs: tuple[str, ...]
    zeros: dict[str, int]


def import_folder(
    folder: Path,
    out: Path,
    metric: Similarity,
    *,
    texts: SourceSettings | None = None,
    allow_missing: bool = False,
    force: bool = False,
    reporter: Reporter | None = None,
) -> Imported:
    """Write the bundle; gives it and what was repaired. All is checked before anything is written."""
    content = _read(folder, texts, reporter or Silent(), allow_missing=allow_missing)
    origin = _origin(folder, texts, content)
    with claimed(out) as manifest:
        if manifest is not None and manifest.fingerprint == origin.fingerprint:
            artifact = Artifact(out, manifest)
        else:
            refuse_others(out, manifest, force=force)
            open_for_texts(out)
            start = time.monotonic()
            counts = _write_texts(content, out)
            rejects = content.joined.bad.counts if content.joined else {}
            artifact = finish(out, origin, counts, rejects, time.monotonic() - start)
            tidy(out, artifact.manifest.content)
        _write_vectors(content, out, artifact, metric)
    make_relevance(out)
    return Imported(artifact, content.repairs)


def _read(folder: Path, texts: SourceSettings | None, reporter: Reporter, *, allow_missing: bool) -> _Content:
    found = read_folder(folder)
    zeros = {}
    for plural, name, matrix in (
        ("documents", msmarco.PASSAGES, found.documents),
        ("queries", msmarco.QUERIES, found.queries),
    ):
        lengths = check_lengths(matrix, None)
        if lengths.fault:
            raise UserError(f"{folder / name}: row {lengths.row:,} {lengths.fault}.")
        zeros[zero_count(plural)] = lengths.zeros
    joined = None
    if texts is not None:
        source = open_source(texts)
        joined = join(found, source, reporter, skip_bad_rows=texts.skip_bad_rows, allow_missing=allow_missing)
    grades, notes = judge(found, joined.grades if joined else {})
    return _Content(found, joined, grades, (*found.repairs, *notes), zeros)


def _origin(folder: Path, texts: SourceSettings | None, content: _Content) -> Origin:
    name, inputs = folder.resolve().name, hash_folder(folder)
    source = {"name": name, "format": "msmarco-subset"}
    settings: dict[str, object] = {"texts": False, "min_relevance": 1, "part_rows": PART_ROWS, "writer": WRITER}
    if content.joined is not None and texts is not None:
        inputs["texts"] = content.joined.source.fingerprint()
        source |= {"licence": content.joined.source.licence}
        settings |= {"texts": content.joined.complete, "texts_from": content.joined.source.name}
        settings |= {"texts_format": find_format(texts)}
    return Origin("bundle", name, inputs, {"source": source, **settings}, 0, CODES["bundle"])


def _write_texts(content: _Content, out: Path) -> dict[str, int]:
    found, joined = content.found, content.joined
    loose = out / WORK
    if joined is not None:
        spread(joined.placed(), len(found.document_ids), loose)
    for number, start in enumerate(range(0, len(found.document_ids), PART_ROWS)):
        known = {row: (title, text) for row, _, title, text in read_loose(loose, number).documents} if joined else {}
        ids = found.document_ids[start : start + PART_ROWS]
        write_table(part_file(out, number), DOCUMENTS, _rows(ids, start, known))
    _write_queries(content, out)
    write_table(out / QRELS, QRELS_SCHEMA, ((*couple, content.grades[couple]) for couple in sorted(content.grades)))
    report: dict[str, object] = {"repairs": content.repairs}
    counts = {
        "documents": len(found.document_ids),
        "queries": len(found.query_ids),
        "judgments": len(content.grades),
    }
    if joined is not None:
        report["without_text"] = joined.without_text
        counts |= joined.without_text
        write_jsonl(out / REJECTS, joined.bad.rows)
    write_text(out / COVERAGE, json.dumps(report, indent=2) + "\n")
    return counts


def _rows(ids: Sequence[str], start: int, known: dict[int, tuple[str, str]]) -> Iterator[DocumentRow]:
    for row, name in enumerate(ids, start):
        title, text = known.get(row, ("", None))
        digest = None if text is None else text_hash(passage(title, text))
        yield DocumentRow(row, name, title, text, "imported", None, digest)


def _write_queries(content: _Content, out: Path) -> None:
    positives: dict[str, set[str]] = {}
    for (query, document), grade in content.grades.items():
        if grade >= 1:
            positives.setdefault(query, set()).add(document)
    there = set(content.found.document_ids)
    texts = content.joined.queries if content.joined else {}
    rows = (
        (row, name, texts.get(name), state_of(positives.get(name, set()), there))
        for row, name in enumerate(content.found.query_ids)
    )
    write_table(out / QUERIES, QUERIES_SCHEMA, rows)


def _write_vectors(content: _Content, out: Path, texts: Artifact, metric: Similarity) -> None:
    found, inputs = content.found, texts.manifest.inputs
    fingerprint = sha256_text("imported", found.model, inputs[msmarco.PASSAGES], inputs[msmarco.QUERIES], metric)
    folder = out / VECTORS / folder_name(fingerprint)
    reopen(folder)
    start = time.monotonic()
    for name, matrix in ((DOCUMENTS_FILE, found.documents), (QUERIES_FILE, found.queries)):
        write_matrix(folder / name, _blocks(matrix), *matrix.shape)
    record = {"model": found.model, "fingerprint": fingerprint, "similarity": metric, "dimensions": matrix.shape[1]}
    write_text(folder / ENCODER_FILE, json.dumps({**record, "dtype": "float32", "imported": True}, indent=2) + "\n")
    write_text(folder / TRUNCATION_FILE, "{}\n")
    settings = {"encoder": fingerprint, "similarity": metric}
    origin = Origin("vectors", found.model, {"texts": texts.manifest.content}, settings, 0, CODES["vectors"])
    counts = {"documents": len(found.documents), "queries": len(found.queries), **content.zeros}
    finish(folder, origin, counts, {}, time.monotonic() - start)


def _blocks(matrix: Matrix) -> Iterator[Matrix]:
    return (np.asarray(matrix[start : start + _BLOCK]) for start in range(0, len(matrix), _BLOCK))
