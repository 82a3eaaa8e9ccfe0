"""The curves of a training: figures of each checkpoint, the selection of checkpoints, and plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.figures import ColumnKind, show
from constraintsuite.core.records.plots import Axis, Plot, Series, Spot
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.experiments.outcome_table import OVERALL
from constraintsuite.experiments.ranking.summary import metric_of
from constraintsuite.tuning.recipe import SelectionSettings

CURVES, SELECTED = "curves.jsonl", "selected.json"
TRAINING = "training"
_DRAWN = ("paired_accuracy", "accuracy", "nDCG@10", "RR@10", "loss")
_TITLES = {"paired_accuracy": "Paired accuracy", "accuracy": "Accuracy", "loss": "Training loss"}
_HEADLINES = ("paired_accuracy", "nDCG@10")


@dataclass(frozen=True, slots=True)
class TrainingCurvePoint:
    """One figure of one checkpoint."""

    seed: int
    task: str
    """The last task; `start` before the first."""
    epoch: int
    """The epoch of that task."""
    position: int
    """The number of epochs of all tasks so far."""
    steps: int
    """The number of steps of that task so far."""
    checkpoint: str
    evaluation: str
    part: str
    """`overall`, or a slice."""
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int

    @property
    def figure(self) -> Interval:
        """The value with its interval."""
        return Interval(self.value, self.low, self.high, self.n)


@dataclass(frozen=True, slots=True)
class Selected:
    """The checkpoint that a task passes on."""

    seed: int
    task: str
    epoch: int
    checkpoint: str
    by: str
    """`last`, or evaluation, metric and part by which it is the best."""
    value: float | None

    @property
    def kind(self) -> ColumnKind:
        """How the value is shown, which depends on its metric, the second-last word of `by`."""
        return "number" if self.value is None else kind_of(self.by.rsplit(maxsplit=2)[1])


def kind_of(metric: str) -> ColumnKind:
    """How figures of a metric are shown; the training loss is a plain number."""
    return METRICS[metric].kind if metric in METRICS else metric_of(metric).kind


def check_selectable(points: Sequence[TrainingCurvePoint], settings: SelectionSettings | None) -> None:
    """Raise a UserError if checkpoints have no point to select by; its value may be undefined."""
    if settings is not None and not _matching(points, settings):
        raise _unknown(points, settings)


def select(points: Sequence[TrainingCurvePoint], settings: SelectionSettings | None) -> Selected:
    """Select from the points of one task and seed: the last epoch, or the best by the settings, the earliest of equals."""
    last = max(points, key=lambda point: point.epoch)
    if settings is None:
        return Selected(last.seed, last.task, last.epoch, last.checkpoint, "last", None)
    ranked = [(point.value, -point.epoch, point) for point in _matching(points, settings) if point.value is not None]
    if not ranked:
        raise _unknown(points, settings)
    _, _, best = max(ranked, key=lambda one: one[:2])
    by = f"{settings.evaluation} {settings.metric} {settings.part}"
    return Selected(best.seed, best.task, best.epoch, best.checkpoint, by, best.value)


def _matching(points: Sequence[TrainingCurvePoint], settings: SelectionSettings) -> list[TrainingCurvePoint]:
    wanted = (settings.evaluation, settings.metric, settings.part)
    return [point for point in points if (point.evaluation, point.metric, point.part) == wanted]


def _unknown(points: Sequence[TrainingCurvePoint], settings: SelectionSettings) -> UserError:
    own = [point for point in points if point.evaluation == settings.evaluation]
    known = sorted({f"{point.metric} of {point.part}" for point in own if point.value is not None})
    return UserError(
        f"selection: {settings.evaluation} has no {settings.metric} of {settings.part}. There are: {', '.join(known)}."
    )


_Line = dict[int, list[TrainingCurvePoint]]
"""The points of all seeds, by position."""


def draw_curves(points: Sequence[TrainingCurvePoint]) -> list[Plot]:
    """Plots over the epochs: gains and losses together, as in figure 5 of the NevIR paper; one plot per metric; slices.

    With several seeds, each has a thin line, and their mean a bold one.
    """
    known = [point for point in points if point.value is not None]
    whole = [point for point in known if point.part == OVERALL]
    plots = []
    headlines = [point for point in whole if point.metric in _HEADLINES]
    if {point.metric for point in headlines} == set(_HEADLINES):
        lines = _lines(headlines, lambda point: f"{point.evaluation}, {point.metric}")
        plots.append(_plot("curve-gained-and-lost", "What is gained, and what is lost", "Share", lines))
    for metric in _DRAWN:
        title = _TITLES.get(metric, metric)
        lines = _lines([point for point in whole if point.metric == metric], lambda point: point.evaluation)
        plots.append(_plot(f"curve-{metric}", f"{title} after each epoch", title, lines))
    slices = [point for point in known if point.part != OVERALL and point.metric == "accuracy"]
    for name in dict.fromkeys(point.evaluation for point in points):
        lines = _lines([point for point in slices if point.evaluation == name], lambda point: point.part)
        plots.append(_plot(f"slices-{name}", f"Accuracy by slice: {name}", "Accuracy", lines))
    return [plot for plot in plots if plot.series]


def _lines(points: Sequence[TrainingCurvePoint], name: Callable[[TrainingCurvePoint], str]) -> dict[str, _Line]:
    lines: dict[str, _Line] = {}
    for point in points:
        lines.setdefault(name(point), {}).setdefault(point.position, []).append(point)
    return lines


def _plot(name: str, title: str, up: str, lines: Mapping[str, _Line]) -> Plot:
    drawn = [point for line in lines.values() for points in line.values() for point in points]
    shares = all(kind_of(point.metric) == "share" for point in drawn)
    seeds = {point.seed for point in drawn}
    several = len(seeds) > 1
    return Plot(
        name.replace("@", "-"),
        title,
        Axis("epochs", "linear"),
        Axis(up, "share" if shares else "linear"),
        tuple(_series(line, own, several=several) for line, own in lines.items()),
        note=f"Thin: each of {len(seeds)} seeds; bold: their mean." if several else "",
    )


def _series(name: str, line: _Line, *, several: bool) -> Series:
    columns = [points for _, points in sorted(line.items())]
    if not several:
        return Series(name, tuple(_spot(points[0]) for points in columns))
    seeds: dict[int, list[Spot]] = {}
    for point in chain.from_iterable(columns):
        seeds.setdefault(point.seed, []).append(_spot(point))
    return Series(name, tuple(map(_mean, columns)), tuple(map(tuple, seeds.values())))


def _mean(points: Sequence[TrainingCurvePoint]) -> Spot:
    values = [point.value for point in points if point.value is not None]
    mean = sum(values) / len(values)
    low, shown, high = (show(value, kind_of(points[0].metric)).value for value in (min(values), mean, max(values)))
    said = f"{_when(points[0])}: {shown}, mean of {len(values)} seeds ({low} to {high})"
    return Spot(points[0].position, mean, said)


def _spot(point: TrainingCurvePoint) -> Spot:
    assert point.value is not None
    figure = show(point.figure, kind_of(point.metric))._replace(n="")
    return Spot(point.position, point.value, f"{_when(point)}: {figure}")


def _when(point: TrainingCurvePoint) -> str:
    return f"{point.task} epoch {point.epoch}"
