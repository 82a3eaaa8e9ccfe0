"""What a run will need, told before it starts: near enough to what engines take, and nothing is written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.vectors.ann.plan import estimate
from constraintsuite.vectors.ann.settings import AnnBenchmark

SET = {"format": "synthetic", "rows": 1_000, "queries": 50, "dimensions": 20}


def read(tmp_path: Path, data: list[dict[str, object]], engines: list[dict[str, object]]) -> AnnBenchmark:
    file = tmp_path / "bench.yaml"
    file.write_text(json.dumps({"data": data, "engines": engines, "k": [5, 10]}))
    return AnnBenchmark.read(file)


def test_sets_builds_and_the_largest_of_them(tmp_path: Path) -> None:
    pytest.importorskip("faiss")
    graphs: dict[str, object] = {"engine": "faiss", "build": {"factory": ["HNSW4", "HNSW400"]}}
    engines: list[dict[str, object]] = [{"engine": "exact"}, graphs]
    bench = read(tmp_path, [{"name": "a", **SET}, {"name": "b", **SET, "limit": 100, "query_limit": 5}], engines)
    found = estimate(bench, tmp_path)
    assert (found.builds, found.cells, found.rankings) == (6, 12, 0)
    assert [(size.name, size.rows, size.queries, size.bytes) for size in found.data] == [
        ("a", 1_000, 50, 80_000),
        ("b", 100, 5, 8_000),
    ]
    assert found.largest_build == "faiss on a"
    saved = 1_000 * (80 + 8 * 400 + 16)
    assert found.memory_bytes == 150_000_000 + 80_000 + 2 * saved  # read back while the first is still there
    assert saved < found.disk_bytes < 2 * saved
    assert list(found.lines())[:2] == ["6 builds, 12 cells", "a: 1,000 x 20, 50 queries, 0 MB"]


def test_vectors_that_are_mapped_need_no_second_place(tmp_path: Path) -> None:
    np.save(tmp_path / "base.npy", np.ones((5_000, 16), dtype=np.float32))
    np.save(tmp_path / "queries.npy", np.ones((2, 16), dtype=np.float32))
    bench = read(tmp_path, [{"format": "npy", "path": ".", "metric": "dot"}], [{"engine": "exact"}])
    assert estimate(bench, tmp_path).disk_bytes < 5_000
