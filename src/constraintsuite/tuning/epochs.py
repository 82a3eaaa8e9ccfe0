"""One epoch as a unit of work: it starts from the checkpoint and state of the one before, and writes its own.

Checkpoints stay in the folder of a training; states are what an interrupted training resumes from.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.store.artifact import STAGES
from constraintsuite.tuning.batches import TaskTokenizer, TrainingStep, interleave, plan_steps, share_out
from constraintsuite.tuning.lists import Lists, pairs_of
from constraintsuite.tuning.losses import LOSSES
from constraintsuite.tuning.recipe import TaskSettings, TuneRecipe
from constraintsuite.tuning.training import EpochTask, TaskProgress, open_session, read_progress, train_epoch

CHECKPOINTS = "checkpoints"


@dataclass(frozen=True, slots=True)
class TrainedEpoch:
    """The model of a seed after an epoch of a task; epoch 0 of task 0 is the start model."""

    seed: int
    place: int
    """The number of the task, from 1; 0 for the start."""
    task: str
    number: int
    total: int = 1
    """The number of epochs of the task."""

    @property
    def name(self) -> str:
        """The name of its checkpoint; names of one seed sort in the order of training."""
        if self.place == 0:
            return f"seed{self.seed}-00-start"
        width = max(2, len(str(self.total)))
        return f"seed{self.seed}-{self.place:02d}-{self.task}-{self.number:0{width}d}"


@dataclass(frozen=True)
class TrainingFolders:
    """The folders of one training."""

    out: Path

    def checkpoint(self, epoch: TrainedEpoch) -> Path:
        """The model after this epoch, as a plain model folder."""
        return self.out / CHECKPOINTS / epoch.name

    def state(self, epoch: TrainedEpoch) -> Path:
        """What the next epoch needs in addition to the checkpoint."""
        return self.out / STAGES / "states" / epoch.name

    def points(self, epoch: TrainedEpoch) -> Path:
        """The figures of a checkpoint."""
        return self.out / STAGES / "points" / f"{epoch.name}.jsonl"

    def data(self, task: str) -> Path:
        """The lists of a task."""
        return self.out / STAGES / "data" / task


class MeasuredLists(NamedTuple):
    """The lists of a task, and how long each is in tokens."""

    lists: Lists
    lengths: Sequence[int]


class Epochs:
    """Trains the epochs of a training; texts are tokenised once for all of them."""

    def __init__(self, recipe: TuneRecipe, folders: TrainingFolders, device: str, reporter: Reporter) -> None:
        self._recipe, self._folders, self._device, self._reporter = recipe, folders, device, reporter
        start = folders.checkpoint(TrainedEpoch(recipe.seeds[0], 0, "start", 0))
        self._tokenizer = cache(lambda length: TaskTokenizer(start, length))
        self._lists = cache(lambda task: Lists.read(folders.data(task)))
        self._measured = cache(self._measure)

    def train(self, task: TaskSettings, epoch: TrainedEpoch, start: Path) -> TaskProgress:
        """Train an epoch unless its checkpoint and state exist; `start` is the checkpoint that the task starts from."""
        checkpoint, state = self._folders.checkpoint(epoch), self._folders.state(epoch)
        if checkpoint.is_dir() and state.is_dir():
            return read_progress(state)
        shutil.rmtree(checkpoint, ignore_errors=True)  # an interrupted epoch may have left it without a state
        before = self._folders.state(replace(epoch, number=epoch.number - 1)) if epoch.number > 1 else None
        done = self._run(task, epoch, start, before)
        if before is not None:
            shutil.rmtree(before, ignore_errors=True)
        return done

    def _run(self, task: TaskSettings, epoch: TrainedEpoch, start: Path, before: Path | None) -> TaskProgress:
        kind, wanted = self._recipe.start.kind, self._recipe.precision
        tasks = {
            one.name: EpochTask(self._lists(one.name), LOSSES[kind][one.loss.kind], one.loss)
            for one in (task, *self._replayed(task))
        }
        steps = self._plan(task, epoch)
        self._note_cut(epoch, steps, tasks)
        seed = stable_hash("epoch", str(epoch.seed), epoch.task, str(epoch.number)) % 2**31
        total = task.epochs * len(steps)  # all epochs have equally many
        session = open_session(kind, task, start, before, total, self._device, seed)
        bf16 = wanted == "bf16" or (wanted == "auto" and self._device == "cuda")
        with self._reporter.track(epoch.name, len(steps)) as advance:
            loss = train_epoch(
                session, steps, tasks, self._tokenizer(task.length), seed=seed, bf16=bf16, advance=advance
            )
        session.write_checkpoint(self._folders.checkpoint(epoch), half=self._recipe.save == "fp16")
        done = TaskProgress(len(steps) * epoch.number, loss)
        session.write_state(self._folders.state(epoch), done)
        return done

    def _replayed(self, task: TaskSettings) -> Sequence[TaskSettings]:
        """The earlier tasks that are replayed in this one."""
        return self._recipe.tasks[: self._recipe.tasks.index(task)] if task.replay else ()

    def _plan(self, task: TaskSettings, epoch: TrainedEpoch) -> list[TrainingStep]:
        """The steps of an epoch: its own lists, and some lists of earlier tasks, drawn again for each epoch."""
        rng = np.random.default_rng([epoch.seed, epoch.number, stable_hash("steps", task.name)])
        own = self._measured(task.name, task.length)
        steps = plan_steps(task.name, range(len(own.lists.rows)), own.lengths, task.batch, rng)
        earlier = {one.name: self._measured(one.name, task.length) for one in self._replayed(task)}
        wanted = round(task.replay * len(own.lists.rows))
        shares = share_out(wanted, {name: len(other.lists.rows) for name, other in earlier.items()})
        there = sum(shares.values())
        if epoch.number == 1 and there < wanted:
            self._reporter.note(f"{epoch.name}: replay asks for {wanted:,} lists, and the earlier tasks have {there:,}")
        for name, other in earlier.items():
            rows = rng.choice(len(other.lists.rows), size=shares[name], replace=False).tolist()
            steps = interleave(steps, plan_steps(name, rows, other.lengths, task.batch, rng), rng)
        return steps

    def _note_cut(self, epoch: TrainedEpoch, steps: Sequence[TrainingStep], tasks: Mapping[str, EpochTask]) -> None:
        """Report how many texts are cut because their lists are batched with shorter ones."""
        lost = 0
        for step in steps:
            if tasks[step.task].loss.cuts:
                sizes = [len(tasks[step.task].lists.rows[row].texts) for row in step.rows]
                lost += sum(sizes) - len(sizes) * min(sizes)
        if lost:
            self._reporter.note(
                f"{epoch.name}: {lost:,} texts are left out, because their lists are batched with shorter ones"
            )

    def _measure(self, task: str, length: int) -> MeasuredLists:
        """The lists of a task with their lengths in tokens, at most `length` per text; every text is tokenised now."""
        lists, tokenizer = self._lists(task), self._tokenizer(length)
        if self._recipe.start.kind == "dense":
            single = tokenizer.lengths([(text,) for text in lists.texts])
            return MeasuredLists(lists, [sum(single[place] for place in row.texts) for row in lists.rows])
        lengths = iter(tokenizer.lengths(list(pairs_of(lists))))
        return MeasuredLists(lists, [sum(next(lengths) for _ in row.texts) for row in lists.rows])
