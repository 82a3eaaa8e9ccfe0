"""The data of a benchmark: vectors, queries, exact neighbours and judgments; and exact scores."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.models.dense import SIMILARITIES
from constraintsuite.models.retrieval.topk import FloatArray, Neighbours, top_k
from constraintsuite.vectors.matrices import BLOCK_ROWS, blocks_of, check_lengths

VectorMetric = Literal["cosine", "dot", "euclidean"]
Vectors = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]
Relevance = Mapping[int, Mapping[int, int]]
"""Grade by query and base row, from people's judgments; queries without judgments are left out."""
SearchFunction = Callable[[Vectors, int], IntArray]
"""Takes queries and k, and gives the rows found."""
MISSING = -1
"""Fills an answer with fewer rows than k; a row is never repeated to fill it."""


@dataclass(frozen=True)
class BenchmarkVectors:
    """Base vectors, queries, and the right answers that are known."""

    name: str
    base: Vectors  # (rows, dimensions), mapped from a file where there is one
    queries: Vectors  # (queries, dimensions)
    metric: VectorMetric
    neighbours: IntArray | None = None
    """Rows of the exact neighbours that came with the data."""
    relevance: Relevance | None = None
    min_relevance: int = 1
    """The lowest relevant grade, for binary measures."""
    notes: tuple[str, ...] = ()
    """Notes on what was repaired or left out."""
    kept_queries: IntArray | None = None
    """If queries were left out: the rows of the others in the source."""
    overlap: int = 0
    """Queries that equal a base vector."""
    bundle: str | None = None
    """Id of the bundle, if the data are of one."""
    population: int | None = None
    """Documents in the collection that the bundle was drawn from, if known."""

    @property
    def query_rows(self) -> IntArray:
        """The row of each query in the source."""
        return np.arange(len(self.queries)) if self.kept_queries is None else self.kept_queries


def require_usable(data: BenchmarkVectors) -> BenchmarkVectors:
    """Return the data, or raise a UserError that says why they cannot be used."""
    base, queries = data.base, data.queries
    if base.ndim != 2 or queries.ndim != 2 or not base.size or not queries.size:
        raise UserError(
            f"{data.name}: base vectors of shape {base.shape} and queries of shape {queries.shape}; both must be tables "
            "with at least one row."
        )
    if base.shape[1] != queries.shape[1]:
        raise UserError(
            f"{data.name}: base vectors have {base.shape[1]} dimensions, queries {queries.shape[1]}. They must come "
            "from the same encoder."
        )
    for kind, vectors in (("base vector", base), ("query", queries)):
        lengths = check_lengths(vectors, None)
        if lengths.fault:
            raise UserError(f"{data.name}: {kind} {lengths.row} {lengths.fault}. Encode that text again.")
    if data.neighbours is not None:
        _check_neighbours(data.name, data.neighbours, len(queries), len(base))
    return data


def refuse_few_rows(data: BenchmarkVectors, k: int) -> None:
    """Raise a UserError if there are fewer rows than k."""
    if k > len(data.base):
        raise UserError(
            f"{data.name}: k is {k}, but there are {len(data.base):,} base vectors. Ask for fewer neighbours."
        )


def limit_vectors(data: BenchmarkVectors, rows: int | None, queries: int | None) -> BenchmarkVectors:
    """Keep the first rows and queries; with fewer rows, the neighbours that came with the data are dropped."""
    if rows is not None and rows < len(data.base):
        kept = {query: {r: g for r, g in of.items() if r < rows} for query, of in (data.relevance or {}).items()}
        relevance = None if data.relevance is None else {query: of for query, of in kept.items() if of}
        notes = [*data.notes, f"only the first {rows:,} of {len(data.base):,} base vectors"]
        lost = _relevant(data.relevance, data.min_relevance) - _relevant(relevance, data.min_relevance)
        if lost:
            notes.append(
                f"{lost:,} judgments of relevant rows are beyond the limit; a bundle with its positives first loses none"
            )
        data = replace(data, base=data.base[:rows], neighbours=None, relevance=relevance, notes=tuple(notes))
    if queries is not None and queries < len(data.queries):
        note = f"only the first {queries:,} of {len(data.queries):,} queries"
        data = replace(select_queries(data, np.arange(queries)), notes=(*data.notes, note))
    return data


def select_queries(data: BenchmarkVectors, kept: IntArray) -> BenchmarkVectors:
    """Keep these queries, in this order; `kept_queries` has their rows in the source."""
    near, judged = data.neighbours, data.relevance
    return replace(
        data,
        queries=data.queries[kept],
        neighbours=None if near is None else near[kept],
        relevance=None if judged is None else {i: judged[q] for i, q in enumerate(kept.tolist()) if q in judged},
        kept_queries=data.query_rows[kept],
    )


def tuning_half(queries: Vectors) -> npt.NDArray[np.bool_]:
    """The queries on which settings are chosen: about half, by hash of the vector, whatever their order."""
    digests = (hashlib.blake2b(query.tobytes(), digest_size=8).digest() for query in queries)
    return np.array([digest[0] & 1 == 0 for digest in digests], dtype=np.bool_)


