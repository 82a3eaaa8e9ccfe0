"""The whole training: every seed, every task, every epoch; each epoch is a unit of work that is done or not done."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from constraintsuite.corpora.base import SourceSettings
from constraintsuite.corpora.opening import open_source
from constraintsuite.errors import MissingExtraError
from constraintsuite.execution.progress import Reporter
from constraintsuite.models.base import Workbench
from constraintsuite.models.naming import load_scorer
from constraintsuite.models.torch.device import describe_device, fix_threads, pick_device
from constraintsuite.models.torch.folder import library_versions, need_torch
from constraintsuite.records.figures import say
from constraintsuite.records.plots import Plot
from constraintsuite.store.artifact import STAGES, Artifact, ArtifactOrigin
from constraintsuite.store.files import write_text
from constraintsuite.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.store.revisions import REVISIONS
from constraintsuite.store.workspace import Workspace, claim
from constraintsuite.tuning.curves import CURVES, OVERALL, TRAINING, TrainingCurvePoint, draw_curves, kind_of
from constraintsuite.tuning.data.exclusion import exclusion_inputs, read_exclusion
from constraintsuite.tuning.data.records import DataContext
from constraintsuite.tuning.epochs import Epochs
from constraintsuite.tuning.evaluation.base import Measurement
from constraintsuite.tuning.evaluation.rankings import open_ranking, ranking_input
from constraintsuite.tuning.evaluation.settings import SuiteEvaluation
from constraintsuite.tuning.evaluation.suites import open_suite, suite_input
from constraintsuite.tuning.models import open_start, write_start
from constraintsuite.tuning.places import CHECKPOINTS, SELECTED, Moment, TrainingFolders
from constraintsuite.tuning.preparing import data_inputs, prepare
from constraintsuite.tuning.recipe import TaskSettings, TuneRecipe
from constraintsuite.tuning.selection import Selected, check_selectable, select
from constraintsuite.tuning.session import TaskProgress

KIND = "tune"
_RECIPE, _PLOTS = "recipe.json", "plots"
_FILES = (CURVES, SELECTED, _RECIPE, f"{_PLOTS}/*.svg", f"{CHECKPOINTS}/**")
_NEEDED = ("accelerate", "datasets")


def tune(recipe: TuneRecipe, out: Path, reporter: Reporter, draw: Callable[[Plot], str] | None = None) -> Artifact:
    """Train as the recipe says into the folder `out`; one that was stopped goes on behind its last finished epoch.

    `draw` makes an SVG file of a curve.
    """
    require_tune(recipe)
    origin = tune_origin(recipe)
    with claim(out, origin, _FILES, beside=(STAGES,), note=reporter.note) as space:
        return space.finished or _Training(recipe, space, reporter, draw).run()


def require_tune(recipe: TuneRecipe) -> None:
    """Refuse to begin without the libraries; nothing heavy is imported for that."""
    need_torch("csuite tune")
    needed = [*_NEEDED, *(["peft"] if any(task.lora for task in recipe.tasks) else [])]
    if any(find_spec(name) is None for name in needed):
        raise MissingExtraError("tune", "csuite tune")


def tune_origin(recipe: TuneRecipe) -> ArtifactOrigin:
    """What decides the content; every file and model that the recipe names is looked up now."""
    inputs = {"start": open_start(recipe.start).fingerprint, **exclusion_inputs(recipe.exclude)}
    for source in recipe.start.shrink.vocabulary_from if recipe.start.shrink else ():
        inputs[f"vocabulary {source}"] = open_source(SourceSettings(source=source)).fingerprint()
    for task in recipe.tasks:
        inputs |= {f"{task.name} {name}": value for name, value in data_inputs(task.data).items()}
    for one in recipe.evaluation:
        hashed = suite_input(one) if isinstance(one, SuiteEvaluation) else ranking_input(one)
        inputs[f"evaluation {one.name}"] = hashed
    settings = {"recipe": recipe.model_dump(mode="json"), "libraries": library_versions()}
    return ArtifactOrigin(KIND, recipe.name, inputs, settings, recipe.seeds[0], REVISIONS[KIND])


class _Training:
    def __init__(
        self, recipe: TuneRecipe, space: Workspace, reporter: Reporter, draw: Callable[[Plot], str] | None
    ) -> None:
        self._recipe, self._space, self._reporter, self._draw = recipe, space, reporter, draw
        self._places = TrainingFolders(space.out)
        self._device = str(pick_device(recipe.device))
        self._epochs = Epochs(recipe, self._places, self._device, reporter)

    def run(self) -> Artifact:
        fix_threads(self._recipe.threads)
        measurements = open_measurements(self._recipe, self._reporter)
        bench = DataContext(read_exclusion(self._recipe.exclude), self._reporter)
        prepared = {
            task.name: prepare(task, self._recipe.exclude, self._places.data(task.name), bench)
            for task in self._recipe.tasks
        }
        selected = list(chain.from_iterable(self._train_seed(seed, measurements) for seed in self._recipe.seeds))
        points = self._all_points()
        write_jsonl(self._places.out / CURVES, points)
        write_text(self._places.out / SELECTED, json.dumps([asdict(one) for one in selected], indent=2) + "\n")
        write_text(self._places.out / _RECIPE, self._recipe.model_dump_json(indent=2) + "\n")
        if self._draw is not None:
            for plot in draw_curves(points):
                write_text(self._places.out / _PLOTS / f"{plot.name}.svg", self._draw(plot))
        counts = {f"{name} {what}": n for name, one in prepared.items() for what, n in one.manifest.counts.items()}
        rejects = {f"{name} {why}": n for name, one in prepared.items() for why, n in one.manifest.rejects.items()}
        place = {"device": describe_device(pick_device(self._recipe.device)), "libraries": library_versions()}
        made = {"checkpoints": len({point.checkpoint for point in points}), "points": len(points), **counts}
        return self._space.finish(made, rejects, place=place)

    def _train_seed(self, seed: int, measurements: Sequence[Measurement]) -> Iterator[Selected]:
        """Task after task; each begins with what the one before selected."""
        first = Moment(seed, 0, "start", 0)
        if not self._places.checkpoint(first).is_dir():
            write_start(self._recipe.start, open_start(self._recipe.start), self._places.checkpoint(first), seed)
        self._measure(first, 0, None, measurements)
        # Now, since a metric that nothing is selected by would be missed only after an epoch.
        check_selectable(list(read_jsonl(self._places.points(first), TrainingCurvePoint)), self._recipe.selection)
        current, position = self._places.checkpoint(first), 0
        for place, task in enumerate(self._recipe.tasks, 1):
            moments = [Moment(seed, place, task.name, epoch, task.epochs) for epoch in range(1, task.epochs + 1)]
            for moment in moments:
                position += 1
                if not self._places.points(moment).is_file():
                    done = self._epochs.train(task, moment, current)
                    self._measure(moment, position, done, measurements)
            chosen = self._select(task, moments)
            yield chosen
            shutil.rmtree(self._places.state(moments[-1]), ignore_errors=True)
            current = self._places.out / CHECKPOINTS / chosen.checkpoint

    def _select(self, task: TaskSettings, moments: Sequence[Moment]) -> Selected:
        points = [point for moment in moments for point in read_jsonl(self._places.points(moment), TrainingCurvePoint)]
        chosen = select(points, self._recipe.selection)
        self._reporter.note(f"{task.name}: {chosen.checkpoint} is taken ({chosen.by})")
        return chosen

    def _measure(
        self, moment: Moment, position: int, done: TaskProgress | None, measurements: Sequence[Measurement]
    ) -> None:
        if self._places.points(moment).is_file():
            return
        folder, steps = self._places.checkpoint(moment), done.steps if done else 0

        def point(
            evaluation: str, part: str, metric: str, value: float | None, *rest: float | None, n: int
        ) -> TrainingCurvePoint:
            low, high = rest or (None, None)
            own = (moment.seed, moment.task, moment.epoch, position, steps, moment.name)
            return TrainingCurvePoint(*own, evaluation, part, metric, value, low, high, n)

        points = []
        if done is not None:  # its loss is the mean of one epoch, all of which have as many steps
            points.append(point(TRAINING, OVERALL, "loss", float(f"{done.loss:.6g}"), n=steps // moment.epoch))
        scorer = load_scorer(
            f"{self._recipe.start.kind}:{folder},backend=torch,device={self._device}",
            Workbench(reporter=self._reporter),
        )
        for measurement in measurements:
            for part, metric, found in measurement.figures(scorer):
                points.append(point(measurement.name, part, metric, found.value, found.low, found.high, n=found.n))
        if not points:  # of a start without evaluations: it has a place on the curves all the same
            points = [point(TRAINING, OVERALL, "loss", None, n=0)]
        write_jsonl(self._places.points(moment), points)
        write_jsonl(self._places.out / CURVES, self._all_points())
        self._reporter.note(f"{moment.name}: {_headline(points)}")

    def _all_points(self) -> list[TrainingCurvePoint]:
        files = sorted((self._places.out / STAGES / "points").glob("*.jsonl"))
        points = [point for file in files for point in read_jsonl(file, TrainingCurvePoint)]
        order = {seed: place for place, seed in enumerate(self._recipe.seeds)}
        return sorted(points, key=lambda point: (order[point.seed], point.position))


def open_measurements(recipe: TuneRecipe, reporter: Reporter) -> list[Measurement]:
    """All that checkpoints are measured on, read before any training."""
    return [
        open_suite(one) if isinstance(one, SuiteEvaluation) else open_ranking(one, reporter)
        for one in recipe.evaluation
    ]


def _headline(points: Sequence[TrainingCurvePoint]) -> str:
    shown = ("loss", "accuracy", "paired_accuracy", "nDCG@10")
    found = [p for p in points if p.part == OVERALL and p.metric in shown and p.value is not None]
    return (
        ", ".join(f"{p.evaluation} {p.metric} {say(p.value, kind_of(p.metric))}" for p in found)
        or "measured on nothing"
    )
