"""What is drawn: approximate engines as curves, everything exact as a line, and nothing where there is nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from ann.made_runs import made
from constraintsuite.core.records.plots import Plot
from constraintsuite.core.records.scores import Interval
from constraintsuite.vectors.ann.charts import (
    BUILD,
    LATENCY,
    SPEED,
    ChartQuantity,
    recall_chart,
    relevance_chart,
    size_quantity,
    spread_chart,
)
from constraintsuite.vectors.ann.frontier import Arena
from constraintsuite.vectors.ann.results import MeasuredCell, Repeat, RetrieverBaseline

ARENA = Arena("set", "content", 10, "serial", 1, 1)
FLAT = made("flat", 1.0, 5, exact=True)


def charted(cells: Sequence[MeasuredCell], quantity: ChartQuantity = SPEED) -> Plot:
    chart = recall_chart(ARENA, cells, quantity)
    assert chart is not None
    return chart


def test_exact_engines_are_lines_and_no_points() -> None:
    chart = charted([made("a", 0.9, 10), FLAT])
    assert ([one.name for one in chart.series], [one.name for one in chart.levels]) == (["a"], ["flat (exact)"])
    assert recall_chart(ARENA, [FLAT], SPEED) is None


def test_what_another_setting_beats_is_not_among_the_best() -> None:
    (curve,) = charted([made("a", 0.9, 10), made("a", 0.8, 5), made("a", 0.5, 90)]).series
    assert [(spot.x, spot.y, spot.best) for spot in curve.spots] == [(0.5, 90, True), (0.9, 10, True), (0.8, 5, False)]


@pytest.mark.parametrize(("quantity", "up"), [(LATENCY, 2.0), (BUILD, 1.0), (size_quantity(0), 1.0)])
def test_less_is_better_of_what_is_paid(quantity: ChartQuantity, up: float) -> None:
    (curve,) = charted([made("a", 0.9, 10), made("a", 0.8, 5)], quantity).series
    assert [(spot.x, spot.y, spot.best) for spot in curve.spots] == [(0.9, up, True), (0.8, up, False)]


def test_a_cell_that_was_measured_twice_has_two_points() -> None:
    fast = made("a", 0.9, 10)
    slow = replace(fast, speed=replace(fast.speed, repeats=(Repeat(1.0, 5),)))
    (curve,) = charted([fast, slow]).series
    assert [(spot.y, spot.best) for spot in curve.spots] == [(10, True), (5, False)]


def test_a_setting_that_reranks_is_as_large_as_its_index_and_the_vectors() -> None:
    plain = made("a", 0.9, 10, index_bytes=500_000)
    again = replace(made("a", 0.95, 5, index_bytes=500_000), point=replace(plain.point, rerank=20))
    (curve,) = charted([plain, again], size_quantity(16_000_000)).series
    assert [(spot.x, spot.y) for spot in curve.spots] == [(0.9, 0.5), (0.95, 16.5)]


@pytest.mark.parametrize(("quantity", "best"), [(SPEED, 7), (size_quantity(0), 1)])
def test_an_exact_engine_with_several_settings_is_at_its_best(quantity: ChartQuantity, best: float) -> None:
    flat = [made("flat", 1.0, qps, exact=True, index_bytes=size) for qps, size in ((7, 1_000_000), (5, 2_000_000))]
    (level,) = charted([made("a", 0.9, 10), *flat], quantity).levels
    assert level.y == best


def test_comparing_everything_has_no_build_to_be_drawn() -> None:
    assert charted([made("a", 0.9, 10), FLAT], BUILD).levels == ()


def test_an_index_of_unknown_size_has_no_place() -> None:
    assert recall_chart(ARENA, [made("a", 0.9, 10, index_bytes=None)], size_quantity(0)) is None
    assert recall_chart(ARENA, [made("a", 0.9, 10, mode="batch")], LATENCY) is None


def test_queries_below_a_recall_are_counted_as_shares() -> None:
    chart = spread_chart(ARENA, [("a", np.array([0.5, 0.5, 0.75, 1.0])), ("b", np.array([1.0, 1.0]))])
    assert chart is not None
    assert [[(spot.x, spot.y) for spot in curve.spots] for curve in chart.series] == [
        [(0.5, 0.0), (0.75, 0.5), (1.0, 0.75)],
        [(0.5, 0.0), (1.0, 0.0)],
    ]
    assert "75.0 % of queries miss a neighbour, worst recall 50.0 %" in chart.series[0].spots[-1].words


def test_where_no_query_misses_anything_no_distribution_is_drawn() -> None:
    assert spread_chart(ARENA, [("a", np.ones(3))]) is None
    assert spread_chart(ARENA, []) is None


def test_exact_search_and_rankings_without_vectors_are_lines_over_relevance() -> None:
    judged = {"rel.ndcg@10": 0.4, "rel.ceiling.ndcg@10": 0.5}
    bm25 = RetrieverBaseline("key", "set", "content", "bm25", {"rel.ndcg@10": Interval(0.45, None, None, 9)}, {})
    chart = relevance_chart(ARENA, [made("a", 0.9, 10, more=judged), FLAT], [bm25])
    assert chart is not None
    assert [(level.name, level.y) for level in chart.levels] == [("exact search", 0.5), ("bm25", 0.45)]
    assert [(curve.name, curve.spots[0].x, curve.spots[0].y) for curve in chart.series] == [("a", 0.9, 0.4)]
    assert relevance_chart(ARENA, [made("a", 0.9, 10)], [bm25]) is None


def test_a_cell_whose_judging_failed_has_no_place_over_relevance() -> None:
    judged = {"rel.ndcg@10": 0.4, "rel.ceiling.ndcg@10": 0.5}
    chart = relevance_chart(ARENA, [made("a", 0.9, 10), made("b", 0.9, 10, more=judged)], [])
    assert chart is not None
    assert [one.name for one in chart.series] == ["b"]
