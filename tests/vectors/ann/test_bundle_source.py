"""A bundle as data of a benchmark: its vectors stay where they are, its judgments come along."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_bundle import make_bundle, save_model

from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Silent
from constraintsuite.vectors.ann.data import checked
from constraintsuite.vectors.ann.sources.bundle import BundleSource
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.embed import embed_bundle

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundled")
    made = make_bundle(folder)
    embed_bundle(made, save_model(folder / "model"), Silent())
    return made


def test_vectors_and_judgments_of_a_bundle_are_found_by_row(bundle: Path) -> None:
    data = checked(BundleSource(path=bundle.name).load("tiny", bundle.parent))
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


def test_another_encoder_is_refused(bundle: Path) -> None:
    with pytest.raises(UserError, match="name one encoder"):
        BundleSource(path=bundle.name, encoder="dense:other").load("tiny", bundle.parent)


def test_what_is_relevant_is_what_the_bundle_calls_so(tmp_path: Path) -> None:
    made = make_bundle(tmp_path, min_relevance=2)
    embed_bundle(made, save_model(tmp_path / "model"), Silent())
    assert BundleSource(path=made.name).load("tiny", tmp_path).min_relevance == 2
