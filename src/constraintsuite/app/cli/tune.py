"""`csuite tune`: train a model by a recipe, and write checkpoints and curves."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.app.cli.arguments import recipe_argument
from constraintsuite.app.cli.options import dry_run_option, json_option, out_option, small_split_option
from constraintsuite.app.cli.output import artifact_record, emit
from constraintsuite.core.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.core.store.artifact import Artifact
    from constraintsuite.tuning.curves import Selected
    from constraintsuite.tuning.recipe import TuneRecipe
    from constraintsuite.tuning.tune import TrainingPlan


@click.command()
@recipe_argument()
@out_option()
@small_split_option
@dry_run_option
@json_option
def tune(recipe_file: Path, out: Path, allow_small_split: bool, dry_run: bool, as_json: bool) -> None:
    """Train a model as RECIPE says, one task after the other, and evaluate it after every epoch.

    OUT holds checkpoints and curves. The same command resumes an interrupted training after the last finished epoch.
    """
    from constraintsuite.app.pages.drawings.plot import draw_plot
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.tuning.recipe import TuneRecipe
    from constraintsuite.tuning.tune import plan_training
    from constraintsuite.tuning.tune import tune as train

    read = TuneRecipe.read(recipe_file)
    if not allow_small_split:
        _refuse_small_splits(read)
    if dry_run:
        plan = plan_training(read)
        emit(plan, as_json, _plan_lines(plan))
        return
    artifact = train(read, out, Terminal(), lambda plot: str(draw_plot(plot)))
    record = {**artifact_record("tuned", artifact), "selected": _selected(artifact)}
    emit(record, as_json, _lines(artifact))


def _refuse_small_splits(recipe: TuneRecipe) -> None:
    """Refuse suites whose training split, or whose split that is evaluated on, has too few examples of a slice."""
    from constraintsuite.suites.small_splits import refuse_small_splits
    from constraintsuite.tuning.settings import SuiteData, SuiteEvaluation

    for task in recipe.tasks:
        if isinstance(task.data, SuiteData):
            refuse_small_splits(task.data.suite, ["train"], slices=task.data.slices)
    for one in recipe.evaluation:
        if isinstance(one, SuiteEvaluation) and one.split is not None:
            refuse_small_splits(one.suite, [one.split])


def _plan_lines(plan: TrainingPlan) -> Iterator[str]:
    yield f"{plan.name}: from {plan.start}, seeds: {plan.seeds}, checkpoints: {plan.checkpoints}"
    for task in plan.tasks:
        left_out = f", left out: {dict(task.rejects)}" if task.rejects else ""
        yield (
            f"  {task.name:<12} {task.lists:,} lists ({task.data}, loss {task.loss}), "
            f"epochs: {task.epochs}, of {task.steps:,} steps each{left_out}"
        )
    yield f"  evaluated on {', '.join(plan.evaluations) or 'nothing'}"
    if plan.forbidden:
        yield f"  {plan.forbidden:,} texts are kept out of the training data"


def _lines(artifact: Artifact) -> Iterator[str]:
    from constraintsuite.core.records.figures import say

    yield f"Trained: {shown(artifact.path)}"
    for one in _selected(artifact):
        by = f"{one.by} {say(one.value, one.kind)}" if one.value is not None else f"its {one.by} epoch"
        yield f"  seed {one.seed}, {one.task}: {shown(artifact.path)}/checkpoints/{one.checkpoint} ({by})"
    yield f"Curves:  {shown(artifact.path)}/curves.jsonl, {shown(artifact.path)}/plots/*.svg"


def _selected(artifact: Artifact) -> tuple[Selected, ...]:
    from constraintsuite.core.store.jsonl import read_json
    from constraintsuite.tuning.curves import SELECTED, Selected

    return read_json(artifact.path / SELECTED, tuple[Selected, ...])
