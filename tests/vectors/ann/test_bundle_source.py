"""A bundle as data of a benchmark: its vectors stay where they are, its judgments come along."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.files import folder_lock
from constraintsuite.vectors.ann.data import require_usable
from constraintsuite.vectors.ann.plan import estimate
from constraintsuite.vectors.ann.run import run_benchmark
from constraintsuite.vectors.ann.settings import AnnBenchmark
from constraintsuite.vectors.ann.sources.bundle import BundleSource
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset
from tiny_bundle import make_bundle, save_model, write_source

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundled")
    made = make_bundle(folder)
    embed_bundle(made, save_model(folder / "model"), Silent())
    return made


def test_vectors_and_judgments_of_a_bundle_are_found_by_row(bundle: Path) -> None:
    data = require_usable(BundleSource(path=bundle.name).load("tiny", bundle.parent))
    opened = Bundle.open(bundle)
    ids = list(opened.ids())
    assert isinstance(data.base, np.memmap)
    assert data.base.shape[0] == len(ids)
    assert data.queries.shape[0] == len(opened.queries)
    assert data.metric == "cosine"
    grades = {(q.query, q.document): q.grade for q in opened.qrels()}
    assert data.relevance is not None
    found = {
        (opened.queries[query].id, ids[row]): grade for query, of in data.relevance.items() for row, grade in of.items()
    }
    assert found == {pair: grade for pair, grade in grades.items() if pair[1] in ids}
    assert (data.bundle, data.population) == (opened.id, opened.texts.manifest.counts["population"])


def test_a_bundle_is_not_replaced_while_it_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_bundle(tmp_path)
    embed_bundle(path, save_model(tmp_path / "model"), Silent())
    tried = []

    def disturbed(*job: object) -> None:
        with pytest.raises(UserError, match="or for one that reads"):
            build_subset(write_source(tmp_path / "source"), SubsetSettings(size=31), path, Silent(), force=True)
        tried.append(Bundle.open(path).documents)

    monkeypatch.setattr("constraintsuite.vectors.ann.run._run_build", disturbed)
    run_benchmark(bench_of(path), tmp_path, tmp_path / "run", Silent())
    assert tried == [30]


@pytest.mark.parametrize("command", ["run", "estimate"])
def test_a_bundle_that_is_being_written_is_not_read(bundle: Path, tmp_path: Path, command: str) -> None:
    bench = bench_of(bundle)
    calls: dict[str, Callable[[], object]] = {
        "run": lambda: run_benchmark(bench, tmp_path, tmp_path / "run", Silent()),
        "estimate": lambda: estimate(bench, tmp_path),
    }
    with folder_lock(bundle), pytest.raises(UserError, match=r"another csuite command is writing here\. Wait for it"):
        calls[command]()


def bench_of(path: Path) -> AnnBenchmark:
    data = {"name": "tiny", "format": "bundle", "path": str(path), "retrievers": ["bm25"]}
    protocol = {"repeats": 1, "min_seconds": 0}
    return AnnBenchmark.model_validate(
        {"data": [data], "k": [2], "protocol": protocol, "engines": [{"engine": "exact"}]}
    )


def test_another_encoder_is_refused(bundle: Path) -> None:
    with pytest.raises(UserError, match="name one encoder"):
        BundleSource(path=bundle.name, encoder="dense:other").load("tiny", bundle.parent)


def test_what_is_relevant_is_what_the_bundle_calls_so(tmp_path: Path) -> None:
    made = make_bundle(tmp_path, min_relevance=2)
    embed_bundle(made, save_model(tmp_path / "model"), Silent())
    assert BundleSource(path=made.name).load("tiny", tmp_path).min_relevance == 2
