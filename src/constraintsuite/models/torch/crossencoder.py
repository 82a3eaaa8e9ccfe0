"""Cross-encoders on torch: any Hugging Face sequence classifier that reads pairs.

Each text is tokenised once. Batches are built on the CPU, sorted by length to avoid padding, and results are fetched one batch
later, so that a GPU never waits.
"""

# ruff: noqa: PLC0415 - the libraries take seconds to import, and wrong names are refused without them

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_text
from constraintsuite.models.backends import CrossSettings, choose_label
from constraintsuite.models.base import ModelFact, Pair, Scorer, Workbench
from constraintsuite.models.batches import BatchLimits, BatchModel, BatchRun, Pending
from constraintsuite.models.onnx.layout import read_default_prompt
from constraintsuite.models.torch.classifier import Classifier, load_classifier
from constraintsuite.models.torch.device import (
    count_threads,
    describe_device,
    inference,
    pick_device,
    workers_of_one_thread,
)
from constraintsuite.models.torch.folder import ModelFolder, library_versions
from constraintsuite.models.torch.settings import BatchSizes, fingerprint_of

if TYPE_CHECKING:
    import torch

Tensors = dict[str, "torch.Tensor"]
SIZES = BatchSizes(cpu=2_048, cuda=131_072, cpu_padding=0.05)


def make_torch_cross(folder: Path, settings: CrossSettings, bench: Workbench) -> Scorer:
    """The scorer of a folder; its weights are not loaded yet."""
    files = ModelFolder(folder)
    if not files.json("config.json"):
        raise UserError(f"{folder}: there is no config.json, so this is not a Hugging Face model.")
    files.refuse_pickle()
    return TorchCrossEncoder(folder, settings, bench)


class TorchCrossEncoder:
    """Scores pairs by a raw logit, without sigmoid."""

    spreadable = True

    def __init__(self, folder: Path, settings: CrossSettings, bench: Workbench) -> None:
        self.name = f"cross:{folder}"
        self.settings = settings
        self._folder = ModelFolder(folder)
        labels = self._folder.labels
        self.label = choose_label(settings.label, labels, len(labels), str(folder))
        self.prompt = _prompt(folder)
        self._bench = bench

    @cached_property
    def fingerprint(self) -> str:
        """Hash of files, settings, device and libraries; not of the threads, which change nothing (see workers_of_one_thread)."""
        own = fingerprint_of("torch cross-encoder", self._folder, self.settings, by_threads=False)
        return sha256_text(own, str(self.label))

    @cached_property
    def classifier(self) -> Classifier:
        """The classifier, loaded at first use."""
        chosen = self.settings
        device = pick_device(chosen.device)
        return load_classifier(self._folder.path, device, chosen.precision, chosen.length, chosen.trust)

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """The raw logit of each pair."""
        items = self._prompted(pairs)
        lengths = self.classifier.tokenization.lengths(items)
        device = pick_device(self.settings.device)
        if device.type == "cuda":
            return self._scored(items, lengths, CudaForward(self.classifier, self.label, device), 1)
        threads = count_threads(self.settings.threads)
        with workers_of_one_thread(threads) as workers:
            return self._scored(items, lengths, CpuForward(self.classifier, self.label, workers), threads)

    def describe(self) -> Mapping[str, ModelFact]:
        """Facts about the model and how it runs."""
        device = pick_device(self.settings.device)
        return {
            "class": type(self.classifier.model).__name__,
            "folder": self._folder.path.name,
            "weights": dict(self._folder.weights),
            "backend": "torch",
            "libraries": library_versions(),
            "device": describe_device(device),
            "threads": count_threads(self.settings.threads) if device.type == "cpu" else None,
            "precision": self.settings.precision,
            "attention": str(self.classifier.model.config._attn_implementation),
            "last_layer": "first token only" if self.classifier.first_token_only else "all tokens",
            "length": self.classifier.tokenization.max_length,
            "cut": self._folder.cut,
            "batch_tokens": self._limits.tokens,
            "label": self.label,
            "prompt": self.prompt,
            "score": "raw logit",
        }

    def visible(self, pairs: Sequence[Pair]) -> npt.NDArray[np.int64] | None:
        """How many characters are read of each pair's text; None if the model reads the end."""
        return None if self._folder.cuts_left else self.classifier.tokenization.visible(self._prompted(pairs))

    @property
    def _limits(self) -> BatchLimits:
        return SIZES.limits(self.settings, BatchLimits.items if self.classifier.pads else 1)

    def _scored(
        self, items: Sequence[Pair], lengths: Sequence[int], model: BatchModel[Pair, Tensors], in_flight: int
    ) -> npt.NDArray[np.float64]:
        run = BatchRun(
            "pairs",
            model,
            self.fingerprint if self._bench.cache else "",  # without a cache, hashing large weights would waste seconds
            lambda pair: f"{len(pair[0])} {pair[0]}{pair[1]}",
            self._limits,
            self._bench,
            in_flight,
        )
        return run(items, lengths).astype(np.float64)

    def _prompted(self, pairs: Sequence[Pair]) -> Sequence[Pair]:
        return [(self.prompt + query, text) for query, text in pairs] if self.prompt else pairs


