"""Qdrant over HTTP, against a server of ours that speaks exactly the calls that are made."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("qdrant_client")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from ann.qdrant_server import VERSION, FakeQdrant
from constraintsuite.app.cli.ann import ann
from constraintsuite.core.errors import UserError
from constraintsuite.models.retrieval.topk import top_k
from constraintsuite.vectors.ann.data import VectorMetric
from constraintsuite.vectors.ann.engines.qdrant import QdrantBuild, QdrantEngine, QdrantSearch
from constraintsuite.vectors.ann.results import load_ann_run

RNG = np.random.default_rng(0)
BASE = RNG.standard_normal((1_200, 8)).astype(np.float32)  # more than one request
QUERIES = RNG.standard_normal((7, 8)).astype(np.float32)


@pytest.fixture
def server() -> Iterator[FakeQdrant]:
    made = FakeQdrant()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.mark.parametrize("metric", get_args(VectorMetric))
def test_a_server_is_filled_waited_for_asked_and_left_clean(server: FakeQdrant, metric: VectorMetric) -> None:
    engine = QdrantEngine(QdrantBuild(url=server.url, m=8, ef_construct=50), metric, 1)
    engine.build(BASE)
    (made,) = server.collections.values()
    assert made.ids == list(range(1_200))
    assert made.looks == 3  # before, the graph was not finished
    assert made.asked.hnsw_config is not None
    assert (made.asked.hnsw_config.m, made.asked.hnsw_config.ef_construct) == (8, 50)
    engine.configure(QdrantSearch(ef=77), 1)
    assert not engine.exact
    assert engine.search(QUERIES, 10).tolist() == top_k(QUERIES, BASE, 10, metric).rows.tolist()
    assert [(params.hnsw_ef, params.exact) for params in server.params if params is not None] == [(77, False)] * 7
    engine.close()
    assert server.collections == {}
    assert list(dict.fromkeys(server.calls)) == [
        "PUT /collections/NAME",
        "PUT /collections/NAME/points",
        "GET /collections/NAME",
        "POST /collections/NAME/points/query/batch",
        "DELETE /collections/NAME",
    ]


def test_an_exact_search_is_asked_for_and_labelled(server: FakeQdrant) -> None:
    engine = QdrantEngine(QdrantBuild(url=server.url), "dot", 1)
    engine.build(BASE[:50])
    engine.configure(QdrantSearch(exact=True), 1)
    engine.search(QUERIES[:1], 60)
    assert engine.exact
    assert [params.exact for params in server.params if params is not None] == [True]
    engine.close()


def test_short_answers_end_in_missing_rows(server: FakeQdrant) -> None:
    engine = QdrantEngine(QdrantBuild(url=server.url), "dot", 1)
    engine.build(BASE[:3])
    assert (engine.search(QUERIES, 5)[:, 3:] == -1).all()
    engine.close()


def test_a_graph_that_is_never_finished_is_not_measured(server: FakeQdrant) -> None:
    server.stuck = True
    engine = QdrantEngine(QdrantBuild(url=server.url, indexing_seconds=0.01), "dot", 1)
    with pytest.raises(UserError, match="not all of 50 vectors are in the graph"):
        engine.build(BASE[:50])
    engine.close()
    assert server.collections == {}


def test_the_key_comes_from_the_environment(server: FakeQdrant, monkeypatch: pytest.MonkeyPatch) -> None:
    server.api_key = "for-the-test"
    with pytest.raises(UserError, match=r"no collection could be made: Unexpected Response: 401"):
        QdrantEngine(QdrantBuild(url=server.url), "dot", 1).build(BASE[:5])
    monkeypatch.setenv("CSUITE_TEST_KEY", "for-the-test")
    with pytest.warns(UserWarning, match="insecure connection"):
        engine = QdrantEngine(QdrantBuild(url=server.url, api_key="env:CSUITE_TEST_KEY"), "dot", 1)
    engine.build(BASE[:5])
    engine.close()


def test_no_server_is_said_in_one_line() -> None:
    settings = QdrantBuild(url="http://127.0.0.1:1")
    assert QdrantEngine.server(settings) is None
    engine = QdrantEngine(settings, "dot", 1)
    with pytest.raises(UserError, match="no collection could be made"):
        engine.build(BASE[:5])
    engine.close()


def test_a_run_records_the_version_of_the_server_and_asks_from_other_processes(
    server: FakeQdrant, tmp_path: Path
) -> None:
    bench = {
        "data": [{"format": "synthetic", "rows": 90, "queries": 6, "dimensions": 4}],
        "k": [5],
        "protocol": {"modes": ["concurrent"], "clients": [1], "repeats": 1, "min_seconds": 0},
        "engines": [{"engine": "qdrant", "build": {"url": server.url}, "search": {"ef": 64}}],
    }
    (tmp_path / "bench.yaml").write_text(json.dumps(bench))
    result = CliRunner().invoke(ann, ["run", str(tmp_path / "bench.yaml"), "--out", str(tmp_path / "run"), "--json"])
    assert result.exit_code == 0, result.output
    (cell,) = load_ann_run(tmp_path / "run").cells
    assert cell.library.endswith(f", Qdrant {VERSION}")
    assert cell.figures["ann.recall_tie@5"].value == 1.0
    assert cell.speed.repeats[0].queries == 6
    assert server.collections == {}
