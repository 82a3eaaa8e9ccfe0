"""The curves of a training: what each checkpoint got on each evaluation, and how they look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from constraintsuite.records.plots import Axis, Plot, Series, Spot

CURVES = "curves.jsonl"
OVERALL = "overall"
TRAINING = "training"
_DRAWN = ("paired_accuracy", "accuracy", "nDCG@10", "RR@10", "loss")
_TITLES = {"paired_accuracy": "Paired accuracy", "accuracy": "Accuracy", "loss": "Training loss"}
_HEADLINES = ("paired_accuracy", "nDCG@10")


@dataclass(frozen=True, slots=True)
class Point:
    """One figure of one checkpoint."""

    seed: int
    task: str
    """The task that was trained last; `start` before the first."""
    epoch: int
    """Of that task."""
    position: int
    """Epochs of all tasks up to here."""
    steps: int
    """Of that task."""
    checkpoint: str
    evaluation: str
    part: str
    """`overall`, or a slice."""
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int


def draw_curves(points: Sequence[Point]) -> list[Plot]:
    """Plots over the epochs: first what is gained beside what is lost, as in figure 5 of the NevIR paper; then one a metric,
    with a line for each seed; then the slices of each suite.
    """
    plots = [_gains(points)]
    plots += [_plot(metric, [p for p in points if p.metric == metric and p.part == OVERALL]) for metric in _DRAWN]
    parts = [_by_part(name, points) for name in dict.fromkeys(point.evaluation for point in points)]
    return [plot for plot in (*plots, *parts) if plot is not None]


def _gains(points: Sequence[Point]) -> Plot | None:
    """Paired accuracy on suites and nDCG@10 on plain retrieval, of the first seed."""
    lines: dict[str, list[Spot]] = {}
    shown = [p for p in points if p.seed == points[0].seed and p.part == OVERALL and p.metric in _HEADLINES]
    for point in shown:
        if point.value is not None:
            lines.setdefault(f"{point.evaluation}, {point.metric}", []).append(_spot(point))
    both = {name.rpartition(", ")[2] for name in lines} == set(_HEADLINES)
    return _drawn("curve-gained-and-lost", "What is gained, and what is lost", "Share", lines) if both else None


def _plot(metric: str, points: Sequence[Point]) -> Plot | None:
    several = len({point.seed for point in points}) > 1
    lines: dict[str, list[Spot]] = {}
    for point in points:
        if point.value is not None:
            name = f"{point.evaluation}, seed {point.seed}" if several else point.evaluation
            lines.setdefault(name, []).append(_spot(point))
    title = _TITLES.get(metric, metric)
    return _drawn(f"curve-{metric}", f"{title} after each epoch", title, lines)


def _by_part(evaluation: str, points: Sequence[Point]) -> Plot | None:
    """The slices of one suite, of the first seed."""
    own = [p for p in points if p.evaluation == evaluation and p.part != OVERALL and p.metric == "accuracy"]
    lines: dict[str, list[Spot]] = {}
    for point in own:
        if point.seed == own[0].seed and point.value is not None:
            lines.setdefault(point.part, []).append(_spot(point))
    return _drawn(f"slices-{evaluation}", f"Accuracy by slice: {evaluation}", "Accuracy", lines)


def _drawn(name: str, title: str, up: str, lines: dict[str, list[Spot]]) -> Plot | None:
    if not lines:
        return None
    series = tuple(Series(line, tuple(spots)) for line, spots in lines.items())
    return Plot(name.replace("@", "-"), title, Axis("epochs", "linear"), Axis(up, "linear"), series)


def _spot(point: Point) -> Spot:
    assert point.value is not None
    bounds = f" [{point.low:.3f}, {point.high:.3f}]" if point.low is not None and point.high is not None else ""
    return Spot(point.position, point.value, f"{point.task} epoch {point.epoch}: {point.value:.3f}{bounds}")