def hash_vectors(data: BenchmarkVectors) -> str:
    """A hash of the vectors, the metric and the judgments, which identifies the data."""
    digest = hashlib.sha256()
    for part in (data.base, data.queries):
        digest.update(repr(part.shape).encode())
        for block in blocks_of(part):
            digest.update(np.ascontiguousarray(block, dtype=np.float32).tobytes())
    judged = sorted((query, sorted(of.items())) for query, of in (data.relevance or {}).items())
    kept = None if data.kept_queries is None else data.kept_queries.tolist()
    least = "" if data.min_relevance == 1 else f" from {data.min_relevance}"
    digest.update(f"{data.metric} {judged}{'' if kept is None else kept}{least}".encode())
    return digest.hexdigest()


def _relevant(relevance: Relevance | None, least: int) -> int:
    return sum(grade >= least for of in (relevance or {}).values() for grade in of.values())


def _check_neighbours(name: str, rows: IntArray, queries: int, base: int) -> None:
    """Refuse neighbours that do not fit the data, or are padded or repeated: every recall would be wrong."""
    if len(rows) != queries:
        raise UserError(f"{name}: neighbours of {len(rows)} queries, but there are {queries} queries.")
    if rows.size and (rows.min() < 0 or rows.max() >= base):
        raise UserError(
            f"{name}: neighbours name rows {rows.min()} to {rows.max()}, but there are rows 0 to {base - 1}. "
            "Are they of the same base vectors?"
        )
    ordered = np.sort(rows, axis=1)
    repeated = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if repeated.any():
        raise UserError(
            f"{name}: the neighbours of query {int(np.argmax(repeated))} name a row twice; padding is not ground truth. "
            "Leave the neighbours out, then they are computed."
        )


def blocks(vectors: Vectors, *, unit: bool = False) -> Iterator[tuple[int, Vectors]]:
    """Blocks of rows with the number of their first row, as contiguous floats, of length 1 if `unit`."""
    for number, part in enumerate(blocks_of(vectors)):
        block = np.ascontiguousarray(part, dtype=np.float32)
        yield number * BLOCK_ROWS, normalise_rows(block) if unit else block


def normalise_rows(vectors: Vectors) -> Vectors:
    """Scale each row to length 1; a zero vector stays zero."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    unit: Vectors = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit


def pad_rows(rows: IntArray, k: int) -> IntArray:
    """Fill the rows with -1 up to `k` columns."""
    if rows.shape[1] == k:
        return rows
    wide = np.full((len(rows), k), MISSING, dtype=np.int64)
    wide[:, : rows.shape[1]] = rows
    return wide


TESTED_QUERIES = 100
"""Queries on which neighbours that came with the data are tested."""
_SAME = 1e-5  # relative; files hold distances in single precision, some of them squared


def exact_neighbours(data: BenchmarkVectors, depth: int) -> Neighbours:
    """The `depth` nearest rows of each query with scores in double precision, best first."""
    depth = min(depth, len(data.base))
    given = data.neighbours
    if given is None or given.shape[1] < depth:
        return top_k(data.queries, data.base, depth, data.metric)
    rows = given[:, :depth]
    scores = scores_of(data.queries, data.base, rows, data.metric)
    order = np.argsort(-scores, axis=1, kind="stable")  # a file may have equal distances in any order
    found = Neighbours(np.take_along_axis(rows, order, axis=1), np.take_along_axis(scores, order, axis=1))
    _test_neighbours(data, found)
    return found


def scores_of(queries: Vectors, base: Vectors, rows: IntArray, metric: VectorMetric) -> FloatArray:
    """The score of each row in double precision; minus infinity for -1."""
    compare = SIMILARITIES[metric]
    scores = np.full(rows.shape, -np.inf)
    for i, query in enumerate(queries.astype(np.float64)):
        named = rows[i] >= 0
        if named.any():
            scores[i, named] = compare(query[np.newaxis], np.asarray(base[rows[i, named]], dtype=np.float64))
    return scores


def _test_neighbours(data: BenchmarkVectors, given: Neighbours) -> None:
    """Compare the scores of some queries with an exact search; rows may differ if scores are equal."""
    step = max(1, len(data.queries) // TESTED_QUERIES)
    tested = np.arange(0, len(data.queries), step)[:TESTED_QUERIES]
    true = top_k(data.queries[tested], data.base, given.rows.shape[1], data.metric)
    wrong = ~np.isclose(given.scores[tested], true.scores, rtol=_SAME, atol=_SAME).all(axis=1)
    if wrong.any():
        raise UserError(
            f"{data.name}: the neighbours that came with the data are not the nearest under {data.metric}: of "
            f"{len(tested)} queries that were searched again, {int(wrong.sum())} have others (the first is query "
            f"{int(tested[np.argmax(wrong)])}). Name the metric they were made with, or leave them out."
        )


def reranked(search: SearchFunction, data: BenchmarkVectors, times: int) -> SearchFunction:
    """A search that asks for `times` k rows and returns the best k by their exact scores; 1 is the search itself."""
    if times == 1:
        return search

    def both(queries: Vectors, k: int) -> IntArray:
        rows = search(queries, min(times * k, len(data.base)))
        scores = scores_of(queries, data.base, rows, data.metric)
        order = np.lexsort((rows, -scores), axis=1)[:, :k]  # equal scores in the order of rows
        best = np.take_along_axis(rows, order, axis=1)
        return pad_rows(np.where(best >= 0, best, MISSING), k)

    return both
