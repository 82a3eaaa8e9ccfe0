"""Reading the seven files of the MS MARCO subset methodology: all is checked, and the padding is taken out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.store.files import sha256_of
from constraintsuite.vectors.layouts import msmarco
from constraintsuite.vectors.layouts.base import METADATA
from constraintsuite.vectors.matrices import Matrix, map_matrix

_KNOWN = (
    msmarco.PASSAGES,
    msmarco.PASSAGE_IDS,
    msmarco.QUERIES,
    msmarco.QUERY_IDS,
    msmarco.TRUTH,
    msmarco.TRUTH_IDS,
    METADATA,
)


@dataclass(frozen=True)
class MsMarcoFolder:
    """What such a folder holds, checked; the matrices stay on disk."""

    documents: Matrix
    queries: Matrix
    document_ids: list[str]
    query_ids: list[str]
    positives: list[list[int]]
    """Rows of each query's positives, without repetition."""
    model: str
    licence: str
    """Of the texts; empty where it is not known."""
    population: int | None
    """Documents of which these are a subset, where the folder says so."""
    repairs: tuple[str, ...]


def read_folder(folder: Path) -> MsMarcoFolder:
    """Map and check the files; what cannot be right is a UserError."""
    needed = (msmarco.PASSAGES, msmarco.PASSAGE_IDS, msmarco.QUERIES, msmarco.QUERY_IDS)
    missing = [name for name in needed if not (folder / name).is_file()]
    if missing:
        raise UserError(f"{folder}: there is no {missing[0]}. A folder of the methodology holds {', '.join(needed)}.")
    documents, queries = map_matrix(folder / msmarco.PASSAGES), map_matrix(folder / msmarco.QUERIES)
    if documents.shape[1] != queries.shape[1]:
        raise UserError(f"{folder}: passages have {documents.shape[1]} dimensions, queries {queries.shape[1]}.")
    document_ids = _ids(folder / msmarco.PASSAGE_IDS, len(documents))
    query_ids = _ids(folder / msmarco.QUERY_IDS, len(queries))
    positives, repairs = _positives(folder, document_ids, query_ids)
    facts = _json(folder / METADATA)
    model, licence = str(facts.get("model_name", "unknown")), str(facts.get("licence") or "")
    said = facts.get("population")
    population = said if isinstance(said, int) and said >= len(documents) else None
    return MsMarcoFolder(
        documents, queries, document_ids, query_ids, positives, model, licence, population, tuple(repairs)
    )


def hash_folder(folder: Path) -> dict[str, str]:
    """The hash of each of the files that is there."""
    return {name: sha256_of(folder / name) for name in sorted(_KNOWN) if (folder / name).is_file()}


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
