"""Cross-encoders on torch: any Hugging Face sequence classifier that reads pairs.

Texts are tokenised once each, pairs are put together beside the device, sorted by length so that hardly anything is
padding, and results are fetched one batch late so that the device never waits.
"""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong name is told without it

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

from constraintsuite.errors import UserError
from constraintsuite.models.base import Fact, Pair, Scorer, Workbench
from constraintsuite.models.batches import BatchLimits, BatchModel, BatchRun, Pending
from constraintsuite.models.torch.classifier import Classifier, load_classifier
from constraintsuite.models.torch.device import (
    count_threads,
    describe_device,
    pick_device,
    telling_out_of_memory,
    workers_of_one_thread,
)
from constraintsuite.models.torch.folder import ModelFolder, library_versions
from constraintsuite.store.files import sha256_text

if TYPE_CHECKING:
    import torch

    from constraintsuite.models.cross import CrossSettings

Tensors = dict[str, "torch.Tensor"]
_LIMITS = {
    "cpu": BatchLimits(tokens=2_048, padding=0.05),
    "cuda": BatchLimits(tokens=131_072, padding=0.05),
}


@dataclass(frozen=True)
class CrossOptions:
    """What decides how a folder is run."""

    label: int = 0
    """Which logit is the score."""
    length: int | None = None
    precision: str = "fp32"
    device: str = "auto"
    batch_tokens: int | None = None
    threads: int | None = None
    trust: bool = False


def make_torch_cross(folder: Path, settings: CrossSettings, bench: Workbench) -> Scorer:
    """The scorer of a folder; its configuration is looked at, its weights are not read yet."""
    from constraintsuite.models.cross import choose_label

    files = ModelFolder(folder)
    config = files.json("config.json")
    if not config:
        raise UserError(f"{folder}: there is no config.json, so this is no model of Hugging Face.")
    files.refuse_pickle()
    names = config.get("id2label")
    labels = {int(number): str(name) for number, name in names.items()} if isinstance(names, dict) else {}
    count = len(labels) or 2  # a configuration that says nothing means two
    options = CrossOptions(
        label=choose_label(settings.label, labels, count, str(folder)),
        length=settings.length,
        precision=settings.precision,
        device=settings.device,
        batch_tokens=settings.batch_tokens,
        threads=settings.threads,
        trust=settings.trust,
    )
    return TorchCrossEncoder(folder, options, bench)


class TorchCrossEncoder:
    """Scores pairs by a logit as the model gives it, without sigmoid."""

    def __init__(self, folder: Path, options: CrossOptions, bench: Workbench) -> None:
        self.name = f"cross:{folder}"
        self.options = options
        self.prompt = _prompt(folder)
        self._folder = ModelFolder(folder)
        self._bench = bench

    @cached_property
    def fingerprint(self) -> str:
        """Of the files, the settings, the device and the libraries."""
        options = self.options
        return sha256_text(
            "torch cross-encoder",
            self._folder.fingerprint,
            *(f"{name}={value}" for name, value in library_versions().items()),
            f"{options.label} {options.length} {options.precision} {options.batch_tokens}",
            str(pick_device(options.device)),  # the number of threads changes nothing: see workers_of_one_thread
        )

    @cached_property
    def classifier(self) -> Classifier:
        """The weights, read when first asked for."""
        options = self.options
        device = pick_device(options.device)
        return load_classifier(self._folder.path, device, options.precision, options.length, options.trust)

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """The raw logit of each pair."""
        items = self._prompted(pairs)
        lengths = self.classifier.tokenization.lengths(items)
        device = pick_device(self.options.device)
        if device.type == "cuda":
            return self._scored(items, lengths, CudaForward(self.classifier, self.options.label, device), 1)
        threads = count_threads(self.options.threads)
        with workers_of_one_thread(threads) as workers:
            return self._scored(items, lengths, CpuForward(self.classifier, self.options.label, workers), threads)

    def visible(self, pairs: Sequence[Pair]) -> npt.NDArray[np.int64]:
        """How many characters of each pair's text are read."""
        return self.classifier.tokenization.visible(self._prompted(pairs))

    def describe(self) -> Mapping[str, Fact]:
        """What was loaded, and how it is run."""
        device = pick_device(self.options.device)
        return {
            "class": type(self.classifier.model).__name__,
            "folder": self._folder.path.name,
            "weights": dict(self._folder.weights),
            "backend": "torch",
            "libraries": library_versions(),
            "device": describe_device(device),
            "threads": count_threads(self.options.threads) if device.type == "cpu" else None,
            "precision": self.options.precision,
            "attention": str(self.classifier.model.config._attn_implementation),
            "last_layer": "first token only" if self.classifier.first_token_only else "all tokens",
            "length": self.classifier.tokenization.max_length,
            "batch_tokens": self._limits.tokens,
            "label": self.options.label,
            "prompt": self.prompt,
            "score": "raw logit",
        }

    @property
    def _limits(self) -> BatchLimits:
        usual = _LIMITS[pick_device(self.options.device).type]
        return BatchLimits(self.options.batch_tokens or usual.tokens, padding=usual.padding)

    def _scored(
        self, items: Sequence[Pair], lengths: Sequence[int], model: BatchModel[Pair, Tensors], in_flight: int
    ) -> npt.NDArray[np.float64]:
        run = BatchRun(
            "pairs",
            model,
            self.fingerprint if self._bench.cache else "",  # hashing large weights for nothing takes seconds
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
        """Tokens as the model takes them; without padding there is no mask, which lets faster attention run."""
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
    """On a processor: each batch is one worker's."""

    workers: Executor

    def compute(self, inputs: Tensors) -> Pending:
        """The score of each item, when a worker has it."""
        return self.workers.submit(self._compute, inputs).result

    def _compute(self, inputs: Tensors) -> npt.NDArray[np.float32]:
        import torch

        with telling_out_of_memory(), torch.inference_mode():
            scores: npt.NDArray[np.float32] = self.forward(inputs).numpy()
            return scores


@dataclass(frozen=True)
class CudaForward(PairForward):
    """On a GPU: nothing is waited for until the score is fetched."""

    device: torch.device

    def prepare(self, items: Sequence[Pair]) -> Tensors:
        """Tokens in memory that the device can read by itself."""
        return {name: tensor.pin_memory() for name, tensor in super().prepare(items).items()}

    def compute(self, inputs: Tensors) -> Pending:
        """The score of each item, when the device is done."""
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel

        # cuDNN, left out here, plans its work anew for each shape, and hardly two batches have the same.
        kernels = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
        with telling_out_of_memory(), torch.inference_mode(), sdpa_kernel(kernels):
            return _fetch_later(self.forward(self.copy(inputs)))

    def copy(self, inputs: Tensors) -> Tensors:
        """The inputs on the device."""
        return {name: tensor.to(self.device, non_blocking=True) for name, tensor in inputs.items()}


def _fetch_later(scores: torch.Tensor) -> Pending:
    """Let the copy to the processor follow right behind the batch, not behind the next one."""
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
    """What sentence-transformers would put before each query; a folder with layers of its own is refused."""
    modules = folder / "modules.json"
    if modules.is_file() and len(json.loads(modules.read_text(encoding="utf-8"))) > 1:
        raise UserError(f"{folder}: its modules.json adds layers behind the classifier, which is not supported here.")
    config = ModelFolder(folder).sentence_config
    prompts = config.get("prompts")
    name = config.get("default_prompt_name")
    return str(prompts.get(name, "")) if isinstance(prompts, dict) and isinstance(name, str) else ""
