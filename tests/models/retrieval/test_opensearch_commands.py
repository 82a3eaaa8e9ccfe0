"""Builds and evaluations that search on a server."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from constraintsuite.app.cli.main import cli
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.experiments.ranking.collection import read_collection
from constraintsuite.models.retrieval.opensearch.retriever import identify_opensearch
from constraintsuite.suites.stages.candidates import read_pools
from experiments.tiny_suite import write_suite
from models.retrieval.opensearch_server import INDEX, SearchState, serving


def csuite(*arguments: object) -> str:
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_build_takes_its_pools_from_the_server_and_records_which(tmp_path: Path) -> None:
    documents = list(open_source(SourceSettings(source="sample")).documents(BadRows()))
    texts = {document.id: f"{document.title} {document.text}" for document in documents}
    recipe, stage = tmp_path / "recipe.yaml", tmp_path / "suite" / "stages" / "candidates"
    with serving(SearchState(texts, k1=0.9, b=0.4)) as state:
        recipe.write_text(
            "corpus: {source: sample, limit: 60}\nanalysis: {analyser: rules}\n"
            f"candidates: {{engine: '{state.retriever}'}}\n"
        )
        csuite("build", recipe, "--out", tmp_path / "suite", "--until", "candidates")
        manifest = json.loads((stage / "manifest.json").read_text())
        assert manifest["settings"]["candidates"]["index"] == identify_opensearch(state.retriever)
        ids = {document.id for document in documents[:60]}
        pools = list(read_pools(stage))
        for pool in pools:
            found = [hit for hit in state.bm25.search(pool.query, len(texts)) if hit.document in ids]
            assert pool.documents == tuple(hit.document for hit in found[:200])
        assert any(pool.documents for pool in pools)


def test_a_suite_is_searched_on_the_server_once(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite")
    with serving(SearchState(dict(zip(*read_collection(suite).passages, strict=True)))) as state:
        command = ("retrieve-eval", suite, "--retriever", state.retriever, "--out", tmp_path / "runs")
        csuite(*command)
        assert f"POST /{INDEX}/_msearch" in state.calls
        asked = len(state.calls)
        csuite(*command)
        assert f"POST /{INDEX}/_msearch" not in state.calls[asked:]
