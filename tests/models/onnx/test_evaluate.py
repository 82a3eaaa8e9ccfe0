"""From a folder of weights to a run, as a user does it; and the real weights, where they were fetched."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.evaluate import eval_command
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.models.weights import find_known, find_variant
from experiments.tiny_suite import write_suite

tiny = pytest.importorskip("models.onnx.tiny_transformers")

_MINILM = find_known("all-MiniLM-L6-v2")
assert _MINILM is not None
MINILM = find_variant(_MINILM, "fp32")
PASSAGES = [
    "Leek soup can be made without any cream; potatoes make it thick.",
    "A creamy leek soup: fry the leeks in butter, then add half a litre of cream.",
    "No dogs are allowed on this campsite, except guide dogs.",
    "",
    "The committee did not deny that the report had never been read. " * 40,
]


@pytest.mark.parametrize("family", ["dense", "cross"])
def test_a_folder_is_evaluated_and_described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    save = {"dense": tiny.save_encoder, "cross": tiny.save_cross}[family]
    save(tmp_path / "model")
    suite = write_suite(tmp_path / "suite")
    arguments = [str(suite), "--model", f"{family}:{tmp_path / 'model'}", "--out", str(tmp_path / "runs"), "--json"]
    first = CliRunner().invoke(eval_command, arguments, catch_exceptions=False)
    (entry,) = json.loads(first.stdout)
    described = json.loads((Path(entry["run"]) / "model.json").read_text())
    assert described["precision"] == "fp32"
    assert described["backend"].startswith("onnxruntime")
    assert list(described["weights"]) == ["model.safetensors"]
    assert str(tmp_path) not in (Path(entry["run"]) / "model.json").read_text()
    again = CliRunner().invoke(eval_command, arguments, catch_exceptions=False)
    assert "up to date" in again.stderr
    assert json.loads(again.stdout) == json.loads(first.stdout)


@pytest.mark.skipif(MINILM is None, reason="not on this machine: csuite fetch all-MiniLM-L6-v2")
def test_the_real_weights_give_what_torch_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    library = tiny.SentenceTransformer(str(MINILM), device="cpu")
    expected = library.similarity(library.encode_query(PASSAGES), library.encode_document(PASSAGES)).numpy()
    pairs = [(query, text) for query in PASSAGES for text in PASSAGES]
    scores = load_scorer(f"dense:{MINILM}", Workbench()).score(pairs).reshape(expected.shape)
    assert np.abs(scores - expected).max() < 1e-5
