"""A cover tree that is exact: every node knows how far its furthest descendant is, and nothing else decides what is skipped.

After Beygelzimer, Kakade and Langford (2006) in the simplified form of Izbicki and Shelton (2015). The triangle inequality needs a true
distance: cosine becomes the distance of unit vectors, the inner product the distance after one more coordinate makes all base vectors
equally long (Bachrach et al. 2014). Equal vectors share a node; nothing is recursive; there is no limit of depth.
"""

from __future__ import annotations

import heapq
import math
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.models.dense import SIMILARITIES
from constraintsuite.vectors.ann.data import IntArray, Metric, Vectors
from constraintsuite.vectors.ann.engines.base import ALL_METRICS, MISSING, Settings

FloatArray = npt.NDArray[np.float64]
_SLACK = (
    1e-7  # relative; two scores that are equal after rounding can be 1.5e-8 apart as distances, which are square roots
)
_NOTHING = 1e-12  # shorter vectors are zero vectors, as where scores are computed
_LOWEST = -1100  # below the exponent of the least number there is


class CoverTreeBuild(Settings):
    """Nothing to choose."""


class CoverTreeSearch(Settings):
    """Nothing to choose: the answer is exact."""


class CoverTreeEngine:
    """`engine: covertree`."""

    build_settings: ClassVar[type[Settings]] = CoverTreeBuild
    search_settings: ClassVar[type[Settings]] = CoverTreeSearch
    metrics = ALL_METRICS
    library = "numpy"
    exact = True

    def __init__(self, settings: CoverTreeBuild, metric: Metric, threads: int) -> None:
        self._metric: Metric = metric
        self._nodes: list[_Node] = []

    def build(self, vectors: Vectors) -> None:
        """Insert row by row."""
        self._vectors = vectors
        self._points = _as_points(np.asarray(vectors, dtype=np.float64), self._metric)
        self._longest = float(np.linalg.norm(self._points, axis=1).max())
        self._nodes = [_Node(0)]
        for row in range(1, len(vectors)):
            self._insert(row)
        for node in self._nodes:
            node.children = np.array(node.growing, dtype=np.int64)
            node.growing = []
        self._rows = np.array([node.rows[0] for node in self._nodes], dtype=np.int64)
        self._reach = np.array([node.reach for node in self._nodes])

    def configure(self, settings: CoverTreeSearch, threads: int) -> None:
        """Nothing to set."""

    def search(self, queries: Vectors, k: int) -> IntArray:
        """The best rows, ties in the order of rows."""
        found = np.full((len(queries), k), MISSING, dtype=np.int64)
        asked = _as_query_points(np.asarray(queries, dtype=np.float64), self._metric)
        compare = SIMILARITIES[self._metric]
        for i, point in enumerate(asked):
            candidates = np.sort(self._near(point, k).rows)
            vectors = np.asarray(self._vectors[candidates], dtype=np.float64)
            scores = compare(queries[i].astype(np.float64)[np.newaxis], vectors)
            best = np.argsort(-scores, kind="stable")[:k]
            found[i, : len(best)] = candidates[best]
        return found

    def compared(self, queries: Vectors, k: int) -> IntArray:
        """With how many points each query is compared: what the tree saves."""
        asked = _as_query_points(np.asarray(queries, dtype=np.float64), self._metric)
        return np.array([self._near(point, k).compared for point in asked], dtype=np.int64)

    def bytes(self) -> int:
        """Points, and one child link, row and two numbers a node."""
        return int(self._points.nbytes) + 8 * (len(self._points) + 3 * len(self._nodes))

    def close(self) -> None:
        """Nothing is held."""

    def _insert(self, row: int) -> None:
        """Walk down to the nearest node that covers the point; on the way every ancestor learns how far it is."""
        point, node = self._points[row], self._nodes[0]
        distance = math.sqrt(_squares(self._points[node.rows[0]], point))
        node.level = max(node.level, _level(distance))  # the root covers everything, whatever comes
        while True:
            if distance == 0:
                node.rows.append(row)
                return
            node.reach = max(node.reach, distance)
            nearest = self._covering_child(node, point)
            if nearest is None:
                node.growing.append(len(self._nodes))
                self._nodes.append(_Node(row, level=node.level - 1))
                return
            node, distance = nearest

    def _covering_child(self, node: _Node, point: FloatArray) -> tuple[_Node, float] | None:
        if not node.growing:
            return None
        children = [self._nodes[i] for i in node.growing]
        distances = np.sqrt(_squares(self._points[[child.rows[0] for child in children]], point))
        for i in np.argsort(distances, kind="stable").tolist():
            distance = float(distances[i])
            if distance == 0 or _level(distance) <= children[i].level:
                return children[i], distance
        return None

    def _near(self, point: FloatArray, k: int) -> _Near:
        """Every row that is among the `k` nearest or ties with the last of them, and perhaps a few more."""
        slack = _SLACK * (self._longest + float(np.linalg.norm(point)))
        seen: list[tuple[float, int]] = []
        best: list[float] = []  # the k least distances so far, negated: the first is the largest
        waiting = [(0.0, 0)]
        first = float(np.sqrt(_squares(self._points[self._rows[0]], point)))
        self._keep(0, first, seen, best, k)
        while waiting:
            bound, number = heapq.heappop(waiting)
            if len(best) == k and bound > -best[0] + slack:
                break  # all others are at least as far
            children = self._nodes[number].children
            if not len(children):
                continue
            distances = np.sqrt(_squares(self._points[self._rows[children]], point))
            for child, distance, reach in zip(
                children.tolist(), distances.tolist(), self._reach[children].tolist(), strict=True
            ):
                self._keep(child, distance, seen, best, k)
                if len(best) < k or distance - reach <= -best[0] + slack:
                    heapq.heappush(waiting, (max(0.0, distance - reach), child))
        limit = (-best[0] if best else 0.0) + slack
        rows = [row for distance, number in seen if distance <= limit for row in self._nodes[number].rows]
        return _Near(np.array(rows, dtype=np.int64), len(seen))

    def _keep(self, number: int, distance: float, seen: list[tuple[float, int]], best: list[float], k: int) -> None:
        seen.append((distance, number))
        for _ in self._nodes[number].rows[:k]:
            if len(best) < k:
                heapq.heappush(best, -distance)
            else:
                heapq.heappushpop(best, -distance)


