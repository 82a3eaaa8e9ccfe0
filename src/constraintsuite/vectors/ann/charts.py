"""The plots of an arena: recall against its cost, recall by query, and recall against relevance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.plots import Axis, LevelLine, Plot, Series, Spot
from constraintsuite.models.retrieval.topk import FloatArray
from constraintsuite.vectors.ann.frontier import Arena, by_name, engine_name, pareto_front, recall_of, speed_of
from constraintsuite.vectors.ann.results import MeasuredCell, RetrieverBaseline

_MEGA = 1e6


@dataclass(frozen=True)
class ChartQuantity:
    """A cost of recall, as an axis of a plot: speed, latency, build time or size."""

    name: str
    title: str
    axis: str
    value: Callable[[MeasuredCell], float | None]
    more_is_better: bool
    words: str
    """Format of a value with its unit."""
    exact: bool = True
    """Whether engines that compare everything have such a value."""

    def of(self, cell: MeasuredCell) -> float:
        """The value of a cell that has one."""
        return self.value(cell) or 0.0


SPEED = ChartQuantity("front", "Recall and speed", "queries/s (more is better)", speed_of, True, "{:,.0f} queries/s")
LATENCY = ChartQuantity(
    "p99",
    "Recall and slow queries",
    "p99 latency, ms (less is better)",
    lambda cell: (cell.speed.latencies_ms or {}).get("p99"),
    False,
    "p99 {:.3g} ms",
)
BUILD = ChartQuantity(
    "build",
    "Recall and build time",
    "build, s (less is better)",
    lambda c: c.cost.build_seconds,
    False,
    "{:.3g} s",
    exact=False,
)


def size_quantity(full_bytes: int) -> ChartQuantity:
    """The size of the index, plus `full_bytes` of the vectors themselves with rerank."""

    def size(cell: MeasuredCell) -> float | None:
        read = full_bytes if cell.point.rerank > 1 else 0
        return None if cell.cost.index_bytes is None else (cell.cost.index_bytes + read) / _MEGA

    return ChartQuantity(
        "size", "Recall and size", "index and vectors to rerank, MB (less is better)", size, False, "{:,.3g} MB"
    )


def recall_chart(arena: Arena, cells: Sequence[MeasuredCell], quantity: ChartQuantity) -> Plot | None:
    """Recall on the x-axis, the quantity on the y-axis; None if no approximate engine has it.

    Exact engines are lines at their best value, never points.
    """
    known = [cell for cell in cells if quantity.value(cell)]  # the axis is logarithmic, without 0
    near = [cell for cell in known if not cell.exact]
    if not near:
        return None
    curves = tuple(_curve(name, own, quantity) for name, own in by_name(near).items())
    flat = by_name(cell for cell in known if cell.exact and quantity.exact)
    best = max if quantity.more_is_better else min
    levels = tuple(
        LevelLine(engine_name(own[0]), value, quantity.words.format(value))
        for own in flat.values()
        for value in [best(map(quantity.of, own))]
    )
    across = Axis(f"ann.recall_tie@{arena.k}", "logit")
    return Plot(f"{quantity.name}-{arena.slug}", quantity.title, across, Axis(quantity.axis, "log"), curves, levels)


def spread_chart(arena: Arena, recalls: Sequence[tuple[str, FloatArray]]) -> Plot | None:
    """For each recall, the share of queries below it, from the recalls of each engine. None if no query misses a neighbour."""
    lowest = min((float(values.min()) for _, values in recalls), default=1.0)
    if lowest == 1.0:
        return None
    curves = tuple(Series(name, _below(values, lowest)) for name, values in recalls)
    across, up = Axis(f"ann.recall_tie@{arena.k} of a query", "share"), Axis("queries below", "share")
    return Plot(f"queries-{arena.slug}", "Recall, query by query", across, up, curves, stepped=True)


def relevance_chart(arena: Arena, cells: Sequence[MeasuredCell], rankings: Sequence[RetrieverBaseline]) -> Plot | None:
    """Recall of neighbours on the x-axis, nDCG by judgments on the y-axis; exact search and rankings without vectors are lines."""
    name = next((n for cell in cells for n in cell.figures if n.startswith("rel.ndcg@")), None)
    near = [cell for cell in cells if not cell.exact and name in cell.figures]
    if name is None or not near:
        return None
    curves = tuple(
        Series(engine, tuple(_judged_spot(cell, name) for cell in sorted(own, key=recall_of)))
        for engine, own in by_name(near).items()
    )
    ceiling = near[0].figures[name.replace("rel.", "rel.ceiling.", 1)].value or 0.0
    levels = [LevelLine("exact search", ceiling, f"{name} {percent(ceiling)}")]
    for ranking in rankings:
        found = ranking.figures[name].value if name in ranking.figures else None
        if found is not None:
            levels.append(LevelLine(ranking.retriever, found, f"{name} {percent(found)}"))
    across = Axis(f"ann.recall_tie@{arena.k}", "logit")
    title = "Neighbours and relevance"
    return Plot(f"relevance-{arena.slug}", title, across, Axis(name, "share"), curves, tuple(levels))


def _curve(name: str, cells: Sequence[MeasuredCell], quantity: ChartQuantity) -> Series:
    sign = 1 if quantity.more_is_better else -1
    best = pareto_front(cells, lambda cell: sign * quantity.of(cell))
    spots = [
        _spot(cell, value, quantity.words.format(value), best=cell in best)
        for cell in [*best, *(cell for cell in cells if cell not in best)]
        for value in [quantity.of(cell)]
    ]
    return Series(name, tuple(spots))


def _spot(cell: MeasuredCell, y: float, words: str, *, best: bool = True) -> Spot:
    point = cell.point
    settings = f"{point.series}, {point.setting}"
    return Spot(recall_of(cell), y, f"{settings}: recall {percent(recall_of(cell))}, {words}", best)


def _judged_spot(cell: MeasuredCell, name: str) -> Spot:
    value = cell.figures[name].value or 0.0
    return _spot(cell, value, f"{name} {percent(value)}")


def _below(recalls: FloatArray, lowest: float) -> tuple[Spot, ...]:
    """The cumulative share of queries below each recall that occurs."""
    levels = np.unique(np.concatenate([recalls, [lowest, 1.0]]))
    shares = [float((recalls < level).mean()) for level in levels]
    hint = f"{percent(shares[-1])} of queries miss a neighbour, worst recall {percent(recalls.min())}"
    return tuple(
        Spot(float(level), share, hint if level == 1.0 else "") for level, share in zip(levels, shares, strict=True)
    )
