"""A cover tree that is exact: every node knows how far its furthest descendant is, and nothing else decides what is skipped.

After Beygelzimer, Kakade and Langford (2006) in the simplified form of Izbicki and Shelton (2015). The triangle inequality needs a true
distance: cosine becomes the distance of unit vectors, the inner product the distance after one more coordinate makes all base vectors
equally long (Bachrach et al. 2014). Equal vectors share a node; nothing is recursive; there is no limit of depth.
"""

from __future__ import annotations

import heapq
import math
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.models.dense import SIMILARITIES
from constraintsuite.vectors.ann.data import IntArray, VectorMetric, Vectors
from constraintsuite.vectors.ann.engines.base import ALL_METRICS, MISSING, EngineSettings, load_arrays, save_arrays

FloatArray = npt.NDArray[np.float64]
# Relative; two scores that are equal after rounding can be 1.5e-8 apart as distances, which are square roots.
_SLACK = 1e-7
_NOTHING = 1e-12  # shorter vectors are zero vectors, as where scores are computed
_LOWEST = -1100  # below the exponent of the least number there is


class CoverTreeBuild(EngineSettings):
    """Nothing to choose."""


class CoverTreeSearch(EngineSettings):
    """Nothing to choose: the answer is exact."""


class CoverTreeEngine:
    """`engine: covertree`."""

    build_settings: ClassVar[type[EngineSettings]] = CoverTreeBuild
    search_settings: ClassVar[type[EngineSettings]] = CoverTreeSearch
    metrics = ALL_METRICS
    library = "numpy"
    revision = 1
    exact = True

    def __init__(self, settings: CoverTreeBuild, metric: VectorMetric, threads: int) -> None:
        self._metric: VectorMetric = metric

    @classmethod
    def expected_bytes(cls, settings: CoverTreeBuild, rows: int, dimensions: int) -> int:
        """Vectors, and five numbers a node."""
        return rows * (4 * dimensions + 40)

    @classmethod
    def room(cls, rows: int, dimensions: int) -> int:
        """The vectors in double precision, and the points that are made of them."""
        return 16 * rows * (dimensions + 1)

    def build(self, vectors: Vectors) -> None:
        """Insert row by row."""
        self._hold(vectors, _grow(_as_points(np.asarray(vectors, dtype=np.float64), self._metric)))

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
        """Vectors and tree, as they are saved; points are made of the vectors."""
        return int(self._vectors.size) * 4 + sum(int(array.nbytes) for array in self._tree)

    def save(self, folder: Path) -> None:
        """Arrays, and nothing that is run when it is read."""
        vectors = np.asarray(self._vectors, dtype=np.float32)
        save_arrays(folder, {"vectors": vectors, **self._tree._asdict()})

    def load(self, folder: Path) -> None:
        """Read them."""
        arrays = load_arrays(folder)
        self._hold(arrays.pop("vectors"), _Tree(**arrays))

    def close(self) -> None:
        """Nothing is held."""

    def _hold(self, vectors: Vectors, tree: _Tree) -> None:
        self._vectors, self._tree = vectors, tree
        self._points = _as_points(np.asarray(vectors, dtype=np.float64), self._metric)
        self._longest = float(np.linalg.norm(self._points, axis=1).max())
        self._first = tree.rows[tree.row_starts[:-1]]  # the row whose point is the node's

    def _near(self, point: FloatArray, k: int) -> _Near:
        """Every row that is among the `k` nearest or ties with the last of them, and perhaps a few more."""
        slack = _SLACK * (self._longest + float(np.linalg.norm(point)))
        seen: list[tuple[float, int]] = []
        best: list[float] = []  # the k least distances so far, negated: the first is the largest
        waiting = [(0.0, 0)]
        tree, starts = self._tree, self._tree.child_starts
        first = float(np.sqrt(_squares(self._points[self._first[0]], point)))
        self._keep(0, first, seen, best, k)
        while waiting:
            bound, number = heapq.heappop(waiting)
            if len(best) == k and bound > -best[0] + slack:
                break  # all others are at least as far
            children = tree.children[starts[number] : starts[number + 1]]
            if not len(children):
                continue
            distances = np.sqrt(_squares(self._points[self._first[children]], point))
            for child, distance, reach in zip(
                children.tolist(), distances.tolist(), tree.reach[children].tolist(), strict=True
            ):
                self._keep(child, distance, seen, best, k)
                if len(best) < k or distance - reach <= -best[0] + slack:
                    heapq.heappush(waiting, (max(0.0, distance - reach), child))
        limit = (-best[0] if best else 0.0) + slack
        near = [tree.rows_of(number) for distance, number in seen if distance <= limit]
        return _Near(np.concatenate(near), len(seen))

    def _keep(self, number: int, distance: float, seen: list[tuple[float, int]], best: list[float], k: int) -> None:
        seen.append((distance, number))
        for _ in range(min(k, len(self._tree.rows_of(number)))):
            if len(best) < k:
                heapq.heappush(best, -distance)
            else:
                heapq.heappushpop(best, -distance)


