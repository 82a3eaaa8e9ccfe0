"""Generated vectors, to try engines; they say nothing about recall on real data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from constraintsuite.vectors.ann.data import BenchmarkVectors, VectorMetric, Vectors
from constraintsuite.vectors.ann.sources.base import VectorSourceSettings

SyntheticKind = Literal["gaussian", "uniform", "clustered", "duplicates", "heavy_norm"]


class Synthetic(VectorSourceSettings):
    """`format: synthetic`: vectors that are generated, the same ones for the same seed."""

    kind: SyntheticKind = Field("clustered", description="distribution of the vectors")
    rows: int = Field(10_000, ge=1)
    queries: int = Field(500, ge=1)
    dimensions: int = Field(64, ge=1)
    metric: VectorMetric = "cosine"
    seed: int = Field(0, ge=0)

    def load(self, name: str, folder: Path) -> BenchmarkVectors:
        """Draw base vectors and queries from the same distribution."""
        rng = np.random.default_rng(self.seed)
        vectors = _KINDS[self.kind](rng, self.rows + self.queries, self.dimensions)
        return BenchmarkVectors(name, vectors[: self.rows], vectors[self.rows :], self.metric)


def _gaussian(rng: np.random.Generator, rows: int, dimensions: int) -> Vectors:
    return rng.standard_normal((rows, dimensions), dtype=np.float32)


def _clustered(rng: np.random.Generator, rows: int, dimensions: int) -> Vectors:
    centres = _gaussian(rng, max(2, rows // 100), dimensions)
    spread = _gaussian(rng, rows, dimensions)
    vectors: Vectors = centres[rng.integers(len(centres), size=rows)] + np.float32(0.5) * spread
    return vectors


def _duplicates(rng: np.random.Generator, rows: int, dimensions: int) -> Vectors:
    """Each vector about four times. Recall by row is therefore low even for an exact engine."""
    distinct = _gaussian(rng, max(1, rows // 4), dimensions)
    return distinct[rng.integers(len(distinct), size=rows)]


def _heavy_norm(rng: np.random.Generator, rows: int, dimensions: int) -> Vectors:
    """Lengths over two orders of magnitude, where dot and cosine differ most."""
    lengths = rng.lognormal(0.0, 1.5, size=(rows, 1)).astype(np.float32)
    return _gaussian(rng, rows, dimensions) * lengths


_KINDS: Mapping[SyntheticKind, Callable[[np.random.Generator, int, int], Vectors]] = {
    "gaussian": _gaussian,
    "uniform": lambda rng, rows, dimensions: rng.random((rows, dimensions), dtype=np.float32),
    "clustered": _clustered,
    "duplicates": _duplicates,
    "heavy_norm": _heavy_norm,
}
