"""A real bi-encoder, tiny, searches a suite: its scores are those of `csuite eval`."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.execution.progress import Silent
from constraintsuite.experiments.ranking.collection import read_collection
from constraintsuite.experiments.ranking.run import RankingPlan, evaluate_retrieval, load_ranking
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.models.retrieval.base import load_retriever
from experiments.tiny_suite import write_suite
from models.torch.tiny_folders import make_dense


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"dense:{make_dense(tmp_path_factory.mktemp('dense'))},backend=torch"


def test_a_hit_has_the_score_of_the_pair(model: str, tmp_path: Path) -> None:
    collection = read_collection(write_suite(tmp_path / "suite"))
    hits = load_retriever(model, collection.passages, Workbench()).search("soups without cream", 8)
    texts = dict(zip(*collection.passages, strict=True))
    pairs = [("soups without cream", texts[hit.document]) for hit in hits]
    assert len(hits) == 8
    assert [hit.score for hit in hits] == pytest.approx(load_scorer(model, Workbench()).score(pairs).tolist(), abs=1e-5)


def test_dense_alone_fused_and_reranked_give_rankings(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    suite = write_suite(tmp_path / "suite")
    plans = [RankingPlan(model), RankingPlan(f"rrf:bm25+{model}"), RankingPlan("bm25", rerank=model)]
    for number, plan in enumerate(plans):
        summary = load_ranking(evaluate_retrieval(suite, plan, tmp_path / str(number), Silent()).path)
        assert summary.system == plan.name
        assert summary.measures["R@100"].value == 1.0  # eight documents: all are found
