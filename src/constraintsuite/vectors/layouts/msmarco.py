"""The seven files of the MS MARCO subset methodology: arrays, ids, a padded ground truth and its unpadded twin."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.store.files import atomic_writer, write_text
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.layouts.base import METADATA, origin_of
from constraintsuite.vectors.matrices import blocks_of, write_matrix
from constraintsuite.vectors.relevance import relevance_rows
from constraintsuite.vectors.vectorset import VectorSet, open_vectors

PASSAGES, PASSAGE_IDS = "passage_embeddings.npy", "passage_ids.npy"
QUERIES, QUERY_IDS = "query_embeddings.npy", "query_ids.npy"
TRUTH, TRUTH_IDS = "ground_truth.npy", "ground_truth_doc_ids.json"
WIDTH = 200
"""Of the ground truth, as the document has it."""
_LONGEST_ID = 256  # an array of strings gives every id the room of the longest, four bytes a character


def export_msmarco(bundle: Bundle, out: Path, encoder: str | None) -> list[str]:
    """The form has room for queries with a positive only, and for the first 200 positives of each."""
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
    write_text(out / TRUTH_IDS, json.dumps(named, indent=2, ensure_ascii=False) + "\n")
    write_text(out / METADATA, json.dumps(_metadata(bundle, vectors, len(kept)), indent=2, ensure_ascii=False) + "\n")
    return list(_losses(bundle, positives))


def _refuse(name: str) -> None:
    if name.endswith("\0"):
        raise UserError(f"The id {name!r} ends in NUL, which arrays of strings lose. Choose another layout.")
    if len(name) > _LONGEST_ID:
        raise UserError(
            f"The id {name[:20]!r}… has {len(name):,} characters. In an array of strings every id takes the room of the "
            f"longest, and more than {_LONGEST_ID} are not written. Choose another layout."
        )


def _positives(bundle: Bundle) -> dict[int, list[int]]:
    """Rows of the positives of each query that are in the subset, in the order of the corpus."""
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
        yield f"{dropped:,} queries without a positive in the subset have no place in this layout"
    cut = sum(len(rows) > WIDTH for rows in positives.values())
    if cut:
        yield f"{cut:,} queries have more than {WIDTH} positives; {TRUTH} holds the first, {TRUTH_IDS} all"
    yield f"{TRUTH} repeats the last positive up to {WIDTH} columns: count sets, never entries"
    yield "texts and grades have no place in this layout"