class _Near(NamedTuple):
    rows: IntArray
    compared: int


class _Tree(NamedTuple):
    """The finished tree, node by node."""

    rows: IntArray
    """Of the points of a node, all of them equal; those of node i from `row_starts[i]` on."""
    row_starts: IntArray
    children: IntArray
    child_starts: IntArray
    reach: FloatArray
    """How far the furthest descendant of a node is."""

    def rows_of(self, number: int) -> IntArray:
        return self.rows[self.row_starts[number] : self.row_starts[number + 1]]


class _Node:
    """While the tree grows: a point with all rows that equal it, and the nodes below it."""

    __slots__ = ("children", "level", "reach", "rows")

    def __init__(self, row: int, level: int = _LOWEST) -> None:
        self.rows = [row]
        self.level = level
        self.reach = 0.0
        self.children: list[int] = []


def _grow(points: FloatArray) -> _Tree:
    nodes = [_Node(0)]
    for row in range(1, len(points)):
        _insert(points, nodes, row)
    rows, row_starts = _flat([node.rows for node in nodes])
    children, child_starts = _flat([node.children for node in nodes])
    return _Tree(rows, row_starts, children, child_starts, np.array([node.reach for node in nodes]))


def _insert(points: FloatArray, nodes: list[_Node], row: int) -> None:
    """Walk down to the nearest node that covers the point; on the way every ancestor learns how far it is."""
    point, node = points[row], nodes[0]
    distance = math.sqrt(_squares(points[node.rows[0]], point))
    node.level = max(node.level, _level(distance))  # the root covers everything, whatever comes
    while True:
        if distance == 0:
            node.rows.append(row)
            return
        node.reach = max(node.reach, distance)
        nearest = _covering_child(points, nodes, node, point)
        if nearest is None:
            node.children.append(len(nodes))
            nodes.append(_Node(row, level=node.level - 1))
            return
        node, distance = nearest


def _covering_child(
    points: FloatArray, nodes: list[_Node], node: _Node, point: FloatArray
) -> tuple[_Node, float] | None:
    if not node.children:
        return None
    children = [nodes[i] for i in node.children]
    distances = np.sqrt(_squares(points[[child.rows[0] for child in children]], point))
    for i in np.argsort(distances, kind="stable").tolist():
        distance = float(distances[i])
        if distance == 0 or _level(distance) <= children[i].level:
            return children[i], distance
    return None


def _flat(lists: list[list[int]]) -> tuple[IntArray, IntArray]:
    """All numbers behind each other, and where each list begins, with the end of the last."""
    starts = np.cumsum([0, *(len(each) for each in lists)], dtype=np.int64)
    return np.array([number for each in lists for number in each], dtype=np.int64), starts


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


def _as_points(vectors: FloatArray, metric: VectorMetric) -> FloatArray:
    """Points whose distance from a query's point falls as the score grows."""
    if metric == "euclidean":
        return vectors
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if metric == "cosine":  # a zero vector scores 0, as one at right angles to everything does
        some = lengths > _NOTHING
        return np.hstack([np.where(some, vectors / np.where(some, lengths, 1), 0.0), np.where(some, 0.0, 1.0)])
    return np.hstack([vectors, np.sqrt(np.maximum(0.0, float(lengths.max()) ** 2 - lengths**2))])


def _as_query_points(queries: FloatArray, metric: VectorMetric) -> FloatArray:
    if metric == "euclidean":
        return queries
    if metric == "cosine":
        lengths = np.linalg.norm(queries, axis=1, keepdims=True)
        queries = queries / np.where(lengths > 0, lengths, 1)
    return np.hstack([queries, np.zeros((len(queries), 1))])
