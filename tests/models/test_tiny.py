"""`cross:tiny`, the trained cross-encoder that comes with the package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from constraintsuite.core.store.files import sha256_of
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.models.weights import fetch_weights, find_known, find_weights, known_models

PAIRS = [
    ("soups without cream", "A tomato soup that is thickened with bread."),
    ("soups without cream", "A soup with a lot of cream."),
    ("soups without cream", "The gearbox has to be opened from below."),
]


@pytest.fixture
def folder() -> Path:
    return find_weights("tiny")


def test_it_is_within_ten_megabytes_and_what_was_measured(folder: Path) -> None:
    assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) <= 10_000_000
    variant = find_known("tiny")
    assert variant is not None
    assert [sha256_of(folder / "model.safetensors")] == [*variant.files["model.safetensors"].sha256]
    assert fetch_weights(variant, "fp32") == folder


def test_its_card_says_the_same_licence_and_what_it_was_not_trained_on(folder: Path) -> None:
    _, head, text = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    assert yaml.safe_load(head)["license"] == str(known_models()["tiny"].licence).lower()
    assert "No text of\nMS MARCO" in text


def test_torch_and_onnx_give_the_same_logits() -> None:
    onnx, torch = (load_scorer(f"cross:tiny,backend={name}", Workbench()).score(PAIRS) for name in ("onnx", "torch"))
    np.testing.assert_allclose(onnx, torch, atol=2e-5)


def test_it_knows_what_a_text_is_about() -> None:
    """Titles of the bundled corpus, which it was not trained on, against their own text and that of the next one."""
    documents = list(open_source(SourceSettings(source="sample")).documents(BadRows()))[::12]
    own = [(one.title, one.text) for one in documents]
    other = [
        (one.title, following.text) for one, following in zip(documents, [*documents[1:], documents[0]], strict=True)
    ]
    scores = load_scorer("cross:tiny,backend=onnx", Workbench()).score([*own, *other]).reshape(2, -1)
    assert len(documents) >= 30
    assert np.mean(scores[0] > scores[1]) > 0.9