@dataclass(frozen=True)
class PairForward:
    """Batches of pairs through a classifier."""

    classifier: Classifier
    label: int

    def prepare(self, items: Sequence[Pair]) -> Tensors:
        """The tokens of a batch; without padding there is no mask, which allows a faster attention."""
        import torch

        batch = self.classifier.tokenization.batch(items)
        arrays = {"input_ids": batch.input_ids}
        if not batch.attention_mask.all():
            arrays["attention_mask"] = batch.attention_mask
        if self.classifier.takes_types:
            arrays["token_type_ids"] = batch.token_type_ids
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    def forward(self, inputs: Tensors) -> torch.Tensor:
        """The logit that is the score."""
        scores: torch.Tensor = self.classifier.model(**inputs).logits[:, self.label].float()
        return scores


@dataclass(frozen=True)
class CpuForward(PairForward):
    """On a CPU: one worker thread per batch."""

    workers: Executor

    def compute(self, inputs: Tensors) -> Pending:
        """The pending scores of a worker thread."""
        return self.workers.submit(self._compute, inputs).result

    def _compute(self, inputs: Tensors) -> npt.NDArray[np.float32]:
        with inference():
            scores: npt.NDArray[np.float32] = self.forward(inputs).numpy()
            return scores


@dataclass(frozen=True)
class CudaForward(PairForward):
    """On a GPU: nothing waits until the scores are fetched."""

    device: torch.device

    def prepare(self, items: Sequence[Pair]) -> Tensors:
        """Tokens in pinned memory, which the device can read directly."""
        return {name: tensor.pin_memory() for name, tensor in super().prepare(items).items()}

    def compute(self, inputs: Tensors) -> Pending:
        """The pending scores of the device."""
        with inference():
            return _fetch_later(self.forward(self.copy(inputs)))

    def copy(self, inputs: Tensors) -> Tensors:
        """The inputs on the device."""
        return {name: tensor.to(self.device, non_blocking=True) for name, tensor in inputs.items()}


def _fetch_later(scores: torch.Tensor) -> Pending:
    """Copy the scores to the CPU right after this batch, not after the next one."""
    import torch

    here = torch.empty(scores.shape, dtype=scores.dtype, pin_memory=True)
    here.copy_(scores, non_blocking=True)
    done = torch.cuda.Event()
    done.record()

    def fetch() -> npt.NDArray[np.float32]:
        done.synchronize()
        result: npt.NDArray[np.float32] = here.numpy()
        return result

    return fetch


def _prompt(folder: Path) -> str:
    """The prompt of sentence-transformers before each query. Raises UserError if the folder has more layers."""
    modules = folder / "modules.json"
    if modules.is_file() and len(json.loads(modules.read_text(encoding="utf-8"))) > 1:
        raise UserError(f"{folder}: its modules.json adds layers after the classifier, which is not supported here.")
    return read_default_prompt(folder)
