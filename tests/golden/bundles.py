"""Bundles for golden cases: vectors written by hand, a build that was stopped, and the graph of a tiny encoder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
from onnx import numpy_helper

from constraintsuite.core.execution.progress import Advance, Silent
from constraintsuite.core.store.files import sha256_text
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.models.onnx.architectures import architecture_of
from constraintsuite.models.onnx.folder import TransformerConfig, read_content, read_tensors, weight_files
from constraintsuite.models.onnx.transformer import write_encoder
from constraintsuite.vectors.ann.metrics import read_queries
from constraintsuite.vectors.ann.results import PER_QUERY, RANKINGS
from constraintsuite.vectors.ann.run import run_benchmark
from constraintsuite.vectors.ann.settings import AnnBenchmark
from constraintsuite.vectors.msmarco_import import import_folder
from constraintsuite.vectors.neighbours import make_neighbours
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset
from golden.content import rounded
from tiny_bundle import save_model, write_json_lines, write_source

DOCUMENTS = [[3, 0, 1], [1, 2, 2], [0, 3, 1], [1, 2, 2], [2, 2, 0], [0, 0, 5]]  # two are the same, and so tie
QUERIES = [[1, 1, 1], [0, 2, -1], [-1, 0, 3]]
TEXTS = ["leek soup", "a pie with nuts", "hot soup without cream", "rich red soup", "a pie without nuts", "no soup"]
POSITIVES = {"q0": ["d0", "d4"], "q1": ["d2"], "q2": ["d5"]}


def make_seven(folder: Path) -> Path:
    """`seven`: vectors, ids and judgments as the MS MARCO methodology has them."""
    seven = folder / "seven"
    seven.mkdir()
    for name, rows in (("passage", DOCUMENTS), ("query", QUERIES)):
        np.save(seven / f"{name}_embeddings.npy", np.array(rows, dtype=np.float32))
        np.save(seven / f"{name}_ids.npy", np.array([f"{'dq'[name == 'query']}{row}" for row in range(len(rows))]))
    (seven / "ground_truth_doc_ids.json").write_text(json.dumps(POSITIVES))
    return seven


def make_imported_bundle(folder: Path) -> Path:
    """`seven`, imported with texts, and its exact neighbours."""
    seven, texts = make_seven(folder), folder / "seven texts"
    texts.mkdir()
    write_json_lines(texts / "docs.jsonl", [{"id": f"d{row}", "text": text} for row, text in enumerate(TEXTS)])
    write_json_lines(texts / "queries.jsonl", [{"id": f"q{row}", "text": text} for row, text in enumerate(TEXTS[:3])])
    source = SourceSettings(source=str(texts / "docs.jsonl"), queries=str(texts / "queries.jsonl"))
    bundle = folder / "imported bundle"
    import_folder(seven, bundle, "dot", texts=source)
    for metric in ("dot", "euclidean"):
        make_neighbours(bundle, 2, Silent(), metric=metric)
    return bundle


def rank_texts(folder: Path) -> None:
    """What BM25 finds in the texts of the imported bundle, beside the cheapest of engines."""
    bench = {
        "name": "texts",
        "k": [2],
        "data": [{"name": "bundle", "format": "bundle", "path": "imported bundle", "retrievers": ["bm25"]}],
        "protocol": {"modes": ["batch"], "repeats": 1, "min_seconds": 0, "warmup": 0},
        "engines": [{"engine": "exact"}],
    }
    run_benchmark(AnnBenchmark.model_validate(bench), folder, folder / "texts", Silent())


def ranked_texts(made: Path) -> str:
    """Without the key and what else tells versions of libraries."""
    (file,) = (made / "texts" / RANKINGS).iterdir()
    found = json.loads(file.read_text(encoding="utf-8"))
    results = read_queries(made / "texts" / PER_QUERY / f"{found['key']}.parquet")
    figures = rounded(json.dumps(found["figures"], sort_keys=True).encode())
    rows = json.dumps(results.rows.tolist())
    judged = (f"{name} {_shown(each)}" for name, each in results.rel.items())
    return sha256_text(found["retriever"], figures, rows, *judged)


class _Stopped(BaseException):
    """Ends a build as a signal does."""


class _Stopping(Silent):
    """Ends a build once the texts are spread over the files of their parts."""

    @contextmanager
    def track(self, title: str, total: int | None) -> Iterator[Advance]:
        with super().track(title, total) as advance:
            yield advance
        if title == "texts":
            raise _Stopped


def stop_subset(folder: Path) -> None:
    """Leave the work on a bundle behind that was stopped: the survey of the documents, and their texts."""
    source = write_source(folder / "stopped source")
    settings = SubsetSettings(size=30, namespace="tiny", dedup="exact_text")
    try:
        build_subset(source, settings, folder / "stopped", _Stopping(), accept_coverage=True)
    except _Stopped:
        return
    raise AssertionError("the build was not stopped")


def make_encoder(folder: Path) -> None:
    """The folder of a small encoder."""
    save_model(folder / "encoder")


def written_graph(made: Path) -> str:
    """The steps of the graph of the small encoder; of each tensor its shape and its first values."""
    folder = made / "encoder"
    config = read_content(folder / "config.json", TransformerConfig)
    graph = write_encoder(config, architecture_of(folder, config), read_tensors(weight_files(folder))).graph
    tensors = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    steps = (node.SerializeToString(deterministic=True).hex() for node in graph.node)
    return sha256_text(*steps, *(f"{name} {each.shape} {_shown(each)}" for name, each in tensors.items()))


def _shown(values: npt.NDArray[np.generic]) -> str:
    return " ".join(f"{value:.6g}" for value in values.ravel()[:8].tolist())
