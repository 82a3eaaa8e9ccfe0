"""Vectors and their exact neighbours in the formats of ann-benchmarks and big-ann-benchmarks."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.models.retrieval.topk import Neighbours
from constraintsuite.vectors.ann.data import BenchmarkVectors, blocks, exact_neighbours, require_usable
from constraintsuite.vectors.ann.sources.bigann import write_fbin, write_neighbours
from constraintsuite.vectors.ann.sources.bundle import engine_metric
from constraintsuite.vectors.ann.sources.hdf5 import write_hdf5
from constraintsuite.vectors.bundle import Bundle, open_vectors
from constraintsuite.vectors.layouts.base import write_origin

NEIGHBOURS = 100
"""Per query, as in the files of both benchmarks."""


def export_hdf5(bundle: Bundle, out: Path, encoder: str | None) -> list[str]:
    """Write vectors.hdf5 for ann-benchmarks."""
    write_hdf5(out / "vectors.hdf5", *_read(bundle, encoder))
    write_origin(bundle, out)
    return []


def export_bigann(bundle: Bundle, out: Path, encoder: str | None) -> list[str]:
    """Write base.fbin, queries.fbin and neighbours.bin for big-ann-benchmarks, whose tools have no cosine."""
    data, truth = _read(bundle, encoder)
    unit = data.metric == "cosine"
    for name, vectors in (("base.fbin", data.base), ("queries.fbin", data.queries)):
        write_fbin(out / name, vectors.shape, (block for _, block in blocks(vectors, unit=unit)))
    write_neighbours(out / "neighbours.bin", truth, data.metric)
    write_origin(bundle, out)
    return ["vectors are written at length 1; read them with the metric dot, which is then the cosine"] if unit else []


def _read(bundle: Bundle, encoder: str | None) -> tuple[BenchmarkVectors, Neighbours]:
    vectors = open_vectors(bundle, encoder)
    metric = engine_metric(bundle, vectors.similarity)
    data = require_usable(BenchmarkVectors(bundle.path.name, vectors.documents, vectors.queries, metric))
    return data, exact_neighbours(data, NEIGHBOURS)
