"""A folder of the MS MARCO subset methodology as a bundle, its padded truth repaired."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.models.dense import Similarity
from constraintsuite.store.artifact import Artifact, Origin, finish
from constraintsuite.store.files import sha256_of, sha256_text, write_text
from constraintsuite.vectors.bundle import CODES, COVERAGE, PART_ROWS, QRELS, QUERIES, VECTORS, part_file
from constraintsuite.vectors.encoders import folder_name
from constraintsuite.vectors.folder import claimed, open_for_texts, refuse_others, reopen, tidy
from constraintsuite.vectors.layouts import msmarco
from constraintsuite.vectors.matrices import Matrix, map_matrix, write_matrix
from constraintsuite.vectors.relevance import make_relevance
from constraintsuite.vectors.tables import DOCUMENTS, WRITER, DocumentRow, write_table
from constraintsuite.vectors.tables import QRELS as QRELS_SCHEMA
from constraintsuite.vectors.tables import QUERIES as QUERIES_SCHEMA
from constraintsuite.vectors.vectorset import DOCUMENTS_FILE, ENCODER_FILE, QUERIES_FILE, TRUNCATION_FILE

_BLOCK = 16_384


@dataclass(frozen=True)
class Found:
    """What such a folder holds, checked; the matrices stay on disk."""

    documents: Matrix
    queries: Matrix
    document_ids: list[str]
    query_ids: list[str]
    positives: list[list[int]]
    """Rows of each query's positives, without repetition."""
    model: str
    repairs: tuple[str, ...]


def import_folder(
    folder: Path, out: Path, metric: Similarity, *, force: bool = False
) -> tuple[Artifact, tuple[str, ...]]:
    """Write the bundle; gives it and what was repaired. All is checked before anything is written."""
    found = read_folder(folder)
    inputs = {file.name: sha256_of(file) for file in sorted(folder.iterdir()) if file.name in _KNOWN}
    settings = {
        "source": {"name": folder.resolve().name, "format": "msmarco-subset"},
        "texts": False,
        "min_relevance": 1,
    }
    origin = Origin(
        "bundle",
        folder.resolve().name,
        inputs,
        {**settings, "part_rows": PART_ROWS, "writer": WRITER},
        0,
        CODES["bundle"],
    )
    with claimed(out) as manifest:
        if manifest is not None and manifest.fingerprint == origin.fingerprint:
            texts = Artifact(out, manifest)
        else:
            refuse_others(out, manifest, force=force)
            open_for_texts(out)
            start = time.monotonic()
            texts = finish(out, origin, _write_texts(found, out), {}, time.monotonic() - start)
            tidy(out, texts.manifest.content)
        _write_vectors(found, out, texts, metric)
    make_relevance(out)
    return texts, found.repairs


def read_folder(folder: Path) -> Found:
    """Map and check the files; what cannot be right is a UserError."""
    documents, queries = map_matrix(folder / msmarco.PASSAGES), map_matrix(folder / msmarco.QUERIES)
    if documents.shape[1] != queries.shape[1]:
        raise UserError(f"{folder}: passages have {documents.shape[1]} dimensions, queries {queries.shape[1]}.")
    document_ids = _ids(folder / msmarco.PASSAGE_IDS, len(documents))
    query_ids = _ids(folder / msmarco.QUERY_IDS, len(queries))
    positives, repairs = _positives(folder, document_ids, query_ids)
    model = str(_json(folder / msmarco.METADATA).get("model_name", "unknown"))
    return Found(documents, queries, document_ids, query_ids, positives, model, tuple(repairs))


