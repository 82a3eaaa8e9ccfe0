"""What a benchmark searches: vectors, queries, and two truths that are never mixed; and comparing vectors exactly."""

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
from constraintsuite.vectors.matrices import BLOCK_ROWS, blocks_of

VectorMetric = Literal["cosine", "dot", "euclidean"]
Vectors = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]
Relevance = Mapping[int, Mapping[int, int]]
"""Grade by query and base row, from people's judgments; a query without any is not there."""
SearchFunction = Callable[[Vectors, int], IntArray]
"""From queries and k to the rows that are found."""
MISSING = -1
"""Stands where an engine found fewer rows than it was asked for; a row is never repeated to fill a place."""


@dataclass(frozen=True)
class BenchmarkVectors:
    """Base vectors, queries, and what is known of right answers; checked before anything is measured."""

    name: str
    base: Vectors  # (rows, dimensions), mapped from a file where there is one
    queries: Vectors  # (queries, dimensions)
    metric: VectorMetric
    neighbours: IntArray | None = None
    """Rows of the exact neighbours that came with the data, if any did."""
    relevance: Relevance | None = None
    min_relevance: int = 1
    """The lowest grade that is relevant, for measures that know only yes and no."""
    notes: tuple[str, ...] = ()
    """What the reader repaired or left out."""
    kept_queries: IntArray | None = None
    """Where queries were left out: which of the source's these are."""
    overlap: int = 0
    """Queries that equal a base vector."""
    bundle: str | None = None
    """The id of the bundle it is of."""
    population: int | None = None
    """Documents of the collection that the bundle was chosen from, where it is known."""

    @property
    def query_rows(self) -> IntArray:
        """Which query of its source each query is."""
        return np.arange(len(self.queries)) if self.kept_queries is None else self.kept_queries


def require_usable(data: BenchmarkVectors) -> BenchmarkVectors:
    """The same data, or a UserError that says why nothing can be measured on it."""
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
    _refuse_not_finite(data.name, "base vector", base)
    _refuse_not_finite(data.name, "query", queries)
    if data.neighbours is not None:
        _check_neighbours(data.name, data.neighbours, len(queries), len(base))
    return data


def refuse_few_rows(data: BenchmarkVectors, k: int) -> None:
    """A recall at more places than there are rows would be of a smaller k than it says."""
    if k > len(data.base):
        raise UserError(
            f"{data.name}: k is {k}, but there are {len(data.base):,} base vectors. Ask for fewer neighbours."
        )


def limit_vectors(data: BenchmarkVectors, rows: int | None, queries: int | None) -> BenchmarkVectors:
    """The first rows and queries; with fewer rows the neighbours that came with the data are no longer true."""
    if rows is not None and rows < len(data.base):
        kept = {query: {r: g for r, g in of.items() if r < rows} for query, of in (data.relevance or {}).items()}
        relevance = None if data.relevance is None else {query: of for query, of in kept.items() if of}
        notes = [*data.notes, f"only the first {rows:,} of {len(data.base):,} base vectors"]
        lost = _relevant(data.relevance, data.min_relevance) - _relevant(relevance, data.min_relevance)
        if lost:
            notes.append(
                f"{lost:,} judgments of relevant rows lie behind the limit; a bundle with its positives first loses none"
            )
        data = replace(data, base=data.base[:rows], neighbours=None, relevance=relevance, notes=tuple(notes))
    if queries is not None and queries < len(data.queries):
        note = f"only the first {queries:,} of {len(data.queries):,} queries"
        data = replace(select_queries(data, np.arange(queries)), notes=(*data.notes, note))
    return data


def select_queries(data: BenchmarkVectors, kept: IntArray) -> BenchmarkVectors:
    """The set with these of its queries, in this order; they are numbered anew, and remember what they were."""
    near, judged = data.neighbours, data.relevance
    return replace(
        data,
        queries=data.queries[kept],
        neighbours=None if near is None else near[kept],
        relevance=None if judged is None else {i: judged[q] for i, q in enumerate(kept.tolist()) if q in judged},
        kept_queries=data.query_rows[kept],
    )


