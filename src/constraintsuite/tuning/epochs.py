"""One epoch as a unit of work: from the checkpoint and state before it to those after it, whatever ran in between."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.shards import stable_hash
from constraintsuite.tuning.batches import TrainingStep, interleave, plan_steps, share_out
from constraintsuite.tuning.data.records import Lists, pairs_of
from constraintsuite.tuning.losses import losses_of
from constraintsuite.tuning.places import Moment, TrainingFolders
from constraintsuite.tuning.reading import TaskTokenizer
from constraintsuite.tuning.recipe import TaskSettings, TuneRecipe
from constraintsuite.tuning.session import TaskProgress, open_session, read_progress
from constraintsuite.tuning.training import EpochTask, train_epoch


@dataclass(frozen=True)
class MeasuredLists:
    """The lists of a task, and how long each is in tokens."""

    lists: Lists
    lengths: Sequence[int]


class Epochs:
    """The epochs of a training; texts are read once for all of them."""

    def __init__(self, recipe: TuneRecipe, places: TrainingFolders, device: str, reporter: Reporter) -> None:
        self._recipe, self._places, self._device, self._reporter = recipe, places, device, reporter
        self._readers: dict[int, TaskTokenizer] = {}
        self._lists: dict[str, Lists] = {}
        self._materials: dict[tuple[str, int], MeasuredLists] = {}

    def train(self, task: TaskSettings, moment: Moment, start: Path) -> TaskProgress:
        """Make the epoch unless its checkpoint and state are there; `start` is where the task began."""
        checkpoint, state = self._places.checkpoint(moment), self._places.state(moment)
        if checkpoint.is_dir() and state.is_dir():
            return read_progress(state)
        shutil.rmtree(checkpoint, ignore_errors=True)  # of one that was stopped before its state was written
        before = self._places.state(replace(moment, epoch=moment.epoch - 1)) if moment.epoch > 1 else None
        done = self._run(task, moment, start, before)
        if before is not None:
            shutil.rmtree(before, ignore_errors=True)
        return done

    def _run(self, task: TaskSettings, moment: Moment, start: Path, before: Path | None) -> TaskProgress:
        reader, courses = self._reader(task.length), self._courses(task)
        steps = self._plan(task, moment)
        self._tell_cut(moment, steps, courses)
        seed = stable_hash("epoch", str(moment.seed), moment.task, str(moment.epoch)) % 2**31
        total = task.epochs * len(steps)  # every epoch has as many
        session = open_session(self._recipe.start.kind, task, start, before, total, self._device, seed)
        with self._reporter.track(moment.name, len(steps)) as advance:
            loss = train_epoch(session, steps, courses, reader, seed=seed, bf16=self._bf16, advance=advance)
        session.write_checkpoint(self._places.checkpoint(moment), half=self._recipe.save == "fp16")
        done = TaskProgress(len(steps) * moment.epoch, loss)
        session.write_state(self._places.state(moment), done)
        return done

    @property
    def _bf16(self) -> bool:
        wanted = self._recipe.precision
        return wanted == "bf16" or (wanted == "auto" and self._device == "cuda")

    def _earlier(self, task: TaskSettings) -> list[TaskSettings]:
        """The tasks that are replayed beside this one."""
        place = self._recipe.tasks.index(task)
        return list(self._recipe.tasks[:place]) if task.replay else []

    def _courses(self, task: TaskSettings) -> dict[str, EpochTask]:
        losses = losses_of(self._recipe.start.kind)
        return {
            one.name: EpochTask(self._read(one.name), losses.load(one.loss.kind)(one.loss))
            for one in (task, *self._earlier(task))
        }

    def _plan(self, task: TaskSettings, moment: Moment) -> list[TrainingStep]:
        """The steps of an epoch: its own lists, and some of earlier tasks, drawn anew for each epoch."""
        rng = np.random.default_rng([moment.seed, moment.epoch, stable_hash("steps", task.name)])
        own = self._material(task.name, task.length)
        steps = plan_steps(task.name, range(len(own.lists.rows)), own.lengths, task.batch, rng)
        earlier = {one.name: self._material(one.name, task.length) for one in self._earlier(task)}
        wanted = round(task.replay * len(own.lists.rows))
        shares = share_out(wanted, {name: len(other.lists.rows) for name, other in earlier.items()})
        if moment.epoch == 1 and sum(shares.values()) < wanted:
            there = sum(shares.values())
            self._reporter.note(
                f"{moment.name}: replay asks for {wanted:,} lists, and the earlier tasks have {there:,}"
            )
        for name, other in earlier.items():
            rows = rng.choice(len(other.lists.rows), size=shares[name], replace=False).tolist()
            steps = interleave(steps, plan_steps(name, rows, other.lengths, task.batch, rng), rng)
        return steps

    def _tell_cut(self, moment: Moment, steps: Sequence[TrainingStep], courses: Mapping[str, EpochTask]) -> None:
        """Say how many texts are not trained on because their lists stand beside shorter ones."""
        lost = 0
        for step in steps:
            if courses[step.task].loss.cuts:
                sizes = [len(courses[step.task].lists.rows[row].texts) for row in step.rows]
                lost += sum(sizes) - len(sizes) * min(sizes)
        if lost:
            self._reporter.note(f"{moment.name}: {lost:,} texts are left out, whose lists stand beside shorter ones")

    def _material(self, task: str, length: int) -> MeasuredLists:
        """The lists of a task as one of this length reads them."""
        if (task, length) not in self._materials:
            lists = self._read(task)
            self._materials[task, length] = MeasuredLists(lists, self._lengths(self._reader(length), lists))
        return self._materials[task, length]

    def _read(self, task: str) -> Lists:
        if task not in self._lists:
            self._lists[task] = Lists.read(self._places.data(task))
        return self._lists[task]

    def _lengths(self, reader: TaskTokenizer, lists: Lists) -> list[int]:
        """Tokens of each list; with this every text is read."""
        if self._recipe.start.kind == "dense":
            single = reader.lengths([(text,) for text in lists.texts])
            return [sum(single[place] for place in row.texts) for row in lists.rows]
        lengths = iter(reader.lengths(list(pairs_of(lists))))
        return [sum(next(lengths) for _ in row.texts) for row in lists.rows]

    def _reader(self, length: int) -> TaskTokenizer:
        if length not in self._readers:
            start = self._places.checkpoint(Moment(self._recipe.seeds[0], 0, "start", 0))
            self._readers[length] = TaskTokenizer(start, length)
        return self._readers[length]
