"""Whole runs on a file of ann-benchmarks, against its definition of recall written here once more; and exact search is perfect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.ann import ann
from constraintsuite.models.retrieval.topk import top_k
from constraintsuite.vectors.ann.data import VectorMetric, scores_of
from constraintsuite.vectors.ann.engines.base import EngineSettings
from constraintsuite.vectors.ann.engines.exact import ExactEngine
from constraintsuite.vectors.ann.metrics import judge
from constraintsuite.vectors.ann.results import AnnRun, load_ann_run, load_queries
from constraintsuite.vectors.ann.sources.synthetic import Synthetic, SyntheticKind

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
Floats = npt.NDArray[np.float64]


def run(tmp_path: Path, **bench: object) -> AnnRun:
    (tmp_path / "bench.yaml").write_text(json.dumps({"protocol": {"repeats": 1, "min_seconds": 0}, **bench}))
    result = CliRunner().invoke(ann, ["run", str(tmp_path / "bench.yaml"), "--out", str(tmp_path / "run"), "--json"])
    assert result.exit_code == 0, result.output
    return load_ann_run(tmp_path / "run")


def distances(kind: str, query: Floats, rows: Floats) -> Floats:
    if kind == "euclidean":
        return np.array([float(np.sqrt(((query - row) ** 2).sum())) for row in rows])
    lengths = [float(np.sqrt((query**2).sum()) * np.sqrt((row**2).sum())) for row in rows]
    return np.array([1 - float((query * row).sum()) / length for row, length in zip(rows, lengths, strict=True)])


def write_file(path: Path, kind: str) -> None:
    """Vectors of which many are closer to each other than the thousandth that its recall allows."""
    h5py = pytest.importorskip("h5py")
    rng = np.random.default_rng(5)
    train = rng.standard_normal((300, 6)).astype(np.float32)
    train[150:] = train[:150] + rng.choice([2e-4, 5e-3], size=(150, 1)).astype(np.float32)
    test = rng.standard_normal((25, 6)).astype(np.float32)
    every = np.stack([distances(kind, query, train.astype(np.float64)) for query in test.astype(np.float64)])
    order = np.argsort(every, axis=1, kind="stable")[:, :20]
    with h5py.File(path, "w") as file:
        file.attrs["distance"] = kind
        file["train"], file["test"] = train, test
        file["neighbors"] = order.astype(np.int32)
        file["distances"] = np.take_along_axis(every, order, axis=1).astype(np.float32)


def its_recall(file: Path, answers: list[list[int]], k: int) -> float:
    """For each query: how many answers are no further than the k-th distance in the file and a thousandth; over k."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(file) as content:
        kind, true = str(content.attrs["distance"]), content["distances"][:]
        train, test = content["train"][:].astype(np.float64), content["test"][:].astype(np.float64)
    counts = []
    for query, answer in enumerate(answers):
        far = distances(kind, test[query], train[answer[:k]])
        counts.append(sum(float(each) <= float(true[query][k - 1]) + 1e-3 for each in far))
    return float(np.mean(counts)) / k


@pytest.mark.parametrize("kind", ["angular", "euclidean"])
def test_recall_on_its_own_file_is_that_of_ann_benchmarks(kind: str, tmp_path: Path) -> None:
    write_file(tmp_path / "set.hdf5", kind)
    engines = [{"engine": "coded", "build": {"code": "binary"}}]
    data = [{"name": "set", "format": "hdf5", "path": "set.hdf5"}]
    done = run(tmp_path, data=data, k=[5, 10], ties="annb", engines=engines)
    assert len(done.cells) == 2
    for cell in done.cells:
        answers = [row[row >= 0].tolist() for row in load_queries(done, cell).rows]
        ours = cell.figures[f"ann.recall_tie@{cell.point.k}"].value
        assert ours == pytest.approx(its_recall(tmp_path / "set.hdf5", answers, cell.point.k), abs=1e-12)
        assert ours is not None
        assert 0.1 < ours < 0.9  # the code does lose something


@pytest.mark.parametrize("metric", get_args(VectorMetric))
@pytest.mark.parametrize("kind", get_args(SyntheticKind))
def test_exact_search_is_perfect_on_every_synthetic_set(kind: SyntheticKind, metric: VectorMetric) -> None:
    data = Synthetic(kind=kind, metric=metric, rows=400, queries=20, dimensions=6).load(kind, Path())
    engine = ExactEngine(EngineSettings(), metric, 1)
    engine.build(data.base)
    found = engine.search(data.queries, 10)
    scores = scores_of(data.queries, data.base, found, metric)
    values = judge(found, scores, top_k(data.queries, data.base, 10, metric), 10, "relative")
    assert [float(each.mean()) for each in values] == pytest.approx([1, 1, 0, 0], abs=1e-12)
