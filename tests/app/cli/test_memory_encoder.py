"""A search with an encoder: what is seen while units are embedded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.cli.memory_commands import call, printed, write_documents
from constraintsuite.core.execution.progress import Terminal

tiny = pytest.importorskip("models.onnx.tiny_transformers")


def test_the_first_search_tells_how_far_it_is_and_the_second_embeds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(Terminal, "every_seconds", 0.0)  # every batch, however fast the machine
    tiny.save_encoder(tmp_path / "model")
    printed("ingest", write_documents(tmp_path), "--out", tmp_path / "graph")
    model = f"dense:{tmp_path / 'model'},batch_tokens=1"
    search = ("search", tmp_path / "graph", "crane", "--mode", "hybrid", "--encoder", model)
    first, second = call(*search), call(*search)
    assert re.search(r"1 of 6, about \d+ s left", first.stderr)
    assert "of 6" not in second.stderr
    assert first.stdout == second.stdout
    assert list((tmp_path / "cache" / "vectors").iterdir())
