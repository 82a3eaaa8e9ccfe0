"""The base class of encoders and cross-encoders on ONNX Runtime."""

# ruff: noqa: PLC0415 - ONNX Runtime is imported only for the first batch

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer, normalizers

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.models.backends import OnnxUnsupportedError, TransformerSettings
from constraintsuite.models.base import ModelFact, Workbench
from constraintsuite.models.batches import BatchLimits
from constraintsuite.models.onnx.folder import (
    TransformerConfig,
    choose_length,
    read_content,
    read_text_config,
    tokenizer_config,
    tokenizer_file,
)
from constraintsuite.models.onnx.graphs import Purpose, find_graph
from constraintsuite.models.tokenization import TokenBatch, Tokenization, TokenizerInput, cuts_left

if TYPE_CHECKING:
    from constraintsuite.models.onnx.session import OnnxSession

_BATCH_TOKENS = 2_048  # larger batches are not faster on a CPU


class OnnxModel:
    """A graph with its tokenizer and settings; raises OnnxUnsupportedError if ONNX Runtime cannot run the model.

    Weights are read at the first batch.
    """

    spreadable = True

    def __init__(self, folder: Path, settings: TransformerSettings, bench: Workbench, purpose: Purpose) -> None:
        self.name = folder.name
        self.folder, self.settings, self.bench = folder, settings, bench
        self.config = read_content(folder / "config.json", TransformerConfig)
        self.graph = find_graph(folder, self.config, settings, purpose)
        text = read_text_config(folder)
        self.length = choose_length(folder, self.config, text.max_seq_length, settings)
        self.lowercase = text.do_lower_case
        self.tokenizer_file = tokenizer_file(folder)
        if cuts_left(folder):
            raise OnnxUnsupportedError(
                f"{folder}: a tokenizer that drops the beginning of long texts is left to torch."
            )
        # A quantised graph scales by the batch, so a result would depend on the other texts: one text per batch.
        most = {"int8": 1}.get(settings.precision, BatchLimits.items)
        self.limits = BatchLimits(settings.batch_tokens or _BATCH_TOKENS, most)
        self.numbers_pairs = tokenizer_config(folder).numbers_pairs

    @cached_property
    def graph_fingerprint(self) -> str:
        """Hash of weights, tokenizer, settings and libraries."""
        return sha256_text(
            self.graph.fingerprint,
            sha256_of(self.tokenizer_file),
            *(
                str(part)
                for part in (self.length, self.lowercase, self.numbers_pairs, self.limits, self.config.padding)
            ),
            *(f"{library} {version(library)}" for library in ("onnxruntime", "tokenizers")),
        )

    @cached_property
    def tokenization(self) -> Tokenization:
        """The model's tokenizer, read at first use."""
        try:
            tokenizer = Tokenizer.from_file(str(self.tokenizer_file))
        except Exception as error:  # the library raises nothing narrower
            raise UserError(f"{self.tokenizer_file}: this is not a tokenizer that can be read ({error}).") from None
        if self.lowercase:
            own = tokenizer.normalizer
            tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), *([own] if own else [])])
        return Tokenization(tokenizer, self.length, self.config.padding)

    @cached_property
    def session(self) -> OnnxSession:
        """The graph, opened at first use."""
        from constraintsuite.models.onnx.session import OnnxSession

        return OnnxSession(self.graph.graph_file(), self.settings.threads)

    def prepare(self, items: Sequence[TokenizerInput]) -> TokenBatch:
        """The tokens of a batch, as inputs of the graph."""
        batch = self.tokenization.batch(items)
        return batch if self.numbers_pairs else batch._replace(token_type_ids=np.zeros_like(batch.input_ids))

    def describe(self) -> Mapping[str, ModelFact]:
        """Weights, backend, precision and limits, as they are recorded with a run."""
        return {
            "weights": dict(self.graph.hashes),
            "backend": f"onnxruntime {version('onnxruntime')}",
            "precision": self.settings.precision,
            "length": self.length,
            "token_types": self.numbers_pairs,
            "batch_tokens": self.limits.tokens if self.limits.items > 1 else None,
        }
