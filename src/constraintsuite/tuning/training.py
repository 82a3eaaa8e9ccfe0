"""Train one epoch: a model with its optimizer and schedule, and a plain loop over planned steps."""

# The libraries take seconds to import, and a wrong recipe is reported without them.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Advance
from constraintsuite.core.store.files import whole_folder, write_text
from constraintsuite.models.base import OutOfMemory
from constraintsuite.models.torch.device import as_out_of_memory
from constraintsuite.tuning.batches import PAIRS, TEXTS, Preprocess, TaskTokenizer, TrainingStep, with_texts
from constraintsuite.tuning.lists import Lists
from constraintsuite.tuning.losses import BatchColumns, Loss, ModelKind, make_loss
from constraintsuite.tuning.models import (
    LibraryModel,
    inject_lora,
    load_model,
    merged_weights,
    plain_name,
    quiet,
    save_model,
)
from constraintsuite.tuning.recipe import TaskSettings
from constraintsuite.tuning.settings import LossSettings

if TYPE_CHECKING:
    import torch

_STATE, _PROGRESS = "state.pt", "progress.json"


class TaskProgress(NamedTuple):
    """The progress of a task."""

    steps: int
    loss: float
    """The mean loss of the last epoch."""


@dataclass(frozen=True)
class TrainingSession:
    """One task on one model."""

    kind: ModelKind
    task: TaskSettings
    start: Path
    """The checkpoint that the task started from."""
    model: LibraryModel
    optimizer: torch.optim.Optimizer
    scheduler: torch.optim.lr_scheduler.LRScheduler

    @property
    def trained(self) -> dict[str, torch.nn.Parameter]:
        """The weights that are trained, by name."""
        return {name: weight for name, weight in self.model.named_parameters() if weight.requires_grad}

    def write_checkpoint(self, out: Path, *, half: bool) -> None:
        """Write the complete model as a folder; low-rank additions are merged."""
        # A cross-encoder reads as many tokens as before, whatever the length of the task; a bi-encoder reads that length.
        length = None if self.kind == "cross" else self.task.length
        clean = load_model(self.start, self.kind, length, "cpu")
        save_model(clean, self.kind, out, merged_weights(self.model), half=half)

    def write_state(self, out: Path, progress: TaskProgress) -> None:
        """Write what the next epoch needs: trained weights in full precision, optimizer, learning rate and progress."""
        import torch

        weights = {name: weight.detach() for name, weight in self.trained.items()}
        state = {"optimizer": self.optimizer.state_dict(), "scheduler": self.scheduler.state_dict()}
        with whole_folder(out) as fresh:
            torch.save({"weights": weights, **state}, fresh / _STATE)
            write_text(fresh / _PROGRESS, json.dumps(progress._asdict()) + "\n")

    def read_state(self, folder: Path) -> None:
        """Continue from what `write_state` wrote."""
        import torch

        state = torch.load(folder / _STATE, map_location=self.model.device, weights_only=True)
        self.model.load_state_dict(state["weights"], strict=False)
        self.optimizer.load_state_dict(state["optimizer"])
        self.scheduler.load_state_dict(state["scheduler"])


def open_session(
    kind: ModelKind, task: TaskSettings, start: Path, state: Path | None, total: int, device: str, seed: int
) -> TrainingSession:
    """The model of a task as the task started, or as it was in `state`; the task has `total` steps in all."""
    import torch

    torch.manual_seed(seed)  # for the initial values of low-rank additions
    model = load_model(start, kind, task.length, device)
    if task.lora is not None:
        inject_lora(model, task.lora)
    _freeze(model, task.freeze)  # after the additions: those to frozen parts are frozen too
    optimizer = _optimizer(model, task, device)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, _curve(task, total))
    session = TrainingSession(kind, task, start, model, optimizer, scheduler)
    if state is not None:
        session.read_state(state)
    return session


def read_progress(state: Path) -> TaskProgress:
    """The progress of a saved state."""
    return TaskProgress(**json.loads((state / _PROGRESS).read_text(encoding="utf-8")))


def _freeze(model: LibraryModel, parts: tuple[str, ...]) -> None:
    weights = [(plain_name(name), weight) for name, weight in model.named_parameters()]
    names = [name for name, _ in weights]
    for part in parts:
        if not any(f".{part}." in f".{name}." for name in names):
            raise UserError(
                f"freeze: no weight of the model is part of {part!r}. Weights are called like {names[0]!r}."
            )
    for name, weight in weights:
        if any(f".{part}." in f".{name}." for part in parts):
            weight.requires_grad_(False)


