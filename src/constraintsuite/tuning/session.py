"""A model in training: which weights move, by which optimizer, and how far it has come."""

# torch takes seconds to import, and a wrong recipe is told without it.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import whole_folder, write_text
from constraintsuite.tuning.losses import ModelKind
from constraintsuite.tuning.models import (
    LibraryModel,
    inject_lora,
    load_model,
    merged_weights,
    plain_name,
    save_model,
)
from constraintsuite.tuning.recipe import TaskSettings

if TYPE_CHECKING:
    import torch

_TENSORS, _PROGRESS = "state.safetensors", "progress.json"
_MOMENTS = ("exp_avg", "exp_avg_sq")


class TaskProgress(NamedTuple):
    """How far a task has come."""

    steps: int
    loss: float
    """The mean of the last epoch."""


@dataclass(frozen=True)
class TrainingSession:
    """One task on one model."""

    kind: ModelKind
    task: TaskSettings
    start: Path
    """The checkpoint that the task began with."""
    model: LibraryModel
    optimizer: torch.optim.Optimizer
    scheduler: torch.optim.lr_scheduler.LRScheduler

    @property
    def trained(self) -> dict[str, torch.nn.Parameter]:
        """The weights that move, by name."""
        return {name: weight for name, weight in self.model.named_parameters() if weight.requires_grad}

    def write_checkpoint(self, out: Path, *, half: bool) -> None:
        """The whole model as a folder; low-rank additions are added in."""
        # A cross-encoder reads as much as it did, whatever the task's length; a bi-encoder's vectors are of that length.
        length = None if self.kind == "cross" else self.task.length
        clean = load_model(self.start, self.kind, length, "cpu")
        save_model(clean, self.kind, out, merged_weights(self.model), half=half)

    def write_state(self, out: Path, progress: TaskProgress) -> None:
        """All that the next epoch needs, in full precision."""
        from safetensors.torch import save_file

        tensors = {}
        for name, weight in self.trained.items():
            tensors[f"weight {name}"] = weight.detach().cpu().contiguous()
            moments = self.optimizer.state.get(weight, {})
            tensors |= {f"{key} {name}": moments[key].detach().cpu().contiguous() for key in _MOMENTS if key in moments}
        with whole_folder(out) as fresh:
            save_file(tensors, fresh / _TENSORS)
            write_text(fresh / _PROGRESS, json.dumps(progress._asdict()) + "\n")


def open_session(
    kind: ModelKind, task: TaskSettings, start: Path, state: Path | None, total: int, device: str, seed: int
) -> TrainingSession:
    """The model of a task where it stands: as the task began, or as `state` says; `total` steps are the whole task."""
    import torch

    torch.manual_seed(seed)  # of the low-rank additions
    model = load_model(start, kind, task.length, device)
    if task.lora is not None:
        inject_lora(model, task.lora)
    _freeze(model, task.freeze)  # behind the additions: those to frozen parts stay as they are too
    optimizer = _optimizer(model, task, device)
    steps = 0 if state is None else _read_state(state, model, optimizer)
    scheduler = _scheduler(optimizer, _curve(task, total), steps)
    return TrainingSession(kind, task, start, model, optimizer, scheduler)


def read_progress(state: Path) -> TaskProgress:
    """What a saved state has behind it."""
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
    """AdamW; biases and norms, which have one dimension, do not decay."""
    import torch

    moving = [weight for weight in model.parameters() if weight.requires_grad]
    if not moving:
        raise UserError(f"Task {task.name}: everything is frozen, so there is nothing to train.")
    groups = [
        {"params": [weight for weight in moving if weight.ndim > 1], "weight_decay": task.decay},
        {"params": [weight for weight in moving if weight.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW([g for g in groups if g["params"]], lr=task.rate, fused=device == "cuda")


def _read_state(state: Path, model: LibraryModel, optimizer: torch.optim.Optimizer) -> int:
    import torch
    from safetensors.torch import load_file

    tensors, steps = load_file(state / _TENSORS), read_progress(state).steps
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.requires_grad:
                weight.copy_(tensors[f"weight {name}"])
                moments = {
                    key: tensors[f"{key} {name}"].to(weight.device) for key in _MOMENTS if f"{key} {name}" in tensors
                }
                if moments:
                    where = weight.device if optimizer.defaults["fused"] else "cpu"
                    optimizer.state[weight] = {"step": torch.tensor(float(steps), device=where), **moments}
    return steps


def _curve(task: TaskSettings, total: int) -> Callable[[int], float]:
    """The share of the largest rate at each step."""
    rising = max(1, math.ceil(task.warmup * total)) if task.warmup else 0

    def share(step: int) -> float:
        if step < rising:
            return (step + 1) / (rising + 1)
        if task.schedule == "constant":
            return 1.0
        left = max(0.0, (total - step) / max(1, total - rising))
        return left if task.schedule == "linear" else 0.5 * (1 - math.cos(math.pi * left))

    return share


def _scheduler(
    optimizer: torch.optim.Optimizer, share: Callable[[int], float], steps: int
) -> torch.optim.lr_scheduler.LRScheduler:
    import torch

    for group in optimizer.param_groups:
        group["initial_lr"] = group["lr"]
    # One that goes on behind `steps` steps as if it had made them itself.
    return torch.optim.lr_scheduler.LambdaLR(optimizer, share, last_epoch=steps - 1)