def _ids(path: Path, rows: int) -> list[str]:
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: the ids cannot be read ({error}).") from None
    if array.shape != (rows,):
        raise UserError(f"{path}: {array.shape} ids for {rows:,} vectors.")
    ids = [str(name) for name in array.tolist()]
    if len(set(ids)) < rows:
        seen: set[str] = set()
        twice = next(name for name in ids if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise UserError(f"{path}: the id {twice!r} stands there twice, so that its vectors cannot be told apart.")
    return ids


def _positives(folder: Path, documents: Sequence[str], queries: Sequence[str]) -> tuple[list[list[int]], list[str]]:
    """Of each query the distinct rows of the matrix, and those that only the file of ids names."""
    repairs: list[str] = []
    found: list[list[int]] = [[] for _ in queries]
    if (folder / msmarco.TRUTH).is_file():
        matrix = _truth(folder / msmarco.TRUTH, len(queries), len(documents))
        found = [list(dict.fromkeys(row)) for row in matrix.tolist()]
        padded = sum(len(rows) < matrix.shape[1] for rows in found)
        entries = matrix.size - sum(map(len, found))
        if entries:
            repairs.append(
                f"{msmarco.TRUTH}: {entries:,} repeated entries in {padded:,} of {len(found):,} rows taken out (padding)"
            )
    if (folder / msmarco.TRUTH_IDS).is_file():
        added = _add_named(_json(folder / msmarco.TRUTH_IDS), found, documents, queries)
        if added and (folder / msmarco.TRUTH).is_file():
            repairs.append(
                f"{added:,} positives that only {msmarco.TRUTH_IDS} names were added: the matrix had been cut"
            )
    if not any(found):
        repairs.append(
            "there is no ground truth from judgments; `csuite truth --knn` finds neighbours, which are another truth"
        )
    return found, repairs


def _truth(path: Path, queries: int, documents: int) -> npt.NDArray[np.int64]:
    try:
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: the ground truth cannot be read ({error}).") from None
    if matrix.ndim != 2 or len(matrix) != queries or matrix.dtype.kind not in "iu":
        raise UserError(f"{path}: expected whole numbers, a row for each of {queries:,} queries; found {matrix.shape}.")
    if matrix.size and (int(matrix.min()) < 0 or int(matrix.max()) >= documents):
        row = int(np.flatnonzero(((matrix < 0) | (matrix >= documents)).any(axis=1))[0])
        raise UserError(f"{path}: row {row} names a passage outside 0 to {documents - 1:,}.")
    rows: npt.NDArray[np.int64] = matrix.astype(np.int64)
    return rows


def _add_named(
    named: dict[str, object], found: list[list[int]], documents: Sequence[str], queries: Sequence[str]
) -> int:
    places = {name: row for row, name in enumerate(documents)}
    added = 0
    for rows, query in zip(found, queries, strict=True):
        listed = named.get(query, [])
        for name in listed if isinstance(listed, list) else []:
            row = places.get(str(name))
            if row is None:
                raise UserError(f"{msmarco.TRUTH_IDS}: query {query!r} names the passage {name!r}, which is not there.")
            if row not in rows:
                rows.append(row)
                added += 1
    return added


def _json(path: Path) -> dict[str, object]:
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_bytes())
    except ValueError as error:
        raise UserError(f"{path}: this is not JSON ({error}).") from None
    if not isinstance(content, dict):
        raise UserError(f"{path}: expected an object.")
    return content


def _write_texts(found: Found, out: Path) -> dict[str, int]:
    for number, start in enumerate(range(0, len(found.document_ids), PART_ROWS)):
        write_table(part_file(out, number), DOCUMENTS, _rows(found.document_ids[start : start + PART_ROWS], start))
    states = ["full" if rows else "unjudged" for rows in found.positives]
    queries = zip(found.query_ids, states, strict=True)
    write_table(out / QUERIES, QUERIES_SCHEMA, ((row, name, None, state) for row, (name, state) in enumerate(queries)))
    judged = sorted(
        (query, found.document_ids[row], 1)
        for query, rows in zip(found.query_ids, found.positives, strict=True)
        for row in rows
    )
    write_table(out / QRELS, QRELS_SCHEMA, judged)
    write_text(out / COVERAGE, json.dumps({"repairs": found.repairs}, indent=2) + "\n")
    return {"documents": len(found.document_ids), "queries": len(found.query_ids), "judgments": len(judged)}


def _rows(ids: Sequence[str], start: int) -> Iterator[DocumentRow]:
    return (DocumentRow(start + i, name, "", None, "imported", None, None) for i, name in enumerate(ids))


def _write_vectors(found: Found, out: Path, texts: Artifact, metric: Similarity) -> None:
    inputs = texts.manifest.inputs
    fingerprint = sha256_text("imported", found.model, inputs[msmarco.PASSAGES], inputs[msmarco.QUERIES], metric)
    folder = out / VECTORS / folder_name(fingerprint)
    reopen(folder)
    start = time.monotonic()
    for name, matrix in ((DOCUMENTS_FILE, found.documents), (QUERIES_FILE, found.queries)):
        blocks = (np.asarray(matrix[at : at + _BLOCK]) for at in range(0, len(matrix), _BLOCK))
        write_matrix(folder / name, blocks, *matrix.shape)
    record = {"model": found.model, "fingerprint": fingerprint, "similarity": metric, "dimensions": matrix.shape[1]}
    write_text(folder / ENCODER_FILE, json.dumps({**record, "dtype": "float32", "imported": True}, indent=2) + "\n")
    write_text(folder / TRUNCATION_FILE, "{}\n")
    settings = {"encoder": fingerprint, "similarity": metric}
    origin = Origin("vectors", found.model, {"texts": texts.manifest.content}, settings, 0, CODES["vectors"])
    counts = {"documents": len(found.documents), "queries": len(found.queries)}
    finish(folder, origin, counts, {}, time.monotonic() - start)


_KNOWN = frozenset(
    (
        msmarco.PASSAGES,
        msmarco.PASSAGE_IDS,
        msmarco.QUERIES,
        msmarco.QUERY_IDS,
        msmarco.TRUTH,
        msmarco.TRUTH_IDS,
        msmarco.METADATA,
    )
)
