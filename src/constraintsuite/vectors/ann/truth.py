"""Exact neighbours of a set, computed or taken from a file whose claim was tested; and candidates compared again in full."""

from __future__ import annotations

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.models.dense import SIMILARITIES
from constraintsuite.retrieval.topk import FloatArray, IntArray, Neighbours, top_k
from constraintsuite.vectors.ann.data import BenchmarkVectors, VectorMetric, Vectors
from constraintsuite.vectors.ann.engines.base import MISSING, filled
from constraintsuite.vectors.ann.measuring import SearchFunction

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
        return filled(np.where(best >= 0, best, MISSING), k)

    return both
