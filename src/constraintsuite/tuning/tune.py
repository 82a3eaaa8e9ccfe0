"""A training from start to end: tasks one after the other, with every checkpoint evaluated; also its plan."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from constraintsuite.core.errors import MissingExtraError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.records.figures import say
from constraintsuite.core.records.plots import Plot
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import UNDEFINED
from constraintsuite.core.store.artifact import STAGES, Artifact, ArtifactOrigin
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import read_jsonl, write_json, write_jsonl
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Workspace, claim
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.experiments.outcome_table import OVERALL
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.models.torch.device import describe_device, fix_threads, pick_device
from constraintsuite.models.torch.folder import library_versions, need_torch
from constraintsuite.tuning.curves import (
    CURVES,
    SELECTED,
    TRAINING,
    Selected,
    TrainingCurvePoint,
    check_selectable,
    draw_curves,
    kind_of,
    select,
)
from constraintsuite.tuning.data import data_inputs, prepare, read_data
from constraintsuite.tuning.distil import gather
from constraintsuite.tuning.epochs import CHECKPOINTS, Epochs, TrainedEpoch, TrainingFolders
from constraintsuite.tuning.evaluation import Measure, evaluation_input, open_evaluation, open_suite, read_judged
from constraintsuite.tuning.lists import DataContext, Exclusion, exclusion_inputs, read_exclusion
from constraintsuite.tuning.models import open_start, write_start
from constraintsuite.tuning.recipe import TaskSettings, TuneRecipe
from constraintsuite.tuning.settings import DistilData, SuiteEvaluation
from constraintsuite.tuning.training import TaskProgress

KIND = "tune"
_RECIPE, _PLOTS = "recipe.json", "plots"
_FILES = (CURVES, SELECTED, _RECIPE, f"{_PLOTS}/*.svg", f"{CHECKPOINTS}/**")
_NEEDED = ("accelerate", "datasets")
_HEADLINES = ("loss", "accuracy", "paired_accuracy", "nDCG@10")


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """The plan of one task: its lists, its loss and its steps."""

    name: str
    data: str
    loss: str
    lists: int
    rejects: Mapping[str, int]
    epochs: int
    steps: int
    """Steps per epoch, without those that replay earlier tasks."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """The plan of a training, as `csuite tune --dry-run` prints it."""

    name: str
    start: str
    seeds: int
    tasks: tuple[TaskPlan, ...]
    checkpoints: int
    evaluations: tuple[str, ...]
    forbidden: int
    """The number of distinct texts that must not be trained on."""


def tune(recipe: TuneRecipe, out: Path, reporter: Reporter, draw: Callable[[Plot], str] | None = None) -> Artifact:
    """Train by a recipe into the folder `out`; an interrupted training resumes after its last finished epoch.

    `draw` returns a curve as SVG.
    """
    _require_tune(recipe)
    origin = tune_origin(recipe)
    with claim(out, origin, _FILES, separate=(STAGES,), note=reporter.note) as space:
        return space.finished or _Training(recipe, space, reporter, draw).run()


def _require_tune(recipe: TuneRecipe) -> None:
    """Raise a MissingExtraError if a library is missing; nothing heavy is imported for that."""
    need_torch("csuite tune")
    needed = [*_NEEDED, *(["peft"] if any(task.lora for task in recipe.tasks) else [])]
    if any(find_spec(name) is None for name in needed):
        raise MissingExtraError("tune", "csuite tune")


def tune_origin(recipe: TuneRecipe) -> ArtifactOrigin:
    """Everything that decides the content; every file and model of the recipe is looked up."""
    inputs = {"start": open_start(recipe.start).fingerprint, **exclusion_inputs(recipe.exclude)}
    for source in recipe.start.shrink.vocabulary_from if recipe.start.shrink else ():
        inputs[f"vocabulary {source}"] = open_source(SourceSettings(source=source)).fingerprint()
    for task in recipe.tasks:
        inputs |= {f"{task.name} {name}": value for name, value in data_inputs(task.data).items()}
    inputs |= {f"evaluation {one.name}": evaluation_input(one) for one in recipe.evaluation}
    settings = {"recipe": recipe.model_dump(mode="json"), "libraries": library_versions()}
    return ArtifactOrigin(KIND, recipe.name, inputs, settings, recipe.seeds[0], REVISIONS[KIND])


class _Training:
    def __init__(
        self, recipe: TuneRecipe, space: Workspace, reporter: Reporter, draw: Callable[[Plot], str] | None
    ) -> None:
        self._recipe, self._space, self._reporter, self._draw = recipe, space, reporter, draw
        self._folders = TrainingFolders(space.out)
        self._device = str(pick_device(recipe.device))
        self._epochs = Epochs(recipe, self._folders, self._device, reporter)

    def run(self) -> Artifact:
        recipe, out = self._recipe, self._folders.out
        fix_threads(recipe.threads)
        measures = {one.name: open_evaluation(one, self._reporter) for one in recipe.evaluation}
        context = DataContext(read_exclusion(recipe.exclude), self._reporter)
        prepared = {
            task.name: prepare(task, recipe.exclude, self._folders.data(task.name), context).manifest
            for task in recipe.tasks
        }
        selected = list(chain.from_iterable(self._train_seed(seed, measures) for seed in recipe.seeds))
        points = self._all_points()
        write_jsonl(out / CURVES, points)
        write_json(out / SELECTED, selected)
        write_json(out / _RECIPE, recipe)
        if self._draw is not None:
            for plot in draw_curves(points):
                write_text(out / _PLOTS / f"{plot.name}.svg", self._draw(plot))
        counts = {f"{name} {what}": n for name, one in prepared.items() for what, n in one.counts.items()}
        rejects = {f"{name} {why}": n for name, one in prepared.items() for why, n in one.rejects.items()}
        place = {"device": describe_device(pick_device(recipe.device)), "libraries": library_versions()}
        made = {"checkpoints": len({point.checkpoint for point in points}), "points": len(points), **counts}
        return self._space.finish(made, rejects, place=place)

    def _train_seed(self, seed: int, measures: Mapping[str, Measure]) -> Iterator[Selected]:
        """Train all tasks; each starts from the checkpoint that the one before selected."""
        first = TrainedEpoch(seed, 0, "start", 0)
        current = self._folders.checkpoint(first)
        if not current.is_dir():
            write_start(self._recipe.start, open_start(self._recipe.start), current, seed)
        self._measure(first, 0, None, measures)
        # Checked before the first epoch, which would be wasted if the metric does not exist.
        check_selectable(self._points(first), self._recipe.selection)
        position = 0
        for place, task in enumerate(self._recipe.tasks, 1):
            epochs = [TrainedEpoch(seed, place, task.name, n, task.epochs) for n in range(1, task.epochs + 1)]
            for epoch in epochs:
                position += 1
                if not self._folders.points(epoch).is_file():
                    self._measure(epoch, position, self._epochs.train(task, epoch, current), measures)
            chosen = select([point for epoch in epochs for point in self._points(epoch)], self._recipe.selection)
            self._reporter.note(f"{task.name}: {chosen.checkpoint} is taken ({chosen.by})")
            yield chosen
            shutil.rmtree(self._folders.state(epochs[-1]), ignore_errors=True)
            current = self._folders.out / CHECKPOINTS / chosen.checkpoint

    def _measure(
        self, epoch: TrainedEpoch, position: int, done: TaskProgress | None, measures: Mapping[str, Measure]
    ) -> None:
        """Write the figures of a checkpoint; `done` is the progress of its task, None at the start."""
        if self._folders.points(epoch).is_file():
            return
        steps = done.steps if done else 0
        found: list[tuple[str, str, str, Interval]] = []
        if done is not None:  # the loss is the mean of one epoch; all epochs have equally many steps
            loss = Interval(float(f"{done.loss:.6g}"), None, None, steps // epoch.number)
            found.append((TRAINING, OVERALL, "loss", loss))
        scorer = load_scorer(
            f"{self._recipe.start.kind}:{self._folders.checkpoint(epoch)},backend=torch,device={self._device}",
            Workbench(reporter=self._reporter),
        )
        found += [(name, *figure) for name, measure in measures.items() for figure in measure(scorer)]
        checkpoint = (epoch.seed, epoch.task, epoch.number, position, steps, epoch.name)
        points = [
            TrainingCurvePoint(*checkpoint, evaluation, part, metric, *astuple(figure))
            # A start without evaluations has a place on the curves too.
            for evaluation, part, metric, figure in found or [(TRAINING, OVERALL, "loss", UNDEFINED)]
        ]
        write_jsonl(self._folders.points(epoch), points)
        write_jsonl(self._folders.out / CURVES, self._all_points())
        self._reporter.note(f"{epoch.name}: {_headline(points)}")

    def _points(self, epoch: TrainedEpoch) -> list[TrainingCurvePoint]:
        return list(read_jsonl(self._folders.points(epoch), TrainingCurvePoint))

    def _all_points(self) -> list[TrainingCurvePoint]:
        files = sorted((self._folders.out / STAGES / "points").glob("*.jsonl"))
        points = [point for file in files for point in read_jsonl(file, TrainingCurvePoint)]
        order = {seed: place for place, seed in enumerate(self._recipe.seeds)}
        return sorted(points, key=lambda point: (order[point.seed], point.position))


def _headline(points: Sequence[TrainingCurvePoint]) -> str:
    found = [p for p in points if p.part == OVERALL and p.metric in _HEADLINES and p.value is not None]
    said = ", ".join(f"{p.evaluation} {p.metric} {say(p.value, kind_of(p.metric))}" for p in found)
    return said or "no evaluations"


def plan_training(recipe: TuneRecipe) -> TrainingPlan:
    """Plan a training: everything is looked up and read, but nothing is scored or searched."""
    _require_tune(recipe)
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
        prepared = read_data(task, DataContext(exclusion))
        lists, rejects = len(prepared.lists.rows), dict(prepared.rejects)
    steps = math.ceil(lists / task.batch)
    return TaskPlan(task.name, task.data.kind, task.loss.kind, lists, rejects, task.epochs, steps)