class _Near(NamedTuple):
    rows: IntArray
    compared: int


class _Node:
    """A point with all rows that equal it, and the nodes below it."""

    __slots__ = ("children", "growing", "level", "reach", "rows")

    def __init__(self, row: int, level: int = _LOWEST) -> None:
        self.rows = [row]
        self.level = level
        self.reach = 0.0
        self.growing: list[int] = []
        self.children: IntArray = np.empty(0, dtype=np.int64)


def _level(distance: float) -> int:
    """The least whole number whose power of two is at least the distance."""
    if distance == 0:
        return _LOWEST
    fraction, exponent = math.frexp(distance)
    return exponent - 1 if fraction == 0.5 else exponent


def _squares(points: FloatArray, point: FloatArray) -> FloatArray:
    offsets = points - point
    squares: FloatArray = (offsets * offsets).sum(axis=-1)
    return squares


def _as_points(vectors: FloatArray, metric: Metric) -> FloatArray:
    """Points whose distance from a query's point falls as the score grows."""
    if metric == "euclidean":
        return vectors
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if metric == "cosine":  # a zero vector scores 0, as one at right angles to everything does
        some = lengths > _NOTHING
        return np.hstack([np.where(some, vectors / np.where(some, lengths, 1), 0.0), np.where(some, 0.0, 1.0)])
    return np.hstack([vectors, np.sqrt(np.maximum(0.0, float(lengths.max()) ** 2 - lengths**2))])


def _as_query_points(queries: FloatArray, metric: Metric) -> FloatArray:
    if metric == "euclidean":
        return queries
    if metric == "cosine":
        lengths = np.linalg.norm(queries, axis=1, keepdims=True)
        queries = queries / np.where(lengths > 0, lengths, 1)
    return np.hstack([queries, np.zeros((len(queries), 1))])
