"""Locality-sensitive hashing in plain NumPy: easy to read, and honest about what it does not find.

Signs of random projections for cosine (Charikar 2002), rounded random projections for Euclidean distance (Datar et al. 2004).
More buckets can be looked at, nearest borders first (in the manner of Lv et al. 2007). Where the buckets hold fewer than k rows
the answer is short: there is no quiet scan of everything.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from constraintsuite.vectors.ann.data import IntArray, VectorMetric, Vectors
from constraintsuite.vectors.ann.engines.base import (
    MISSING,
    EngineSettings,
    blocks,
    load_arrays,
    save_arrays,
    unit_rows,
)

Float32Array = npt.NDArray[np.float32]
Codes = npt.NDArray[np.uint64]


class LshBuild(EngineSettings):
    """How vectors are hashed."""

    tables: int = Field(16, ge=1, description="independent hash tables")
    bits: int = Field(12, ge=1, le=62, description="projections a table")
    width: float = Field(4.0, gt=0, description="for euclidean: how much of a projection is rounded to the same number")
    seed: int = Field(0, ge=0)


class LshSearch(EngineSettings):
    """How many buckets are looked at."""

    probes: int = Field(
        1, ge=1, description="buckets a table: the query's own, then those across one of its borders, the nearest first"
    )


class LshEngine:
    """`engine: lsh`."""

    build_settings: ClassVar[type[EngineSettings]] = LshBuild
    search_settings: ClassVar[type[EngineSettings]] = LshSearch
    metrics: ClassVar[frozenset[VectorMetric]] = frozenset({"cosine", "euclidean"})
    library = "numpy"
    revision = 1
    exact = False

    def __init__(self, settings: LshBuild, metric: VectorMetric, threads: int) -> None:
        self._settings = settings
        self._unit = metric == "cosine"
        self._probes = 1

    @classmethod
    def expected_bytes(cls, settings: LshBuild, rows: int, dimensions: int) -> int:
        """Vectors, and hash and row in each table."""
        return rows * (4 * dimensions + 16 * settings.tables)

    def build(self, vectors: Vectors) -> None:
        """Sort the rows of each table by their hash."""
        rng = np.random.default_rng(self._settings.seed)
        tables, bits = self._settings.tables, self._settings.bits
        self._directions = rng.standard_normal((vectors.shape[1], tables * bits)).astype(np.float32)
        self._shifts = rng.uniform(0, self._settings.width, tables * bits).astype(np.float32)
        # Odd factors: a change in any one of the rounded numbers changes the sum.
        self._factors = rng.integers(1, 2**62, size=(tables, bits), dtype=np.uint64) | np.uint64(1)
        codes = np.empty((tables, len(vectors)), dtype=np.uint64)
        self._vectors = np.empty(vectors.shape, dtype=np.float32)
        for start, block in blocks(vectors, unit=self._unit):
            part = slice(start, start + len(block))
            self._vectors[part] = block
            codes[:, part] = self._codes(self._cells(self._project(block))).T
        self._order = np.argsort(codes, axis=1, kind="stable")
        self._sorted = np.take_along_axis(codes, self._order, axis=1)

    def configure(self, settings: LshSearch, threads: int) -> None:
        """Set how many buckets are looked at."""
        self._probes = settings.probes

    def search(self, queries: Vectors, k: int) -> IntArray:
        """The best rows of the buckets, by true distance."""
        asked = unit_rows(queries) if self._unit else np.asarray(queries, dtype=np.float32)
        rows = np.full((len(queries), k), MISSING, dtype=np.int64)
        for i, projected in enumerate(self._project(asked)):
            candidates = self._candidates(projected)
            offsets = self._vectors[candidates] - asked[i]
            nearest = np.argsort(np.einsum("ij,ij->i", offsets, offsets), kind="stable")[:k]
            rows[i, : len(nearest)] = candidates[nearest]
        return rows

    def bytes(self) -> int:
        """Vectors, hash and row in each table, and how is hashed."""
        return sum(int(array.nbytes) for array in self._arrays().values())

    def save(self, folder: Path) -> None:
        """Arrays, and nothing that is run when it is read."""
        save_arrays(folder, self._arrays())

    def load(self, folder: Path) -> None:
        """Read them."""
        arrays = load_arrays(folder)
        self._vectors, self._order, self._sorted = arrays["vectors"], arrays["order"], arrays["sorted"]
        self._directions, self._shifts, self._factors = arrays["directions"], arrays["shifts"], arrays["factors"]

    def close(self) -> None:
        """Nothing is held."""

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "vectors": self._vectors,
            "order": self._order,
            "sorted": self._sorted,
            "directions": self._directions,
            "shifts": self._shifts,
            "factors": self._factors,
        }

    def _candidates(self, projected: Float32Array) -> IntArray:
        codes = self._codes(self._nearby_cells(projected))  # (probes, tables)
        found = [np.empty(0, dtype=np.int64)]
        for table, wanted in enumerate(codes.T):
            low = np.searchsorted(self._sorted[table], wanted, side="left")
            high = np.searchsorted(self._sorted[table], wanted, side="right")
            found += [self._order[table, a:b] for a, b in zip(low.tolist(), high.tolist(), strict=True) if a < b]
        return np.unique(np.concatenate(found))

    def _nearby_cells(self, projected: Float32Array) -> IntArray:
        """The cell of the query, then one step across the nearest borders, in each table: (probes, tables x bits)."""
        tables, bits = self._settings.tables, self._settings.bits
        own = self._cells(projected[np.newaxis])[0].reshape(tables, bits)
        steps, gaps = self._borders(projected, own)
        nearest = np.argsort(gaps, axis=1, kind="stable")[:, : self._probes - 1]  # (tables, further probes)
        cells = np.repeat(own[np.newaxis], 1 + nearest.shape[1], axis=0)
        for probe in range(nearest.shape[1]):
            chosen = nearest[:, probe]
            cells[probe + 1, np.arange(tables), chosen % bits] += steps[np.arange(tables), chosen]
        return cells.reshape(len(cells), -1)

    def _borders(self, projected: Float32Array, own: IntArray) -> tuple[IntArray, Float32Array]:
        """Steps to cells next door and how far their borders are; for signs there is one border, else one on each side."""
        if self._unit:
            return np.where(own == 1, -1, 1), np.abs(projected).reshape(own.shape)
        place = ((projected + self._shifts) / np.float32(self._settings.width)).reshape(own.shape) - own
        down, up = np.full(own.shape, -1), np.full(own.shape, 1)
        return np.concatenate([down, up], axis=1), np.concatenate([place, 1 - place], axis=1).astype(np.float32)

    def _project(self, vectors: Vectors) -> Float32Array:
        projected: Float32Array = vectors @ self._directions
        return projected

    def _cells(self, projected: Float32Array) -> IntArray:
        if self._unit:
            return (projected > 0).astype(np.int64)
        rounded: Float32Array = np.floor((projected + self._shifts) / np.float32(self._settings.width))
        return rounded.astype(np.int64)

    def _codes(self, cells: IntArray) -> Codes:
        """One number for each row and table: (rows, tables)."""
        split = cells.reshape(len(cells), self._settings.tables, self._settings.bits).astype(np.uint64)
        codes: Codes = (split * self._factors).sum(axis=2, dtype=np.uint64)  # overflow is part of the hash
        return codes