def _optimizer(model: LibraryModel, task: TaskSettings, device: str) -> torch.optim.Optimizer:
    """AdamW without weight decay for biases and norms, which have one dimension."""
    import torch

    moving = [weight for weight in model.parameters() if weight.requires_grad]
    if not moving:
        raise UserError(f"Task {task.name}: everything is frozen, so there is nothing to train.")
    groups = [
        {"params": [weight for weight in moving if weight.ndim > 1], "weight_decay": task.decay},
        {"params": [weight for weight in moving if weight.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW([g for g in groups if g["params"]], lr=task.rate, fused=device == "cuda")


def _curve(task: TaskSettings, total: int) -> Callable[[int], float]:
    """The learning rate at each step, as a share of the largest."""
    rising = max(1, math.ceil(task.warmup * total)) if task.warmup else 0

    def share(step: int) -> float:
        if step < rising:
            return (step + 1) / (rising + 1)
        if task.schedule == "constant":
            return 1.0
        left = max(0.0, (total - step) / max(1, total - rising))
        return left if task.schedule == "linear" else 0.5 * (1 - math.cos(math.pi * left))

    return share


@dataclass(frozen=True)
class EpochTask:
    """The lists and the loss of one task in an epoch; an epoch with replay has several."""

    lists: Lists
    loss: Loss
    settings: LossSettings


def train_epoch(
    session: TrainingSession,
    steps: Sequence[TrainingStep],
    tasks: Mapping[str, EpochTask],
    tokenizer: TaskTokenizer,
    *,
    seed: int,
    bf16: bool,
    advance: Advance,
) -> float:
    """Make all steps and return the mean loss; randomness depends on the seed alone, not on earlier epochs."""
    losses = {
        name: make_loss(
            session.kind, task.loss, session.model, task.settings.model_dump(exclude={"kind"}, exclude_none=True)
        )
        for name, task in tasks.items()
    }
    inputs = _inputs(session, tokenizer)

    def compute(step: TrainingStep) -> torch.Tensor:
        task = tasks[step.task]
        return losses[step.task](*inputs(task.loss.view(with_texts(task.lists, step.rows))))

    try:
        with quiet(), _precision(session.model, bf16=bf16), _attention(session.model), as_out_of_memory():
            loss = _make_steps(session, steps, compute, seed, advance)
    except OutOfMemory as error:
        raise UserError(f"Task {session.task.name}: {error}. Use a smaller `batch`, or a smaller `length`.") from None
    if not math.isfinite(loss):
        raise UserError(
            f"Task {session.task.name}: the loss became {loss}. A smaller `rate`, or `precision: fp32`, may help."
        )
    return loss


def _make_steps(
    session: TrainingSession,
    steps: Sequence[TrainingStep],
    compute: Callable[[TrainingStep], torch.Tensor],
    seed: int,
    advance: Advance,
) -> float:
    """Make the steps and return their mean loss."""
    import torch
    from transformers import set_seed

    model, optimizer = session.model, session.optimizer
    set_seed(seed)
    torch.empty((), dtype=torch.int64).random_()  # a data loader would draw this number too
    model.train()
    total = torch.zeros((), device=model.device)
    for step in steps:
        loss = compute(step)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), session.task.clip)
        optimizer.step()
        session.scheduler.step()
        optimizer.zero_grad()
        total += loss.detach()
        advance()
    return float(total) / len(steps)


def _inputs(session: TrainingSession, tokenizer: TaskTokenizer) -> Callable[[BatchColumns], tuple[list[Any], Any]]:
    """A function that makes the inputs of a loss: columns of texts, which the losses of cross-encoders tokenise, or of tokens."""
    import torch
    from sentence_transformers.util import batch_to_device

    model = session.model

    def labels(columns: BatchColumns) -> Any:  # noqa: ANN401
        if columns.labels is None:
            return None
        if session.kind == "cross" and isinstance(columns.labels[0], Sequence):  # lists may differ in length
            return [torch.tensor(row, device=model.device) for row in columns.labels]
        return torch.tensor(columns.labels, device=model.device)

    if session.kind == "cross":
        model.preprocess = tokenizer.preprocessor(model, PAIRS)  # its losses call it for every batch of pairs
        return lambda columns: (list(columns.texts.values()), labels(columns))
    preprocess: Preprocess = tokenizer.preprocessor(model, TEXTS)

    def tokens(column: str, texts: Sequence[str]) -> dict[str, Any]:
        prompt = model.prompts.get("query" if column == "query" else "document") or ""
        found: dict[str, Any] = batch_to_device(preprocess([prompt + text for text in texts]), model.device)
        return found

    return lambda columns: ([tokens(*column) for column in columns.texts.items()], labels(columns))


@contextmanager
def _precision(model: LibraryModel, *, bf16: bool) -> Iterator[None]:
    """Let the model, but not the loss, compute in bf16; its outputs are in full precision."""
    if not bf16:
        yield
        return
    import torch
    from accelerate.utils import convert_outputs_to_fp32

    model.forward = convert_outputs_to_fp32(torch.autocast(model.device.type, torch.bfloat16)(model.forward))
    try:
        yield
    finally:
        del model.forward


def _attention(model: LibraryModel) -> AbstractContextManager[Any]:
    """Attention without cuDNN, which plans again for each shape, and hardly two batches have the same."""
    if model.device.type == "cpu":
        return nullcontext()
    from torch.nn.attention import SDPBackend, sdpa_kernel

    found: AbstractContextManager[Any] = sdpa_kernel(
        [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    )
    return found
