"""A text that a real encoder gives no finite vector, or cannot run at all, is zero, named and counted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.vectors.bundle import Bundle, open_vectors
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset
from models.odd_words import add_word, break_every_text
from tiny_bundle import make_bundle, save_model, write_json_lines, write_source

TEXTS = ["hot soup", "rich soup with cream", "a zebra", "red pie", "pie and nuts"]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    ("value", "where"), [(float("nan"), "batches"), (None, "session")], ids=["no number", "cannot be run"]
)
def test_it_is_zero_named_and_counted(tmp_path: Path, value: float | None, where: str) -> None:
    model = save_model(tmp_path / "model")
    add_word(tmp_path / "model", "zebra", value)
    source = write_source(tmp_path / "source")
    write_json_lines(tmp_path / "source" / "docs.jsonl", [{"id": text, "text": text} for text in TEXTS])
    build_subset(source, SubsetSettings(size=5, mode="uniform"), tmp_path / "b", Silent(), accept_coverage=True)
    artifact = embed_bundle(tmp_path / "b", model, Silent())
    assert artifact.manifest.rejects == {"unworkable": 1}
    (event,) = json.loads((artifact.path / "environment.json").read_text())["events"]
    assert event.startswith(f"left out document a zebra: TextError ({where}.py:")
    bundle = Bundle.open(tmp_path / "b")
    lengths = np.linalg.norm(open_vectors(bundle).documents, axis=1)
    assert [text for text, length in zip(bundle.ids(), lengths, strict=True) if length == 0] == ["a zebra"]


def test_an_encoder_that_breaks_at_any_text_ends_the_work_with_its_own_words(tmp_path: Path) -> None:
    model = save_model(tmp_path / "model")
    break_every_text(tmp_path / "model")
    with pytest.raises(UserError, match=r"^encode document: the model gave no finite result"):
        embed_bundle(make_bundle(tmp_path), model, Silent())
