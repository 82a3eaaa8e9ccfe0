"""What a training would be, without doing any of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from constraintsuite.tuning.data import DATA
from constraintsuite.tuning.data.distil import gather
from constraintsuite.tuning.data.exclusion import Exclusion, read_exclusion
from constraintsuite.tuning.data.records import DataContext
from constraintsuite.tuning.data.settings import DistilData
from constraintsuite.tuning.evaluation.rankings import read_judged
from constraintsuite.tuning.evaluation.settings import SuiteEvaluation
from constraintsuite.tuning.evaluation.suites import open_suite
from constraintsuite.tuning.recipe import TaskSettings, TuneRecipe
from constraintsuite.tuning.tune import require_tune, tune_origin


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """One task."""

    name: str
    data: str
    loss: str
    lists: int
    rejects: Mapping[str, int]
    epochs: int
    steps: int
    """Of an epoch, without those that replay earlier tasks."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """A whole training."""

    name: str
    start: str
    seeds: int
    tasks: tuple[TaskPlan, ...]
    checkpoints: int
    evaluations: tuple[str, ...]
    forbidden: int
    """Distinct texts that are kept out."""


def plan_training(recipe: TuneRecipe) -> TrainingPlan:
    """Everything is looked up and read, nothing is scored or searched."""
    require_tune(recipe)
    tune_origin(recipe)
    for one in recipe.evaluation:
        if isinstance(one, SuiteEvaluation):
            open_suite(one)
        else:
            read_judged(one)
    exclusion = read_exclusion(recipe.exclude)
    return TrainingPlan(
        recipe.name,
        f"{recipe.start.kind}:{recipe.start.model}",
        len(recipe.seeds),
        tuple(_plan_task(task, exclusion) for task in recipe.tasks),
        len(recipe.seeds) * (1 + sum(task.epochs for task in recipe.tasks)),
        tuple(one.name for one in recipe.evaluation),
        len(exclusion.texts),
    )


def _plan_task(task: TaskSettings, exclusion: Exclusion) -> TaskPlan:
    if isinstance(task.data, DistilData):
        material = gather(task.data, exclusion)
        lists, rejects = len(material.queries), dict(material.rejects)
    else:
        prepared = DATA.load(task.data.kind)(task.data, DataContext(exclusion))
        lists, rejects = len(prepared.lists.rows), dict(prepared.rejects)
    steps = math.ceil(lists / task.batch)
    return TaskPlan(task.name, task.data.kind, task.loss.kind, lists, rejects, task.epochs, steps)
