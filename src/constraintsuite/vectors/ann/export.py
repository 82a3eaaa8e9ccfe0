"""A set of vectors with its truth, as the files that other benchmarks read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.retrieval.topk import Neighbours
from constraintsuite.vectors.ann.data import BenchmarkVectors
from constraintsuite.vectors.ann.engines.base import blocks
from constraintsuite.vectors.ann.settings import AnnBenchmark, locked_data
from constraintsuite.vectors.ann.sources.bigann import write_fbin, write_neighbours
from constraintsuite.vectors.ann.sources.hdf5 import write_hdf5
from constraintsuite.vectors.ann.staging import read_set
from constraintsuite.vectors.ann.truth import exact_neighbours


def export_set(bench: AnnBenchmark, name: str, form: str, depth: int, folder: Path, out: Path) -> list[Path]:
    """Write the set called `name`; gives the files. Those that are there already are a UserError."""
    entry = next((entry for entry in bench.data if entry.name == name), None)
    if entry is None:
        raise UserError(f"No data named {name!r} in the benchmark. There are: {', '.join(e.name for e in bench.data)}.")
    files = [out / f"{name}{ending}" for ending in _ENDINGS[form]]
    there = next((file for file in files if file.exists()), None)
    if there is not None:
        raise UserError(f"{there}: this file is there already. Choose another --out.")
    with locked_data([entry], folder):
        data = read_set(entry, folder)
        _WRITERS[form](files, data, exact_neighbours(data, depth))
    return files


def _write_hdf5(files: list[Path], data: BenchmarkVectors, truth: Neighbours) -> None:
    write_hdf5(files[0], data, truth)


def _write_bigann(files: list[Path], data: BenchmarkVectors, truth: Neighbours) -> None:
    unit = data.metric == "cosine"  # which these tools do not know: it is the inner product of vectors of length 1
    write_fbin(files[0], data.base.shape, (block for _, block in blocks(data.base, unit=unit)))
    write_fbin(files[1], data.queries.shape, (block for _, block in blocks(data.queries, unit=unit)))
    write_neighbours(files[2], truth, data.metric)


_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "hdf5": (".hdf5",),
    "bigann": (".base.fbin", ".queries.fbin", ".neighbours.bin"),
}
_WRITERS: Mapping[str, Callable[[list[Path], BenchmarkVectors, Neighbours], None]] = {
    "hdf5": _write_hdf5,
    "bigann": _write_bigann,
}
