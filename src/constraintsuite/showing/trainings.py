"""A training: its curves, the checkpoints that were taken, and its recipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from constraintsuite.errors import UserError
from constraintsuite.records.figures import UnitValue
from constraintsuite.records.sections import Charts, Section, SectionBlock, TableBlock, VerbatimText
from constraintsuite.records.tables import Column, Table, TableColumns, tabulate
from constraintsuite.reports.drawings.plot import draw_plot
from constraintsuite.reports.page import Masthead
from constraintsuite.showing.counts import count_table
from constraintsuite.showing.display import Display, show_each
from constraintsuite.store.artifact import Artifact
from constraintsuite.store.jsonl import adapter, describe, read_jsonl
from constraintsuite.tuning.curves import CURVES, OVERALL, TrainingCurvePoint, draw_curves, kind_of
from constraintsuite.tuning.places import SELECTED
from constraintsuite.tuning.selection import Selected

KIND, RECIPE = "tune", "recipe.json"
_SHOWN = (CURVES, SELECTED, RECIPE)
_ABOUT_CURVES = (
    "What each checkpoint got on each evaluation, from the start on; a point tells its figures when it is pointed at."
)
_ABOUT_SELECTED = "Of each seed and task the checkpoint that the next task began with; the last one is what came out."
_ABOUT_MADE = "All that decides a training, and how much its tasks were given."


@dataclass(frozen=True)
class Training:
    """A finished training, read."""

    artifact: Artifact
    points: tuple[TrainingCurvePoint, ...]
    selected: tuple[Selected, ...]
    recipe: str


def load_training(path: Path) -> Training:
    """The training in a folder; one that was changed since is a UserError."""
    artifact = Artifact.open_unverified(path, KIND)
    lacking = next((name for name in _SHOWN if name not in artifact.manifest.files), None)
    if lacking is not None:
        raise UserError(f"{path}: it has no {lacking}. Was it written by another version?")
    artifact.refuse_changed(_SHOWN)  # what is shown alone: to hash all checkpoints would take minutes
    try:
        selected = adapter(tuple[Selected, ...]).validate_json((path / SELECTED).read_bytes())
    except ValidationError as error:
        raise UserError(f"{path / SELECTED}: {describe(error)} Was it written by another version?") from None
    recipe = (path / RECIPE).read_text(encoding="utf-8")
    return Training(artifact, tuple(read_jsonl(path / CURVES, TrainingCurvePoint)), selected, recipe)


@show_each
def show_training(path: Path) -> Display:
    """One training."""
    training = load_training(path)
    counts = training.artifact.manifest.counts
    about = f"{counts['checkpoints']:,} checkpoints, {counts['points']:,} figures."
    return Display(Masthead(training.artifact.manifest.name, "training", about), tuple(training_sections(training)))


def training_sections(training: Training) -> Iterator[Section]:
    """Curves, what was selected, and what it was made from."""
    drawn = tuple(draw_plot(plot) for plot in draw_curves(training.points))
    curves: list[SectionBlock] = [Charts(drawn)] if drawn else []
    curves += [TableBlock(_figures(name, training.points)) for name in _evaluations(training.points)]
    if curves:
        yield Section("curves", "Curves", _ABOUT_CURVES, tuple(curves))
    yield Section(
        "selected",
        "Selected checkpoints",
        _ABOUT_SELECTED,
        (TableBlock(tabulate("selected", "", training.selected, _SELECTED)),),
    )
    manifest = training.artifact.manifest
    made: list[SectionBlock] = [TableBlock(count_table("data", "What was read and made.", manifest.counts))]
    if manifest.rejects:
        made.append(TableBlock(count_table("left_out", "Rows that were left out, and why.", manifest.rejects)))
    yield Section("recipe", "Recipe", _ABOUT_MADE, (*made, VerbatimText(training.recipe.rstrip(), "All settings")))


def _evaluations(points: Sequence[TrainingCurvePoint]) -> list[str]:
    return list(dict.fromkeys(point.evaluation for point in points if point.value is not None))


def _figures(evaluation: str, points: Sequence[TrainingCurvePoint]) -> Table:
    """A row a checkpoint, a column a metric."""
    own = [point for point in points if point.evaluation == evaluation and point.part == OVERALL]
    metrics = list(dict.fromkeys(point.metric for point in own))
    found = {(one.checkpoint, one.metric): one.figure for one in own}
    rows = tuple(
        (checkpoint, *(found.get((checkpoint, metric)) for metric in metrics))
        for checkpoint in dict.fromkeys(point.checkpoint for point in own)
    )
    columns = (Column("checkpoint"), *(Column(metric, kind_of(metric)) for metric in metrics))
    return Table(f"figures_{evaluation}", f"{evaluation}, over all of it.", columns, rows)


_SELECTED: TableColumns[Selected] = {
    "checkpoint": ("text", lambda one: one.checkpoint),
    "seed": ("count", lambda one: one.seed),
    "task": ("text", lambda one: one.task),
    "epoch": ("count", lambda one: one.epoch),
    "taken by": ("text", lambda one: one.by),
    "value": ("number", lambda one: UnitValue(one.value, one.kind)),
}