def tuning_half(queries: Vectors) -> npt.NDArray[np.bool_]:
    """The queries on which parameters are chosen: by hash of the vector, so that order and number change nothing."""
    digests = (hashlib.blake2b(query.tobytes(), digest_size=8).digest() for query in queries)
    return np.array([digest[0] & 1 == 0 for digest in digests], dtype=np.bool_)


def hash_vectors(data: BenchmarkVectors) -> str:
    """Hash of the vectors, the metric and the judgments: figures with the same value are of the same data."""
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


def _refuse_not_finite(name: str, what: str, vectors: Vectors) -> None:
    for number, block in enumerate(blocks_of(vectors)):
        finite = np.isfinite(block).all(axis=1)
        if not finite.all():
            row = number * BLOCK_ROWS + int(np.argmin(finite))
            raise UserError(f"{name}: {what} {row} holds a value that is not a finite number. Encode that text again.")


def _check_neighbours(name: str, rows: IntArray, queries: int, base: int) -> None:
    """Padded and repeated rows would make every recall wrong, so they are refused and not repaired in silence."""
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
            f"{name}: the neighbours of query {int(np.argmax(repeated))} name a row twice; padding is no truth. "
            "Leave the neighbours out, and they are computed."
        )


def blocks(vectors: Vectors, *, unit: bool = False) -> Iterator[tuple[int, Vectors]]:
    """Consecutive rows with the number of the first, as contiguous floats, of length 1 if `unit`."""
    for number, part in enumerate(blocks_of(vectors)):
        block = np.ascontiguousarray(part, dtype=np.float32)
        yield number * BLOCK_ROWS, normalise_rows(block) if unit else block


def normalise_rows(vectors: Vectors) -> Vectors:
    """Each row at length 1; a zero vector stays one, and so has the score 0."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    unit: Vectors = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit


def pad_rows(rows: IntArray, k: int) -> IntArray:
    """The rows with -1 behind them, up to `k` columns; the same array where there are so many."""
    if rows.shape[1] == k:
        return rows
    wide = np.full((len(rows), k), MISSING, dtype=np.int64)
    wide[:, : rows.shape[1]] = rows
    return wide


TESTED_QUERIES = 100
"""Of neighbours that came with the data, as many queries are searched again before the others are believed."""
_SAME = 1e-5  # relative; files hold distances in single precision, some of them squared


def exact_neighbours(data: BenchmarkVectors, depth: int) -> Neighbours:
    """The `depth` nearest rows of each query with their scores in double precision, best first."""
    depth = min(depth, len(data.base))
    given = data.neighbours
    if given is None or given.shape[1] < depth:
        return top_k(data.queries, data.base, depth, data.metric)
    rows = given[:, :depth]
    scores = scores_of(data.queries, data.base, rows, data.metric)
    order = np.argsort(-scores, axis=1, kind="stable")  # of equal distances a file may have any order
    found = Neighbours(np.take_along_axis(rows, order, axis=1), np.take_along_axis(scores, order, axis=1))
    _test_claim(data, found)
    return found


def scores_of(queries: Vectors, base: Vectors, rows: IntArray, metric: VectorMetric) -> FloatArray:
    """The score of each named row, in double precision; of -1, which names none, minus infinity."""
    compare = SIMILARITIES[metric]
    scores = np.full(rows.shape, -np.inf)
    for i, query in enumerate(queries.astype(np.float64)):
        named = rows[i] >= 0
        if named.any():
            scores[i, named] = compare(query[np.newaxis], np.asarray(base[rows[i, named]], dtype=np.float64))
    return scores


def _test_claim(data: BenchmarkVectors, given: Neighbours) -> None:
    """The scores of a sample must be those of a full comparison; rows may differ where scores are equal."""
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
    """A search that asks for `times` k rows and gives the best k of them by their true scores; 1 is the search itself."""
    if times == 1:
        return search

    def both(queries: Vectors, k: int) -> IntArray:
        rows = search(queries, min(times * k, len(data.base)))
        scores = scores_of(queries, data.base, rows, data.metric)
        order = np.lexsort((rows, -scores), axis=1)[:, :k]  # equal scores in the order of rows
        best = np.take_along_axis(rows, order, axis=1)
        return pad_rows(np.where(best >= 0, best, MISSING), k)

    return both
