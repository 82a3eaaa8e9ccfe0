"""Train one epoch: a plain loop over planned steps, with the losses of sentence-transformers."""

# The libraries take seconds to import, and a wrong recipe is reported without them.
# ruff: noqa: PLC0415

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Advance
from constraintsuite.models.base import OutOfMemory
from constraintsuite.models.torch.device import telling_out_of_memory
from constraintsuite.tuning.batches import PAIRS, TEXTS, Preprocess, TaskTokenizer, TrainingStep, with_texts
from constraintsuite.tuning.lists import Lists
from constraintsuite.tuning.losses import BatchColumns, Loss, make_loss
from constraintsuite.tuning.models import LibraryModel, quiet
from constraintsuite.tuning.session import TrainingSession
from constraintsuite.tuning.settings import LossSettings

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class EpochTask:
    """The lists and the loss of one task in an epoch; an epoch with replay has several."""

    lists: Lists
    loss: Loss
    settings: LossSettings


class LossInputs(NamedTuple):
    """A batch as a loss takes it."""

    columns: Sequence[Any]
    """Texts, or their tokens."""
    labels: Any


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
        with quiet(), _precision(session.model, bf16=bf16), _attention(session.model), telling_out_of_memory():
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


def _inputs(session: TrainingSession, tokenizer: TaskTokenizer) -> Callable[[BatchColumns], LossInputs]:
    """A function that makes the inputs of a loss: texts for a cross-encoder, whose losses tokenise; tokens for a bi-encoder."""
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
        return lambda columns: LossInputs(list(columns.texts.values()), labels(columns))
    preprocess: Preprocess = tokenizer.preprocessor(model, TEXTS)

    def tokens(column: str, texts: Sequence[str]) -> dict[str, Any]:
        prompt = model.prompts.get("query" if column == "query" else "document") or ""
        found: dict[str, Any] = batch_to_device(preprocess([prompt + text for text in texts]), model.device)
        return found

    return lambda columns: LossInputs([tokens(*column) for column in columns.texts.items()], labels(columns))


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
