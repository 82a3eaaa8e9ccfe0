"""One epoch as a unit of work: from the checkpoint and state before it to those after it, whatever ran in between."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.shards import stable_hash
from constraintsuite.tuning.batches import Step, interleave, plan_steps
from constraintsuite.tuning.data.records import Lists, pairs_of
from constraintsuite.tuning.losses import CROSS, DENSE
from constraintsuite.tuning.places import Moment, Places
from constraintsuite.tuning.preparing import read_prepared
from constraintsuite.tuning.reading import Reader
from constraintsuite.tuning.recipe import TaskSettings, TuneRecipe
from constraintsuite.tuning.session import Progress, open_session, read_progress
from constraintsuite.tuning.training import Course, train_epoch


@dataclass(frozen=True)
class Material:
    """The lists of a task, and how long each is in tokens."""

    lists: Lists
    lengths: Sequence[int]


class Epochs:
    """The epochs of a training; texts are read once for all of them."""

    def __init__(self, recipe: TuneRecipe, places: Places, device: str, reporter: Reporter) -> None:
        self._recipe, self._places, self._device, self._reporter = recipe, places, device, reporter
        self._readers: dict[str, Reader] = {}
        self._materials: dict[str, Material] = {}

    def train(self, task: TaskSettings, moment: Moment, start: Path) -> Progress:
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

    def _run(self, task: TaskSettings, moment: Moment, start: Path, before: Path | None) -> Progress:
        reader = self._reader(task)
        steps = self._plan(task, moment)
        seed = stable_hash("epoch", str(moment.seed), moment.task, str(moment.epoch)) % 2**31
        total = task.epochs * len(steps)  # every epoch has as many
        session = open_session(self._recipe.start.kind, task, start, before, total, self._device, seed)
        with self._reporter.track(moment.name, len(steps)) as advance:
            loss = train_epoch(session, steps, self._courses(task), reader, seed=seed, bf16=self._bf16, advance=advance)
        session.write_checkpoint(self._places.checkpoint(moment), half=self._recipe.save == "fp16")
        done = Progress(len(steps) * moment.epoch, loss)
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

    def _courses(self, task: TaskSettings) -> dict[str, Course]:
        losses = CROSS if self._recipe.start.kind == "cross" else DENSE
        return {
            one.name: Course(self._material(one).lists, losses.load(one.loss.kind)(one.loss))
            for one in (task, *self._earlier(task))
        }

    def _plan(self, task: TaskSettings, moment: Moment) -> list[Step]:
        """The steps of an epoch: its own lists, and some of earlier tasks, drawn anew for each epoch."""
        rng = np.random.default_rng([moment.seed, moment.epoch, stable_hash("steps", task.name)])
        own = self._material(task)
        steps = plan_steps(task.name, range(len(own.lists.rows)), own.lengths, task.batch, rng)
        earlier = self._earlier(task)
        for one in earlier:
            other = self._material(one)
            size = len(other.lists.rows)
            wanted = min(size, round(task.replay * len(own.lists.rows) / len(earlier)))
            rows = rng.choice(size, size=wanted, replace=False).tolist()
            steps = interleave(steps, plan_steps(one.name, rows, other.lengths, task.batch, rng), rng)
        return steps

    def _material(self, task: TaskSettings) -> Material:
        if task.name not in self._materials:
            lists = read_prepared(self._places.data(task.name))
            self._materials[task.name] = Material(lists, self._lengths(task, lists))
        return self._materials[task.name]

    def _lengths(self, task: TaskSettings, lists: Lists) -> list[int]:
        """Tokens of each list; with this every text is read."""
        reader = self._reader(task)
        if self._recipe.start.kind == "dense":
            single = reader.lengths([(text,) for text in lists.texts])
            return [sum(single[place] for place in row.texts) for row in lists.rows]
        lengths = iter(reader.lengths(list(pairs_of(lists))))
        return [sum(next(lengths) for _ in row.texts) for row in lists.rows]

    def _reader(self, task: TaskSettings) -> Reader:
        if task.name not in self._readers:
            start = self._places.checkpoint(Moment(self._recipe.seeds[0], 0, "start", 0))
            self._readers[task.name] = Reader(start, task.length)
        return self._readers[task.name]
