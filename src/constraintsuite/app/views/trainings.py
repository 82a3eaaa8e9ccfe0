"""The page of a training: its curves, the selected checkpoints, and its recipe."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraintsuite.app.pages.drawings.plot import draw_plot
from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.views.display import Display, ShowOptions, show_each
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.figures import UnitValue
from constraintsuite.core.records.sections import Charts, Section, VerbatimText
from constraintsuite.core.records.tables import Column, ItemColumns, Table, count_table, tabulate
from constraintsuite.core.store.artifact import Artifact, Manifest
from constraintsuite.core.store.jsonl import read_json, read_jsonl
from constraintsuite.experiments.outcome_table import OVERALL
from constraintsuite.tuning.curves import CURVES, SELECTED, Selected, TrainingCurvePoint, draw_curves, kind_of

KIND, RECIPE = "tune", "recipe.json"
_SHOWN = (CURVES, SELECTED, RECIPE)
_ABOUT_CURVES = "The figures of each checkpoint on each evaluation. Point at a mark to read its figures."
_ABOUT_SELECTED = (
    "The checkpoint of each seed and task from which the next task started; the last one is the result of the training."
)
_ABOUT_RECIPE = "All settings of the training, and how much data its tasks had."


@show_each
def show_training(path: Path, _: ShowOptions) -> Display:
    """The page of one training. Raises UserError if its files were changed."""
    artifact = Artifact.open_unverified(path, KIND)
    manifest = artifact.manifest
    lacking = next((name for name in _SHOWN if name not in manifest.files), None)
    if lacking is not None:
        raise UserError(f"{path}: {lacking} is missing. Was the training written by another version?")
    artifact.refuse_changed(_SHOWN)  # only what is shown: hashing all checkpoints would take minutes
    chosen = tabulate("selected", "", read_json(path / SELECTED, tuple[Selected, ...]), _SELECTED)
    about = f"{manifest.counts['checkpoints']:,} checkpoints, {manifest.counts['points']:,} figures."
    sections = (
        _curves(tuple(read_jsonl(path / CURVES, TrainingCurvePoint))),
        Section("selected", "Selected checkpoints", _ABOUT_SELECTED, (chosen,)),
        _recipe(manifest, (path / RECIPE).read_text(encoding="utf-8")),
    )
    return Display(Masthead(manifest.name, "training", about), tuple(section for section in sections if section.blocks))


def _curves(points: Sequence[TrainingCurvePoint]) -> Section:
    charts = Charts(tuple(draw_plot(plot) for plot in draw_curves(points)))
    evaluations = dict.fromkeys(point.evaluation for point in points if point.value is not None)
    tables = (_figures(name, points) for name in evaluations)
    return Section("curves", "Curves", _ABOUT_CURVES, (charts, *tables))


def _recipe(manifest: Manifest, recipe: str) -> Section:
    tables = [count_table("data", "What was read and made.", manifest.counts)]
    if manifest.rejects:
        tables.append(count_table("left_out", "Rows that were left out, by reason.", manifest.rejects))
    return Section("recipe", "Recipe", _ABOUT_RECIPE, (*tables, VerbatimText(recipe.rstrip(), "All settings")))


def _figures(evaluation: str, points: Sequence[TrainingCurvePoint]) -> Table:
    """A table of one evaluation with a row per checkpoint and a column per metric."""
    own = [point for point in points if point.evaluation == evaluation and point.part == OVERALL]
    metrics = list(dict.fromkeys(point.metric for point in own))
    found = {(one.checkpoint, one.metric): one.figure for one in own}
    rows = tuple(
        (checkpoint, *(found.get((checkpoint, metric)) for metric in metrics))
        for checkpoint in dict.fromkeys(point.checkpoint for point in own)
    )
    columns = (Column("checkpoint"), *(Column(metric, kind_of(metric)) for metric in metrics))
    return Table(f"figures_{evaluation}", f"{evaluation}, overall.", columns, rows)


_SELECTED: ItemColumns[Selected] = {
    "checkpoint": ("text", lambda one: one.checkpoint),
    "seed": ("count", lambda one: one.seed),
    "task": ("text", lambda one: one.task),
    "epoch": ("count", lambda one: one.epoch),
    "selected by": ("text", lambda one: one.by),
    "value": ("number", lambda one: UnitValue(one.value, one.kind)),
}
