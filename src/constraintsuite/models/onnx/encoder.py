"""Sentence-transformers models on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.models.backends import DenseSettings, OnnxUnsupportedError
from constraintsuite.models.base import ModelFact, TextRole, Workbench
from constraintsuite.models.batches import BatchRun
from constraintsuite.models.onnx.folder import read_tensors, refuse_torch_settings, weight_files
from constraintsuite.models.onnx.layout import DenseLayer, read_layout
from constraintsuite.models.onnx.model import OnnxModel
from constraintsuite.models.onnx.pooling import Floats, PoolingStep, linear, normalize, pool
from constraintsuite.models.tokenization import TokenBatch, TokenizerInput


class OnnxEncoder(OnnxModel):
    """Runs the graph, the pooling, and the layers after it."""

    def __init__(self, folder: Path, settings: DenseSettings, bench: Workbench) -> None:
        refuse_torch_settings(folder, settings)
        self.layout = read_layout(folder, settings)
        self.similarity = self.layout.similarity
        super().__init__(self.layout.transformer, settings, bench, "encoder")

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model, the pooling, the layers after it, and the prompts."""
        layers = [layer for layer in self.layout.after if isinstance(layer, DenseLayer)]
        return sha256_text(
            self.graph_fingerprint,
            "+".join(self.layout.pooling),
            *(each if isinstance(each, str) else each.activation for each in self.layout.after),
            *(sha256_of(file) for layer in layers for file in weight_files(layer.folder)),
            *(f"{role}:{prompt}" for role, prompt in self.layout.prompts.items()),
        )

    def encode(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.float32]:
        """One vector per text, with the prompt of the role before it."""
        items = self._items(texts, role)
        run = BatchRun(f"encode {role}", self, self.fingerprint, "".join, self.limits, self.bench)
        return run(items, self.tokenization.lengths(items)).astype(np.float32, copy=False)

    def compute(self, inputs: TokenBatch) -> Floats:
        """The vectors of a batch: (texts, dimensions)."""
        hidden = self.session.run(inputs, "last_hidden_state", dimensions=3)
        vectors = pool(hidden, inputs.attention_mask, self.layout.pooling)
        for step in self._steps:
            vectors = step(vectors)
        return vectors

    def visible(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.int64]:
        """How many characters of each text are read, its prompt not counted."""
        seen = self.tokenization.visible(self._items(texts, role)) - len(self.layout.prompts[role])
        return np.maximum(seen, 0)

    def describe(self) -> Mapping[str, ModelFact]:
        """Weights, backend, limits, pooling and prompts, as they are recorded with a run."""
        after = [each if isinstance(each, str) else each.folder.name for each in self.layout.after]
        return {
            **super().describe(),
            "pooling": "+".join(self.layout.pooling),
            "after_pooling": after,
            "prompts": {str(role): prompt for role, prompt in self.layout.prompts.items()},
        }

    @cached_property
    def _steps(self) -> list[PoolingStep]:
        return [normalize if layer == "normalize" else _read_layer(layer) for layer in self.layout.after]

    def _items(self, texts: Sequence[str], role: TextRole) -> list[TokenizerInput]:
        return [(self.layout.prompts[role] + text,) for text in texts]


def _read_layer(layer: DenseLayer) -> PoolingStep:
    tensors = read_tensors(weight_files(layer.folder))
    if "linear.weight" not in tensors:
        raise OnnxUnsupportedError(f"{layer.folder}: there is no linear.weight in the layer's file.")
    return linear(tensors["linear.weight"], tensors.get("linear.bias"), layer.activation)
