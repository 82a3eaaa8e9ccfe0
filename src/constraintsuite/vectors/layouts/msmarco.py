"""The seven files of the MS MARCO subset methodology: vectors, ids, a padded ground truth and the same without padding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import atomic_writer, sha256_of
from constraintsuite.core.store.jsonl import read_json, write_json
from constraintsuite.vectors.bundle import Bundle, VectorSet, open_vectors
from constraintsuite.vectors.layouts.base import METADATA, origin_of
from constraintsuite.vectors.matrices import Matrix, blocks_of, map_array, map_matrix, write_matrix
from constraintsuite.vectors.relevance import relevance_rows

PASSAGES, PASSAGE_IDS = "passage_embeddings.npy", "passage_ids.npy"
QUERIES, QUERY_IDS = "query_embeddings.npy", "query_ids.npy"
TRUTH, TRUTH_IDS = "ground_truth.npy", "ground_truth_doc_ids.json"
WIDTH = 200
"""Columns of the ground truth, as the methodology prescribes."""
_FILES = (PASSAGES, PASSAGE_IDS, QUERIES, QUERY_IDS, TRUTH, TRUTH_IDS, METADATA)
_LONGEST_ID = 256  # an array of strings reserves the length of the longest id for each, four bytes per character


def export_msmarco(bundle: Bundle, out: Path, encoder: str | None) -> list[str]:
    """Write the seven files. They only have queries with a positive, and the first 200 positives of each."""
    vectors = open_vectors(bundle, encoder)
    positives = _positives(bundle)
    if not positives:
        raise UserError(f"{bundle.path}: no query has a positive document here, and this layout needs one.")
    kept = sorted(positives)
    ids = list(bundle.ids())
    for name in [*ids, *(bundle.queries[row].id for row in kept)]:
        _refuse(name)
    write_matrix(out / PASSAGES, blocks_of(vectors.documents), *vectors.documents.shape)
    write_matrix(out / QUERIES, [np.asarray(vectors.queries[kept])], len(kept), vectors.queries.shape[1])
    _save(out / PASSAGE_IDS, np.array(ids, dtype=np.str_))
    _save(out / QUERY_IDS, np.array([bundle.queries[row].id for row in kept], dtype=np.str_))
    _save(out / TRUTH, np.array([_padded(positives[row]) for row in kept], dtype=np.int32))
    named = {bundle.queries[row].id: [ids[place] for place in positives[row]] for row in kept}
    write_json(out / TRUTH_IDS, named)
    write_json(out / METADATA, _metadata(bundle, vectors, len(kept)))
    return list(_losses(bundle, positives))


def _refuse(name: str) -> None:
    if name.endswith("\0"):
        raise UserError(f"The id {name!r} ends in NUL, which arrays of strings lose. Choose another layout.")
    if len(name) > _LONGEST_ID:
        raise UserError(
            f"The id {name[:20]!r}… has {len(name):,} characters, more than {_LONGEST_ID}: an array of strings reserves the "
            "length of the longest id for each. Choose another layout."
        )


def _positives(bundle: Bundle) -> dict[int, list[int]]:
    """For each query, the rows of its positives in the subset, in the order of the corpus."""
    least = bundle.min_relevance
    found: dict[int, list[int]] = {}
    for row in relevance_rows(bundle):
        if row.relevance >= least and row.doc_row is not None:
            found.setdefault(row.query_row, []).append(row.doc_row)
    return {query: sorted(rows) for query, rows in found.items()}


def _padded(rows: Sequence[int]) -> list[int]:
    cut = list(rows[:WIDTH])
    return cut + [cut[-1]] * (WIDTH - len(cut))


def _save(path: Path, array: np.ndarray) -> None:
    with atomic_writer(path) as file:
        np.lib.format.write_array(file, array, allow_pickle=False)


def _metadata(bundle: Bundle, vectors: VectorSet, kept: int) -> dict[str, object]:
    settings = bundle.texts.manifest.settings
    return {
        "passage_count": bundle.documents,
        "query_count": kept,
        "embedding_dim": int(vectors.documents.shape[1]),
        "model_name": vectors.model,
        "ground_truth_k": WIDTH,
        "dropped_queries": len(bundle.queries) - kept,
        "seed": settings.get("seed"),
        "sampling": settings.get("mode"),
        "population": bundle.texts.manifest.counts.get("population"),
        **origin_of(bundle),
    }


def _losses(bundle: Bundle, positives: dict[int, list[int]]) -> Iterator[str]:
    dropped = len(bundle.queries) - len(positives)
    if dropped:
        yield f"{dropped:,} queries without a positive in the subset are left out by this layout"
    cut = sum(len(rows) > WIDTH for rows in positives.values())
    if cut:
        yield f"{cut:,} queries have more than {WIDTH} positives; {TRUTH} holds the first, {TRUTH_IDS} all"
    yield f"{TRUTH} repeats the last positive up to {WIDTH} columns: count sets, never entries"
    yield "this layout has no texts and no grades"


@dataclass(frozen=True)
class MsMarcoFolder:
    """The checked content of such a folder; the matrices are mapped from disk."""

    documents: Matrix
    queries: Matrix
    document_ids: list[str]
    query_ids: list[str]
    positives: list[list[int]]
    """For each query the rows of its positives, without repetition."""
    model: str
    licence: str
    """Licence of the texts; empty if not known."""
    population: int | None
    """Documents in the complete collection, if the folder says so."""
    repairs: tuple[str, ...]


def read_folder(folder: Path) -> MsMarcoFolder:
    """Map and check the files. Raises UserError for any fault."""
    needed = _FILES[:4]
    missing = [name for name in needed if not (folder / name).is_file()]
    if missing:
        raise UserError(f"{folder}: there is no {missing[0]}. A folder of the methodology holds {', '.join(needed)}.")
    documents, queries = map_matrix(folder / PASSAGES), map_matrix(folder / QUERIES)
    if documents.shape[1] != queries.shape[1]:
        raise UserError(f"{folder}: passages have {documents.shape[1]} dimensions, queries {queries.shape[1]}.")
    document_ids = _ids(folder / PASSAGE_IDS, len(documents))
    query_ids = _ids(folder / QUERY_IDS, len(queries))
    positives, repairs = _read_positives(folder, document_ids, query_ids)
    facts = _read_object(folder / METADATA)
    model, licence = str(facts.get("model_name", "unknown")), str(facts.get("licence") or "")
    stated = facts.get("population")
    population = stated if isinstance(stated, int) and stated >= len(documents) else None
    return MsMarcoFolder(
        documents, queries, document_ids, query_ids, positives, model, licence, population, tuple(repairs)
    )


def hash_folder(folder: Path) -> dict[str, str]:
    """The hash of each of the files that exist."""
    return {name: sha256_of(folder / name) for name in sorted(_FILES) if (folder / name).is_file()}


def _ids(path: Path, rows: int) -> list[str]:
    array = map_array(path)
    if array.shape != (rows,):
        raise UserError(f"{path}: {array.shape} ids for {rows:,} vectors.")
    ids = [str(name) for name in array.tolist()]
    if len(set(ids)) < rows:
        name = Counter(ids).most_common(1)[0][0]
        raise UserError(f"{path}: the id {name!r} occurs twice. Ids must be unique: remove one of its vectors.")
    return ids


def _read_positives(
    folder: Path, documents: Sequence[str], queries: Sequence[str]
) -> tuple[list[list[int]], list[str]]:
    """For each query the distinct rows of the matrix, and those that only the file of ids names; with the repairs."""
    repairs: list[str] = []
    found: list[list[int]] = [[] for _ in queries]
    if (folder / TRUTH).is_file():
        matrix = _truth(folder / TRUTH, len(queries), len(documents))
        found = [list(dict.fromkeys(row)) for row in matrix.tolist()]
        padded = sum(len(rows) < matrix.shape[1] for rows in found)
        entries = matrix.size - sum(map(len, found))
        if entries:
            repairs.append(
                f"{TRUTH}: {entries:,} repeated entries in {padded:,} of {len(found):,} rows taken out (padding)"
            )
    if (folder / TRUTH_IDS).is_file():
        added = _add_named(_read_object(folder / TRUTH_IDS), found, documents, queries)
        if added and (folder / TRUTH).is_file():
            repairs.append(f"{added:,} positives that only {TRUTH_IDS} names were added: the matrix had been cut")
    if not any(found):
        repairs.append(
            "there is no ground truth from judgments; `csuite bundle truth --knn` finds neighbours, which are another truth"
        )
    return found, repairs


def _truth(path: Path, queries: int, documents: int) -> npt.NDArray[np.int64]:
    matrix = map_array(path)
    if matrix.ndim != 2 or len(matrix) != queries or matrix.dtype.kind not in "iu":
        raise UserError(f"{path}: expected integers, a row for each of {queries:,} queries; found {matrix.shape}.")
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
                raise UserError(
                    f"{TRUTH_IDS}: query {query!r} names the passage {name!r}, which the folder does not have."
                )
            if row not in rows:
                rows.append(row)
                added += 1
    return added


def _read_object(path: Path) -> dict[str, object]:
    return read_json(path, dict) if path.is_file() else {}
