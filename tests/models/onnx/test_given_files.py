"""ONNX files of the user's: what decides their scores, and which are refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.revisions import REVISIONS, Revision
from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.models.model_names import load_scorer
from models.reading import characters_read

tiny = pytest.importorskip("models.onnx.tiny_transformers")

PAIRS = [("soup without cream", "soup with leeks and no cream"), ("soup without cream", "a rich soup with cream")]


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders of two models, and an empty cache."""
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    tiny.save_encoder(tmp_path / "models" / "dense")
    tiny.save_cross(tmp_path / "models" / "cross")
    return tmp_path / "models"


def load(name: str, bench: Workbench | None = None) -> Scorer:
    return load_scorer(name, bench or Workbench())


def give_file(models: Path, kind: str) -> Path:
    """The graph that was written, put beside the weights as a file of the user's, with its tensors in another."""
    load(f"{kind}:{models}/{kind}").score(PAIRS)
    (source,) = (models.parent / "cache" / "onnx").glob("*/model.onnx")
    for file in source.parent.iterdir():
        shutil.copy(file, models / kind / file.name)
    return models / kind / "weights.bin"


def test_tensors_in_another_file_are_part_of_the_fingerprint(models: Path, tmp_path: Path) -> None:
    name, bench = f"cross:{models}/cross,file=model.onnx", Workbench(cache=tmp_path / "scores")
    tensors = give_file(models, "cross")
    before = load(name, bench)
    scores = before.score(PAIRS)
    tensors.write_bytes((np.fromfile(tensors, dtype="<f4") * np.float32(0.5)).tobytes())
    after = load(name, bench)
    assert after.fingerprint != before.fingerprint
    assert after.score(PAIRS).tolist() != scores.tolist()
    assert set(before.describe()["weights"]) == {"model.onnx", "weights.bin"}  # type: ignore[attr-defined]


def test_a_file_whose_tensors_are_missing_or_elsewhere_is_refused(models: Path) -> None:
    name = f"cross:{models}/cross,file=model.onnx"
    give_file(models, "cross").unlink()
    with pytest.raises(UserError, match=r"the external tensor file weights\.bin is missing"):
        _ = load(name).fingerprint
    graph = onnx.load(models / "cross" / "model.onnx", load_external_data=False)
    for tensor in graph.graph.initializer:
        for entry in tensor.external_data:
            entry.value = "../weights.bin" if entry.key == "location" else entry.value
    onnx.save_model(graph, models / "cross" / "model.onnx")
    with pytest.raises(UserError, match="leads out of the folder"):
        _ = load(name).fingerprint


def test_the_padding_of_a_given_graph_is_part_of_the_fingerprint(models: Path) -> None:
    give_file(models, "cross")
    name, config = f"cross:{models}/cross,file=model.onnx", models / "cross" / "config.json"
    before = load(name).fingerprint
    config.write_text(json.dumps({**json.loads(config.read_text()), "pad_token_id": 3}))
    assert load(name).fingerprint != before


def test_a_graph_that_is_written_otherwise_is_another(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = load(f"dense:{models}/dense").fingerprint
    monkeypatch.setitem(REVISIONS, "onnx graph", Revision(99))
    assert load(f"dense:{models}/dense").fingerprint != before


def test_a_file_in_fp16_is_not_advised_to_be_run_in_fp16(models: Path) -> None:
    give_file(models, "cross")
    file = models / "cross" / "model.onnx"
    graph = onnx.load(file)
    graph.graph.initializer.append(onnx.numpy_helper.from_array(np.zeros(1, dtype=np.float16), "half"))
    onnx.save_model(graph, file)
    with pytest.raises(UserError, match=r"it computes in fp16, which is not run from an ONNX file here"):
        load(f"cross:{models}/cross,file=model.onnx").score(PAIRS)


def test_a_tokenizer_that_drops_the_beginning_is_left_to_torch(models: Path) -> None:
    config = models / "cross" / "tokenizer_config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "truncation_side": "left"}))
    with pytest.raises(UserError, match="drops the beginning of long texts is left to torch"):
        load(f"cross:{models}/cross,backend=onnx")
    assert characters_read(load(f"cross:{models}/cross"), [("a", "b")]) is None
