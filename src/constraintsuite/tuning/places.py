"""Where a training keeps what: checkpoints that stay, and beside them what a stopped training goes on from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from constraintsuite.store.artifact import STAGES

CHECKPOINTS, SELECTED = "checkpoints", "selected.json"
"""No content of the artifact: prepared data, states of optimizers, points of single checkpoints."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The model of a seed after an epoch of a task; epoch 0 of task 0 is the start."""

    seed: int
    place: int
    """Of the task, counted from 1; 0 for the start."""
    task: str
    epoch: int
    epochs: int = 1
    """Of the whole task."""

    @property
    def name(self) -> str:
        """Of its checkpoint; names of one seed sort in the order of training."""
        if self.place == 0:
            return f"seed{self.seed}-00-start"
        width = max(2, len(str(self.epochs)))
        return f"seed{self.seed}-{self.place:02d}-{self.task}-{self.epoch:0{width}d}"


@dataclass(frozen=True)
class TrainingFolders:
    """The folders of one training."""

    out: Path

    def checkpoint(self, moment: Moment) -> Path:
        """A model folder."""
        return self.out / CHECKPOINTS / moment.name

    def state(self, moment: Moment) -> Path:
        """What the next epoch needs besides the checkpoint."""
        return self.out / STAGES / "states" / moment.name

    def points(self, moment: Moment) -> Path:
        """The figures of a checkpoint."""
        return self.out / STAGES / "points" / f"{moment.name}.jsonl"

    def data(self, task: str) -> Path:
        """The lists of a task."""
        return self.out / STAGES / "data" / task
