"""Cross-encoders on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.core.store.files import sha256_text
from constraintsuite.models.backends import CrossSettings, choose_label
from constraintsuite.models.base import ModelFact, Pair, Workbench
from constraintsuite.models.batches import BatchRun
from constraintsuite.models.onnx.folder import read_shapes, refuse_torch_settings
from constraintsuite.models.onnx.graphs import WrittenGraph
from constraintsuite.models.onnx.layout import read_cross_prompt
from constraintsuite.models.onnx.model import OnnxModel
from constraintsuite.models.onnx.pooling import Floats
from constraintsuite.models.tokenization import TokenBatch, TokenizerInput


class OnnxCross(OnnxModel):
    """Scores pairs by the raw logit of one label."""

    def __init__(self, folder: Path, settings: CrossSettings, bench: Workbench) -> None:
        refuse_torch_settings(folder, settings)
        self.prompt = read_cross_prompt(folder)
        super().__init__(folder, settings, bench, "classifier")
        count = len(self.config.id2label) or 2  # the default of transformers
        if isinstance(self.graph, WrittenGraph):
            (count,) = read_shapes(self.graph.files)[f"{self.graph.kind.head.last}.bias"]
        self.label = choose_label(settings.label, self.config.id2label, count, str(folder))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model, the label and the prompt."""
        return sha256_text("cross", self.graph_fingerprint, str(self.label), self.prompt)

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """The raw logit of the chosen label for each pair; each distinct pair is computed once."""
        prompted = self._prompted(pairs)
        items = list(dict.fromkeys(prompted))
        run = BatchRun("score", self, self.graph_fingerprint, _key, self.limits, self.bench)
        logits = run(items, self.tokenization.lengths(items)).reshape(len(items), -1)
        scores = dict(zip(items, logits[:, self.label].astype(np.float64).tolist(), strict=True)) if items else {}
        return np.array([scores[pair] for pair in prompted], dtype=np.float64)

    def compute(self, inputs: TokenBatch) -> Floats:
        """All logits of a batch: (pairs, labels)."""
        return self.session.run(inputs, "logits", dimensions=2)

    def visible(self, pairs: Sequence[Pair]) -> npt.NDArray[np.int64]:
        """How many characters of each pair's text are read."""
        return self.tokenization.visible(self._prompted(pairs))

    def describe(self) -> Mapping[str, ModelFact]:
        """Weights, backend, limits, label and prompt, as they are recorded with a run."""
        name = self.config.id2label.get(self.label)
        return {**super().describe(), "label": self.label, "label_name": name, "prompt": self.prompt}

    def _prompted(self, pairs: Sequence[Pair]) -> list[TokenizerInput]:
        return [(self.prompt + query, text) for query, text in pairs]


def _key(item: TokenizerInput) -> str:
    return sha256_text(*item)
