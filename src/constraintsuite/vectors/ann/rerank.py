"""Candidates of an engine compared again in full."""

from __future__ import annotations

import numpy as np

from constraintsuite.vectors.ann.data import BenchmarkVectors, IntArray, Vectors
from constraintsuite.vectors.ann.engines.base import MISSING, filled
from constraintsuite.vectors.ann.measuring import SearchFunction
from constraintsuite.vectors.ann.truth import scores_of


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
