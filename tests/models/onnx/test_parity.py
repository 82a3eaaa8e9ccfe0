"""Graphs written here against torch: the same folder, run by the library it comes from."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from constraintsuite.models.backends import CrossSettings, DenseSettings, Pooling
from constraintsuite.models.base import Workbench
from constraintsuite.models.onnx.crossencoder import OnnxCross
from constraintsuite.models.onnx.encoder import OnnxEncoder
from constraintsuite.models.onnx.pooling import pool

torch = pytest.importorskip("torch")
tiny = pytest.importorskip("models.onnx.tiny_transformers")

LONG = "the soup is very rich and " * 60  # is cut
TEXTS = ["soup with cream", "", "a pie", "the soups and the pies with no nuts is very very rich", LONG, "leeks " * 150]
PAIRS = [(query, text) for query in ("soup without cream", "no nuts", LONG) for text in TEXTS]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def vectors(folder: Path, texts: list[str], **options: object) -> np.ndarray:
    return OnnxEncoder(folder, DenseSettings.model_validate(options), Workbench()).encode(texts, "document")


@pytest.mark.parametrize("kind", ["bert", "camembert", "distilbert", "electra", "mpnet", "roberta"])
def test_vectors_are_those_of_the_library(tmp_path: Path, kind: str) -> None:
    expected = tiny.save_encoder(tmp_path / "model", kind).encode_document(TEXTS)
    difference = np.abs(vectors(tmp_path / "model", TEXTS) - expected).max()
    print(f"{kind}: largest difference {difference:.1e}")
    assert difference < 1e-5


@pytest.mark.parametrize("kind", ["bert", "distilbert", "electra", "mpnet", "xlm-roberta"])
def test_logits_are_those_of_the_library(tmp_path: Path, kind: str) -> None:
    library = tiny.save_cross(tmp_path / "model", kind)
    expected = library.predict(PAIRS, activation_fn=torch.nn.Identity(), batch_size=4)
    scorer = OnnxCross(tmp_path / "model", CrossSettings(), Workbench())
    difference = np.abs(scorer.score(PAIRS) - expected).max()
    print(f"{kind}: largest difference {difference:.1e}")
    assert difference < 1e-5
    assert np.ptp(expected) > 0.1


def test_a_cross_encoder_saved_by_its_library_keeps_its_prompt_and_length(tmp_path: Path) -> None:
    tiny.save_cross(tmp_path / "plain")
    settings = {"prompts": {"ask": "no nuts and "}, "default_prompt_name": "ask", "max_length": 12}
    library = tiny.CrossEncoder(str(tmp_path / "plain"), device="cpu", **settings)
    library.save(str(tmp_path / "model"))
    expected = library.predict(PAIRS, activation_fn=torch.nn.Identity())
    scorer = OnnxCross(tmp_path / "model", CrossSettings(), Workbench())
    assert np.abs(scorer.score(PAIRS) - expected).max() < 1e-5
    plain = OnnxCross(tmp_path / "plain", CrossSettings(length=12), Workbench())
    assert np.abs(plain.score(PAIRS) - expected).max() > 0.01
    assert plain.fingerprint != scorer.fingerprint


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("modes", [*((mode,) for mode in get_args(Pooling)), ("mean", "cls"), ("max", "lasttoken")])
def test_every_pooling_is_that_of_the_library(modes: tuple[Pooling, ...], left: bool) -> None:
    tokens = np.random.default_rng(3).normal(size=(3, 5, 4)).astype(np.float32)
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 0, 0, 0]])[:, :: -1 if left else 1].copy()
    features = {"token_embeddings": torch.tensor(tokens), "attention_mask": torch.tensor(mask)}
    expected = tiny.Pooling(4, modes).forward(features)["sentence_embedding"].numpy()
    assert np.allclose(pool(tokens, mask, modes), expected, atol=1e-6)


@pytest.mark.parametrize("activation", ["gelu_new", "relu"])
def test_every_activation_is_that_of_the_library(tmp_path: Path, activation: str) -> None:
    model = tiny.save_encoder(tmp_path / "model", hidden_act=activation)
    assert np.abs(vectors(tmp_path / "model", TEXTS) - model.encode_document(TEXTS)).max() < 1e-5


def test_a_linear_layer_after_the_pooling_is_applied(tmp_path: Path) -> None:
    expected = tiny.save_encoder(tmp_path / "model", dense=True).encode_document(TEXTS)
    assert expected.shape == (len(TEXTS), 12)
    assert np.abs(vectors(tmp_path / "model", TEXTS) - expected).max() < 1e-5


def test_the_folders_own_length_is_kept_to(tmp_path: Path) -> None:
    model = tiny.save_encoder(tmp_path / "model", length=10)
    encoder = OnnxEncoder(tmp_path / "model", DenseSettings(), Workbench())
    assert np.abs(encoder.encode(TEXTS, "document") - model.encode_document(TEXTS)).max() < 1e-5
    assert encoder.visible([LONG, "a pie"], "document").tolist() == [len("the soup is very rich and the soup"), 5]


def test_prompts_go_by_role(tmp_path: Path) -> None:
    model = tiny.save_encoder(tmp_path / "model", prompts={"query": "soup ", "document": "pie "})
    encoder = OnnxEncoder(tmp_path / "model", DenseSettings(), Workbench())
    assert np.abs(encoder.encode(TEXTS, "query") - model.encode_query(TEXTS)).max() < 1e-5
    assert np.abs(encoder.encode(TEXTS, "document") - model.encode_document(TEXTS)).max() < 1e-5
    assert encoder.visible(["leeks"], "query").tolist() == [5]


def test_a_result_does_not_depend_on_its_neighbours(tmp_path: Path) -> None:
    tiny.save_encoder(tmp_path / "model")
    together = vectors(tmp_path / "model", TEXTS)
    alone = np.concatenate([vectors(tmp_path / "model", [text]) for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-6


def test_a_folder_with_several_poolings_gives_longer_vectors(tmp_path: Path) -> None:
    expected = tiny.save_encoder(tmp_path / "model", pooling=("mean", "cls"), normalize=False).encode_document(TEXTS)
    assert expected.shape == (len(TEXTS), 32)
    assert np.abs(vectors(tmp_path / "model", TEXTS) - expected).max() < 1e-5
