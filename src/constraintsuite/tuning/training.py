"""One epoch, by the trainers of sentence-transformers."""

# The libraries take seconds to import, and a wrong recipe is told without them.
# ruff: noqa: PLC0415

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Advance
from constraintsuite.models.base import OutOfMemory
from constraintsuite.models.torch.device import telling_out_of_memory
from constraintsuite.tuning.batches import PAIRS, TEXTS, Preprocess, TaskTokenizer, TrainingStep, in_words
from constraintsuite.tuning.lists import Lists
from constraintsuite.tuning.losses import BatchColumns, Loss, make_loss
from constraintsuite.tuning.models import quiet
from constraintsuite.tuning.session import TrainingSession
from constraintsuite.tuning.settings import LossSettings

if TYPE_CHECKING:
    import torch

TrainingBatch = dict[str, Any]


@dataclass(frozen=True)
class EpochTask:
    """What one task brings into an epoch: its lists and its loss; an epoch with replay has several."""

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
    """Make all the steps; gives the mean loss. Chance depends on the seed alone, not on what was trained before."""
    collate: Callable[[BatchColumns], TrainingBatch] = _cross_batch
    if session.kind == "cross":  # its losses call it for every batch of pairs
        session.model.preprocess = tokenizer.preprocessor(session.model, PAIRS)
    else:
        collate = _dense_batch(tokenizer.preprocessor(session.model, TEXTS), session.model.prompts)
    batches = _Batches(steps, tasks, collate)
    losses = {
        name: make_loss(
            session.kind, task.loss, session.model, task.settings.model_dump(exclude={"kind"}, exclude_none=True)
        )
        for name, task in tasks.items()
    }
    with tempfile.TemporaryDirectory() as scratch, quiet(), _attention(session):
        trainer = _trainer(session, batches, losses, scratch, seed=seed, bf16=bf16, advance=advance)
        try:
            with telling_out_of_memory():
                result = trainer.train()
        except OutOfMemory as error:
            raise UserError(
                f"Task {session.task.name}: {error}. Use a smaller `batch`, or a smaller `length`."
            ) from None
        trainer.accelerator.unwrap_model(session.model, keep_fp32_wrapper=False)
    loss = float(result.training_loss)
    if not math.isfinite(loss):
        raise UserError(
            f"Task {session.task.name}: the loss became {loss}. A smaller `rate`, or `precision: fp32`, may help."
        )
    return loss


class _Batches:
    """The steps as a dataset: one item is one batch, made when it is asked for."""

    def __init__(
        self,
        steps: Sequence[TrainingStep],
        tasks: Mapping[str, EpochTask],
        collate: Callable[[BatchColumns], TrainingBatch],
    ) -> None:
        self._steps, self._tasks, self._collate = steps, tasks, collate

    def __len__(self) -> int:
        return len(self._steps)

    def __getitem__(self, place: int) -> TrainingBatch:
        step = self._steps[place]
        task = self._tasks[step.task]
        columns = task.loss.view(in_words(task.lists, step.rows))
        return {**self._collate(columns), "dataset_name": step.task}


def _cross_batch(columns: BatchColumns) -> TrainingBatch:
    """Texts as they are: the losses of cross-encoders put pairs together themselves."""
    import torch

    batch: TrainingBatch = dict(columns.texts)
    labels = columns.labels
    if labels is not None:
        nested = isinstance(labels[0], Sequence)
        batch["label"] = [torch.tensor(row) for row in labels] if nested else torch.tensor(labels)
    return batch


def _dense_batch(preprocess: Preprocess, prompts: Mapping[str, str]) -> Callable[[BatchColumns], TrainingBatch]:
    """Tokens of each column; queries and texts behind the prompts that the model puts before them."""

    def collate(columns: BatchColumns) -> TrainingBatch:
        import torch

        batch: TrainingBatch = {}
        for column, texts in columns.texts.items():
            prompt = prompts.get("query" if column == "query" else "document") or ""
            features = preprocess([prompt + text for text in texts])
            batch |= {f"{column}_{name}": value for name, value in features.items()}
        if columns.labels is not None:
            batch["label"] = torch.tensor(columns.labels)
        return batch

    return collate


def _trainer(
    session: TrainingSession,
    batches: _Batches,
    losses: Mapping[str, torch.nn.Module],
    scratch: str,
    *,
    seed: int,
    bf16: bool,
    advance: Advance,
) -> Any:  # noqa: ANN401
    from torch.utils.data import DataLoader
    from transformers import PrinterCallback

    trainer_class, arguments_class = _classes(session.kind)

    class Trainer(trainer_class):  # type: ignore[misc, valid-type]
        """Takes batches that were planned, and writes no model card."""

        def get_train_dataloader(self) -> DataLoader[TrainingBatch]:
            return DataLoader(batches, batch_size=None, shuffle=False)

        def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
            """None: it would read the whole dataset for a page that nobody asked for."""

    trainer = Trainer(
        model=session.model,
        args=_arguments(arguments_class, session, scratch, seed=seed, bf16=bf16),
        loss=dict(losses),
        optimizers=(session.optimizer, session.scheduler),
        callbacks=[_counting(advance)],
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _arguments(arguments_class: Any, session: TrainingSession, scratch: str, *, seed: int, bf16: bool) -> Any:  # noqa: ANN401
    """One epoch on one device, without anything of the library's own that would print or write."""
    arguments = arguments_class(
        output_dir=scratch,
        num_train_epochs=1,
        max_grad_norm=session.task.clip,
        seed=seed,
        bf16=bf16,
        use_cpu=session.model.device.type == "cpu",
        save_strategy="no",
        eval_strategy="no",
        logging_strategy="no",
        logging_nan_inf_filter=False,  # it would wait for the device in every step
        report_to=[],
        disable_tqdm=True,
        remove_unused_columns=False,
        dataloader_pin_memory=False,
    )
    arguments._n_gpu = min(1, arguments.n_gpu)  # one device: more would split batches that were planned as one
    return arguments


def _counting(advance: Advance) -> Any:  # noqa: ANN401
    """What tells each step that was made."""
    from transformers import TrainerCallback

    class Counting(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, *arguments: object, **named: object) -> None:
            advance()

    return Counting()


def _classes(kind: str) -> tuple[Any, Any]:
    if kind == "cross":
        from sentence_transformers.cross_encoder import CrossEncoderTrainer, CrossEncoderTrainingArguments

        return CrossEncoderTrainer, CrossEncoderTrainingArguments
    from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments

    return SentenceTransformerTrainer, SentenceTransformerTrainingArguments


def _attention(session: TrainingSession) -> Any:  # noqa: ANN401
    """Without cuDNN, which plans its work anew for each shape: hardly two batches have the same."""
    if session.model.device.type == "cpu":
        return nullcontext()
    from torch.nn.attention import SDPBackend, sdpa_kernel

    return sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH])
