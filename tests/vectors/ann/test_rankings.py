"""Retrievers without vectors beside the engines: the same queries, the same judgments, resumed and failing like cells."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.ann import ann
from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.models.retrieval.bm25 import Bm25Retriever
from constraintsuite.vectors.ann.metrics import relevance_values
from constraintsuite.vectors.ann.results import AnnRun, load_ann_run, load_queries
from constraintsuite.vectors.ann.settings import AnnBenchmark
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.relevance import relevance_rows
from tiny_bundle import make_bundle, save_model

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("ir_measures", reason="ir-measures is not installed")


NOBODY = "http:http://127.0.0.1:1/v1/embeddings,retries=0"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a bundle and its vectors."""
    folder = tmp_path_factory.mktemp("rankings")
    embed_bundle(make_bundle(folder), save_model(folder / "model"), Silent())
    return folder


def bench(place: Path, out: Path, **options: object) -> Path:
    content = {
        "data": [{"name": "tiny", "format": "bundle", "path": str(place / "bundle"), **options}],
        "k": [3, 10],
        "protocol": {"repeats": 1, "min_seconds": 0},
        "engines": [{"engine": "exact"}],
    }
    out.mkdir(exist_ok=True)
    (out / "bench.yaml").write_text(json.dumps(content))
    return out / "bench.yaml"


def run(file: Path) -> tuple[int, dict[str, int], AnnRun]:
    folder = file.parent / "run"
    result = CliRunner().invoke(ann, ["run", str(file), "--out", str(folder), "--json"])
    assert result.exit_code in (0, 3), repr(result.exception)
    counts = json.loads(result.stdout)
    return result.exit_code, {n: counts[n] for n in ("measured", "skipped", "failed")}, load_ann_run(folder)


def test_bm25_is_judged_like_an_engine_and_resumed(place: Path, tmp_path: Path) -> None:
    file = bench(place, tmp_path / "a", retrievers=["bm25", "bm25,k1=2"])
    code, counts, done = run(file)
    assert (code, counts) == (0, {"measured": 4, "skipped": 0, "failed": 0})
    assert [ranking.retriever for ranking in done.rankings] == ["bm25", "bm25,k1=2"]
    first = done.rankings[0]
    (exact,) = [cell for cell in done.cells if cell.point.k == 10]
    ours = {name for name in exact.figures if name.startswith("rel.") and "ceiling" not in name}
    assert ours < first.figures.keys()  # those of the other k besides
    assert not any(name.startswith("ann.") for name in first.figures)
    assert first.figures["rel.ndcg@10"].n == exact.figures["rel.ndcg@10"].n == 6
    assert first.facts["k1"] == 0.9
    assert run(file)[:2] == (0, {"measured": 0, "skipped": 4, "failed": 0})
    assert run(bench(place, tmp_path / "a", retrievers=["bm25"]))[1] == {"measured": 0, "skipped": 3, "failed": 0}


def test_what_is_found_is_what_bm25_finds_in_the_texts(place: Path, tmp_path: Path) -> None:
    done = run(bench(place, tmp_path / "a", retrievers=["bm25"]))[2]
    bundle = Bundle.open(place / "bundle")
    ids, texts = list(bundle.ids()), [row.passage for row in bundle.rows()]
    retriever = Bm25Retriever(ids, texts)
    expected = [[ids.index(hit.document) for hit in retriever.search(q.text or "", 10)] for q in bundle.queries]
    kept = load_queries(done, done.rankings[0])
    assert [row[row >= 0].tolist() for row in kept.rows] == expected
    judged: dict[int, dict[int, int]] = {}
    for each in relevance_rows(bundle):
        if each.doc_row is not None:
            judged.setdefault(each.query_row, {})[each.doc_row] = each.relevance
    for name, values in relevance_values(kept.rows, judged, 10, 1).items():
        np.testing.assert_array_equal(kept.rel[name], values)
    assert kept.latency_ns is None
    assert np.isnan(kept.recall_tie).all()


def test_a_limit_holds_for_the_texts_too(place: Path, tmp_path: Path) -> None:
    done = run(bench(place, tmp_path / "a", retrievers=["bm25"], limit=18, query_limit=4))[2]
    kept = load_queries(done, done.rankings[0])
    assert kept.rows.max() < 18
    assert kept.query_row.tolist() == [0, 1, 2, 3]


def test_one_that_fails_is_said_and_tried_again_and_the_cells_are_kept(place: Path, tmp_path: Path) -> None:
    file = bench(place, tmp_path / "a", retrievers=["bm25", NOBODY])
    code, counts, done = run(file)
    assert (code, counts) == (3, {"measured": 3, "skipped": 0, "failed": 1})
    (failed,) = done.failed_rankings
    assert (failed.data, failed.retriever) == ("tiny", NOBODY)
    assert "127.0.0.1:1" in failed.error
    assert len(done.rankings) == 1
    assert run(file)[1] == {"measured": 0, "skipped": 3, "failed": 1}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"retrievers": ["bm52"]}, "No retriever named 'bm52'. Did you mean 'bm25'"),
        ({"retrievers": ["bm25,k2=1"]}, "k2"),
        ({"retrievers": ["bm25", "bm25"]}, "a retriever is named twice"),
    ],
)
def test_a_wrong_retriever_is_refused_before_any_work(
    place: Path, tmp_path: Path, options: dict[str, object], words: str
) -> None:
    with pytest.raises(UserError, match=words):
        AnnBenchmark.read(bench(place, tmp_path, **options))


def test_only_a_bundle_has_texts(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("data: [{format: synthetic, retrievers: [bm25]}]\nengines: [{engine: exact}]\n")
    with pytest.raises(UserError, match="retrievers: unknown key"):
        AnnBenchmark.read(tmp_path / "b.yaml")
