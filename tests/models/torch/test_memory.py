"""Memory that ends: a real module that says so as torch does, and batches that are cut up until they fit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch

from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.cache import CachedArray
from constraintsuite.models.base import Workbench
from constraintsuite.models.batches import BatchLimits, BatchRun
from constraintsuite.models.torch.device import inference
from constraintsuite.vectors.embed import embed_bundle
from models.onnx.tiny_transformers import save_encoder
from tiny_bundle import make_bundle

TEXTS = [f"{number:02}{'x' * (10 + number % 7)}" for number in range(64)]


class Narrow(torch.nn.Module):  # type: ignore[misc]
    """A layer over characters that takes so many of them at a time, and counts how often it was asked for more."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.table = torch.nn.Embedding(256, 8)
        self.room, self.refused = room, 0

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        if tokens.numel() > self.room:
            self.refused += 1
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        rows: torch.Tensor = self.table(tokens).cumsum(dim=1)[:, -1]
        return rows


class NarrowModel:
    """The module, with texts as rows of bytes."""

    def __init__(self, room: int) -> None:
        torch.manual_seed(0)
        self.module = Narrow(room)

    def prepare(self, items: Sequence[str]) -> torch.Tensor:
        width = max(map(len, items))
        return torch.tensor([list(item.ljust(width).encode()) for item in items])

    def compute(self, inputs: torch.Tensor) -> npt.NDArray[np.float32]:
        with inference():
            rows: npt.NDArray[np.float32] = self.module(inputs).numpy()
            return rows


def run(model: NarrowModel, bench: Workbench, texts: Sequence[str] = TEXTS) -> CachedArray:
    limits = BatchLimits(tokens=160, padding=0.0)  # so that a row does not depend on its company here
    return BatchRun("texts", model, "", str, limits, bench)(texts, [len(text) for text in texts])


def test_what_does_not_fit_is_cut_up_and_gives_the_same() -> None:
    bench = Workbench()
    rows = run(NarrowModel(room=40), bench)
    np.testing.assert_allclose(rows, run(NarrowModel(room=1_000), Workbench()), atol=1e-5)
    assert any("did not fit into memory and was halved" in event for event in bench.events)


def test_what_is_as_large_as_what_did_not_fit_is_not_tried_again() -> None:
    model, bench = NarrowModel(room=40), Workbench()
    run(model, bench, ["a dozen of x"] * 65)
    assert model.module.refused == len(bench.events) == 3  # 13, 6 and 4 texts, though there are five batches of 13


def test_of_an_embedding_it_stands_beside_the_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    forward = torch.nn.Embedding.forward

    def forward_of_four(self: torch.nn.Embedding, tokens: torch.Tensor) -> torch.Tensor:
        if self.num_embeddings == 21 and len(tokens) > 4:  # the table of words
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(self, tokens)

    monkeypatch.setattr(torch.nn.Embedding, "forward", forward_of_four)
    save_encoder(tmp_path / "model")
    model = f"dense:{tmp_path}/model,backend=torch,threads=1"
    artifact = embed_bundle(make_bundle(tmp_path), model, Silent())
    events = json.loads((artifact.path / "environment.json").read_text())["events"]
    assert any(event.startswith("documents: a batch of ") and "was halved" in event for event in events)
