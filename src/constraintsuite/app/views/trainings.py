"""A training: its curves, the checkpoints that were taken, and its recipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from constraintsuite.app.pages.drawings.plot import draw_plot
from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.views.counts import count_table
from constraintsuite.app.views.display import Display, show_each
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.figures import UnitValue
from constraintsuite.core.records.sections import Charts, Section, SectionBlock, TableBlock, VerbatimText
from constraintsuite.core.records.tables import Column, ItemColumns, Table, tabulate
from constraintsuite.core.store.artifact import Artifact, Manifest
from constraintsuite.core.store.jsonl import read_json, read_jsonl
from constraintsuite.experiments.outcome_table import OVERALL
from constraintsuite.tuning.curves import CURVES, SELECTED, Selected, TrainingCurvePoint, draw_curves, kind_of

KIND, RECIPE = "tune", "recipe.json"
_SHOWN = (CURVES, SELECTED, RECIPE)
_ABOUT_CURVES = (
    "What each checkpoint got on each evaluation, from the start on; a point tells its figures when it is pointed at."
)
_ABOUT_SELECTED = "Of each seed and task the checkpoint that the next task began with; the last one is what came out."
_ABOUT_MADE = "All that decides a training, and how much its tasks were given."


@show_each
def show_training(path: Path) -> Display:
    """The page of a training: its curves, what was selected, and its recipe; one that was changed since is a UserError."""
    artifact = Artifact.open_unverified(path, KIND)
    manifest = artifact.manifest
    lacking = next((name for name in _SHOWN if name not in manifest.files), None)
    if lacking is not None:
        raise UserError(f"{path}: it has no {lacking}. Was it written by another version?")
    artifact.refuse_changed(_SHOWN)  # what is shown alone: to hash all checkpoints would take minutes
    chosen = tabulate("selected", "", read_json(path / SELECTED, tuple[Selected, ...]), _SELECTED)
    about = f"{manifest.counts['checkpoints']:,} checkpoints, {manifest.counts['points']:,} figures."
    sections = (
        *_curves(tuple(read_jsonl(path / CURVES, TrainingCurvePoint))),
        Section("selected", "Selected checkpoints", _ABOUT_SELECTED, (TableBlock(chosen),)),
        _recipe(manifest, (path / RECIPE).read_text(encoding="utf-8")),
    )
    return Display(Masthead(manifest.name, "training", about), sections)


def _curves(points: Sequence[TrainingCurvePoint]) -> Iterator[Section]:
    drawn = tuple(draw_plot(plot) for plot in draw_curves(points))
    curves: list[SectionBlock] = [Charts(drawn)] if drawn else []
    curves += [TableBlock(_figures(name, points)) for name in _evaluations(points)]
    if curves:
        yield Section("curves", "Curves", _ABOUT_CURVES, tuple(curves))


def _recipe(manifest: Manifest, recipe: str) -> Section:
    made: list[SectionBlock] = [TableBlock(count_table("data", "What was read and made.", manifest.counts))]
    if manifest.rejects:
        made.append(TableBlock(count_table("left_out", "Rows that were left out, and why.", manifest.rejects)))
    return Section("recipe", "Recipe", _ABOUT_MADE, (*made, VerbatimText(recipe.rstrip(), "All settings")))


def _evaluations(points: Sequence[TrainingCurvePoint]) -> list[str]:
    return list(dict.fromkeys(point.evaluation for point in points if point.value is not None))


def _figures(evaluation: str, points: Sequence[TrainingCurvePoint]) -> Table:
    """A row per checkpoint and a column per metric."""
    own = [point for point in points if point.evaluation == evaluation and point.part == OVERALL]
    metrics = list(dict.fromkeys(point.metric for point in own))
    found = {(one.checkpoint, one.metric): one.figure for one in own}
    rows = tuple(
        (checkpoint, *(found.get((checkpoint, metric)) for metric in metrics))
        for checkpoint in dict.fromkeys(point.checkpoint for point in own)
    )
    columns = (Column("checkpoint"), *(Column(metric, kind_of(metric)) for metric in metrics))
    return Table(f"figures_{evaluation}", f"{evaluation}, over all of it.", columns, rows)


_SELECTED: ItemColumns[Selected] = {
    "checkpoint": ("text", lambda one: one.checkpoint),
    "seed": ("count", lambda one: one.seed),
    "task": ("text", lambda one: one.task),
    "epoch": ("count", lambda one: one.epoch),
    "taken by": ("text", lambda one: one.by),
    "value": ("number", lambda one: UnitValue(one.value, one.kind)),
}
