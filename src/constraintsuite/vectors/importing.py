"""A folder of the MS MARCO subset methodology as a bundle: its padded truth repaired, and texts joined to it by id."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from constraintsuite.corpora.base import SourceSettings
from constraintsuite.corpora.opening import find_format, open_source
from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter, Silent
from constraintsuite.models.dense import Similarity
from constraintsuite.records.text import Qrel
from constraintsuite.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.store.files import sha256_text, write_text
from constraintsuite.store.jsonl import write_jsonl
from constraintsuite.store.revisions import REVISIONS
from constraintsuite.store.workspace import Replace, claim
from constraintsuite.vectors.bundle import (
    COVERAGE,
    MIN_RELEVANCE,
    PART_ROWS,
    QRELS,
    QUERIES,
    REJECTS,
    VECTORS,
    Bundle,
    part_file,
)
from constraintsuite.vectors.coverage import state_of
from constraintsuite.vectors.encoders import folder_name
from constraintsuite.vectors.folder import claim_bundle, locked, remove_other_parts
from constraintsuite.vectors.joining import Grades, Joined, join, judge
from constraintsuite.vectors.judged import positives_of
from constraintsuite.vectors.layouts import msmarco
from constraintsuite.vectors.layouts.msmarco_reading import MsMarcoFolder, hash_folder, read_folder
from constraintsuite.vectors.lengths import check_lengths, zero_count
from constraintsuite.vectors.matrices import blocks_of, write_matrix
from constraintsuite.vectors.parts import read_loose, spread
from constraintsuite.vectors.relevance import make_relevance
from constraintsuite.vectors.tables import (
    DOCUMENT_COLUMNS,
    QREL_COLUMNS,
    QUERY_COLUMNS,
    WRITER,
    DocumentRow,
    passage,
    text_hash,
    write_table,
)
from constraintsuite.vectors.vectorset import DOCUMENTS_FILE, ENCODER_FILE, QUERIES_FILE, TRUNCATION_FILE, VECTOR_FILES


class ImportedBundle(NamedTuple):
    """A bundle that came from elsewhere."""

    texts: Artifact
    repairs: tuple[str, ...]
    """What was wrong in the folder, and put right."""


class Checked(NamedTuple):
    """What a bundle would hold."""

    counts: dict[str, int]
    repairs: tuple[str, ...]


class _Content(NamedTuple):
    """All that goes into the bundle, checked before anything is written."""

    found: MsMarcoFolder
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
) -> ImportedBundle:
    """Write the bundle; gives it and what was repaired. All is checked before anything is written."""
    content = _read(folder, texts, reporter or Silent(), allow_missing=allow_missing)
    origin = _origin(folder, texts, content)
    with claim_bundle(out, origin, reporter or Silent(), force=force) as space:
        again = space.finished is not None
        if not again:
            _write_texts(content, space.empty_new(), space.stages / "loose")
            space.finish(_counts(content), content.joined.bad.counts if content.joined else {})
        assert space.finished is not None
        artifact = space.finished
        if space.is_begun:
            remove_other_parts(Bundle(artifact), unfinished=not again)
    with locked(out):
        _write_vectors(content, out, artifact, metric, reporter or Silent())
    make_relevance(out)
    return ImportedBundle(artifact, content.repairs)


def check_folder(
    folder: Path, *, texts: SourceSettings | None = None, allow_missing: bool = False, reporter: Reporter | None = None
) -> Checked:
    """Read and check all that an import would, and write nothing."""
    content = _read(folder, texts, reporter or Silent(), allow_missing=allow_missing)
    return Checked(_counts(content), content.repairs)


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


def _origin(folder: Path, texts: SourceSettings | None, content: _Content) -> ArtifactOrigin:
    name, inputs = folder.resolve().name, hash_folder(folder)
    source = {"name": name, "format": "msmarco-subset"}
    source |= {"licence": content.found.licence} if content.found.licence else {}
    settings: dict[str, object] = {"texts": False, "min_relevance": MIN_RELEVANCE}
    settings |= {"part_rows": PART_ROWS, "writer": WRITER}
    if content.joined is not None and texts is not None:
        inputs["texts"] = content.joined.source.fingerprint()
        source |= {"licence": content.joined.source.licence or content.found.licence}
        settings |= {"texts": content.joined.complete, "texts_from": content.joined.source.name}
        settings |= {"texts_format": find_format(texts)}
    return ArtifactOrigin("bundle", name, inputs, {"source": source, **settings}, 0, REVISIONS["bundle"])


def _write_texts(content: _Content, out: Path, loose: Path) -> None:
    found, joined = content.found, content.joined
    if joined is not None:
        spread(joined.placed(), len(found.document_ids), loose)
    for number, start in enumerate(range(0, len(found.document_ids), PART_ROWS)):
        known = {row: (title, text) for row, _, title, text in read_loose(loose, number).documents} if joined else {}
        ids = found.document_ids[start : start + PART_ROWS]
        write_table(part_file(out, number), DOCUMENT_COLUMNS, _rows(ids, start, known))
    _write_queries(content, out)
    write_table(out / QRELS, QREL_COLUMNS, ((*couple, content.grades[couple]) for couple in sorted(content.grades)))
    report: dict[str, object] = {"repairs": content.repairs, **_population(content)}
    if joined is not None:
        report["without_text"] = joined.without_text
        write_jsonl(out / REJECTS, joined.bad.rows)
    write_text(out / COVERAGE, json.dumps(report, indent=2) + "\n")


def _population(content: _Content) -> dict[str, int]:
    return {} if content.found.population is None else {"population": content.found.population}


def _counts(content: _Content) -> dict[str, int]:
    return {
        "documents": len(content.found.document_ids),
        **_population(content),
        "queries": len(content.found.query_ids),
        "judgments": len(content.grades),
        **(content.joined.without_text if content.joined else {}),
    }


def _rows(ids: Sequence[str], start: int, known: dict[int, tuple[str, str]]) -> Iterator[DocumentRow]:
    for row, name in enumerate(ids, start):
        title, text = known.get(row, ("", None))
        digest = None if text is None else text_hash(passage(title, text))
        yield DocumentRow(row, name, title, text, "imported", None, digest)


def _write_queries(content: _Content, out: Path) -> None:
    positives = positives_of((Qrel(*couple, grade) for couple, grade in content.grades.items()), MIN_RELEVANCE)
    there = set(content.found.document_ids)
    texts = content.joined.queries if content.joined else {}
    rows = (
        (row, name, texts.get(name), state_of(positives.get(name, frozenset()), there))
        for row, name in enumerate(content.found.query_ids)
    )
    write_table(out / QUERIES, QUERY_COLUMNS, rows)


def _write_vectors(content: _Content, out: Path, texts: Artifact, metric: Similarity, reporter: Reporter) -> None:
    found, inputs = content.found, texts.manifest.inputs
    fingerprint = sha256_text("imported", found.model, inputs[msmarco.PASSAGES], inputs[msmarco.QUERIES], metric)
    settings = {"encoder": fingerprint, "similarity": metric}
    origin = ArtifactOrigin(
        "vectors", found.model, {"texts": texts.manifest.content}, settings, 0, REVISIONS["vectors"]
    )
    folder = out / VECTORS / folder_name(fingerprint)
    with claim(folder, origin, VECTOR_FILES, replace=Replace.SAME_KIND, note=reporter.note) as space:
        if space.finished is not None:
            return
        new = space.empty_new()
        for name, matrix in ((DOCUMENTS_FILE, found.documents), (QUERIES_FILE, found.queries)):
            write_matrix(new / name, blocks_of(matrix), *matrix.shape)
        record = {"model": found.model, "fingerprint": fingerprint, "similarity": metric, "dimensions": matrix.shape[1]}
        write_text(new / ENCODER_FILE, json.dumps({**record, "dtype": "float32", "imported": True}, indent=2) + "\n")
        write_text(new / TRUNCATION_FILE, "{}\n")
        space.finish({"documents": len(found.documents), "queries": len(found.queries), **content.zeros})
