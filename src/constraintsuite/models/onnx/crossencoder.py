"""Sequence classifiers that read a query and a text together, on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.models.base import ModelFact, Pair, Scorer, Workbench
from constraintsuite.models.batches import BatchRun
from constraintsuite.models.cross import CrossSettings, choose_label
from constraintsuite.models.onnx.folder import (
    TransformerConfig,
    choose_length,
    read_content,
    refuse_what_torch_alone_does,
)
from constraintsuite.models.onnx.graphs import WrittenGraph, find_graph
from constraintsuite.models.onnx.layout import read_cross_layout
from constraintsuite.models.onnx.pooling import Floats
from constraintsuite.models.onnx.running import OnnxModel
from constraintsuite.models.onnx.tensors import read_shapes
from constraintsuite.models.tokenization import TokenBatch, TokenizerInput
from constraintsuite.store.files import sha256_text


def make_onnx_cross(folder: Path, settings: CrossSettings, bench: Workbench) -> Scorer:
    """The cross-encoder of a folder; NotForOnnx says why there is none. No weights are read yet."""
    refuse_what_torch_alone_does(folder, settings)
    layout = read_cross_layout(folder)
    config = read_content(folder / "config.json", TransformerConfig)
    graph = find_graph(folder, config, settings, "classifier")
    length = choose_length(folder, config, layout.own_length, settings)
    count = len(config.id2label) or 2  # what transformers takes where the configuration is silent
    if isinstance(graph, WrittenGraph):
        (count,) = read_shapes(graph.files)[f"{graph.kind.head.last}.bias"]
    label = choose_label(settings.label, config.id2label, count, str(folder))
    model = OnnxModel(folder, config, graph, length, settings, layout.lowercase)
    return OnnxCross(model, label, layout.prompt, bench)


class OnnxCross:
    """The raw logit of one label."""

    spreadable = True

    def __init__(self, model: OnnxModel, label: int, prompt: str, bench: Workbench) -> None:
        self.name = model.folder.name
        self.model, self.label, self.prompt, self.bench = model, label, prompt, bench

    @cached_property
    def fingerprint(self) -> str:
        """Of the model, the label and the prompt."""
        return sha256_text("cross", self.model.fingerprint, str(self.label), self.prompt)

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """One logit a pair."""
        prompted = self._prompted(pairs)
        items = list(dict.fromkeys(prompted))
        run = BatchRun("score", self, self.model.fingerprint, _key, self.model.limits, self.bench)
        logits = run(items, self.model.tokenization.lengths(items)).reshape(len(items), -1)
        scores = dict(zip(items, logits[:, self.label].astype(np.float64).tolist(), strict=True)) if items else {}
        return np.array([scores[pair] for pair in prompted], dtype=np.float64)

    def prepare(self, items: Sequence[TokenizerInput]) -> TokenBatch:
        """Tokens of a batch."""
        return self.model.batch(items)

    def compute(self, inputs: TokenBatch) -> Floats:
        """All logits of a batch: (pairs, labels)."""
        return self.model.session.run(inputs, "logits", dimensions=2)

    def visible(self, pairs: Sequence[Pair]) -> npt.NDArray[np.int64]:
        """How many characters of each pair's text are read."""
        return self.model.tokenization.visible(self._prompted(pairs))

    def describe(self) -> Mapping[str, ModelFact]:
        """What was settled."""
        labels = self.model.config.id2label
        return {
            **self.model.describe(),
            "label": self.label,
            "label_name": labels.get(self.label),
            "prompt": self.prompt,
        }

    def _prompted(self, pairs: Sequence[Pair]) -> list[TokenizerInput]:
        return [(self.prompt + query, text) for query, text in pairs]


def _key(item: TokenizerInput) -> str:
    return sha256_text(*item)
