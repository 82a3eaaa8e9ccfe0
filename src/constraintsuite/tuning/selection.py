"""Which checkpoint of a task is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from constraintsuite.errors import UserError
from constraintsuite.tuning.curves import Point
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


def select(points: Sequence[Point], settings: SelectionSettings | None) -> Selected:
    """From the points of one task and seed: the last epoch, or the best by the settings, the earliest of equals."""
    last = max(points, key=lambda point: point.epoch)
    if settings is None:
        return Selected(last.seed, last.task, last.epoch, last.checkpoint, "last", None)
    wanted = (settings.evaluation, settings.metric, settings.part)
    fitting = [p for p in points if (p.evaluation, p.metric, p.part) == wanted and p.value is not None]
    if not fitting:
        own = [p for p in points if p.evaluation == settings.evaluation]
        known = sorted({f"{p.metric} of {p.part}" for p in own if p.value is not None})
        raise UserError(
            f"selection: {settings.evaluation} has no {settings.metric} of {settings.part}. There are: {', '.join(known)}."
        )
    best = max(fitting, key=lambda point: (point.value or 0.0, -point.epoch))
    by = f"{settings.evaluation} {settings.metric} {settings.part}"
    return Selected(best.seed, best.task, best.epoch, best.checkpoint, by, best.value)
