"""Which checkpoint of a task is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from constraintsuite.errors import UserError
from constraintsuite.records.figures import ColumnKind
from constraintsuite.tuning.curves import TrainingCurvePoint, kind_of
from constraintsuite.tuning.recipe import SelectionSettings


@dataclass(frozen=True, slots=True)
class Selected:
    """The checkpoint that a task hands on."""

    seed: int
    task: str
    epoch: int
    checkpoint: str
    by: str
    """`last`, or what it was the best by."""
    value: float | None

    @property
    def kind(self) -> ColumnKind:
        """How the value is shown: as its metric, the word before the last of `by`, asks for."""
        return "number" if self.value is None else kind_of(self.by.rsplit(maxsplit=2)[1])


def check_selectable(points: Sequence[TrainingCurvePoint], settings: SelectionSettings | None) -> None:
    """Refuse a selection by something that the points of a checkpoint do not have; undefined for one it may be."""
    if settings is not None and not _fitting(points, settings):
        raise _unknown(points, settings)


def select(points: Sequence[TrainingCurvePoint], settings: SelectionSettings | None) -> Selected:
    """From the points of one task and seed: the last epoch, or the best by the settings, the earliest of equals."""
    last = max(points, key=lambda point: point.epoch)
    if settings is None:
        return Selected(last.seed, last.task, last.epoch, last.checkpoint, "last", None)
    ranked = [(point.value, -point.epoch, point) for point in _fitting(points, settings) if point.value is not None]
    if not ranked:
        raise _unknown(points, settings)
    _, _, best = max(ranked, key=lambda one: one[:2])
    by = f"{settings.evaluation} {settings.metric} {settings.part}"
    return Selected(best.seed, best.task, best.epoch, best.checkpoint, by, best.value)


def _fitting(points: Sequence[TrainingCurvePoint], settings: SelectionSettings) -> list[TrainingCurvePoint]:
    wanted = (settings.evaluation, settings.metric, settings.part)
    return [point for point in points if (point.evaluation, point.metric, point.part) == wanted]


def _unknown(points: Sequence[TrainingCurvePoint], settings: SelectionSettings) -> UserError:
    own = [point for point in points if point.evaluation == settings.evaluation]
    known = sorted({f"{point.metric} of {point.part}" for point in own if point.value is not None})
    return UserError(
        f"selection: {settings.evaluation} has no {settings.metric} of {settings.part}. There are: {', '.join(known)}."
    )
