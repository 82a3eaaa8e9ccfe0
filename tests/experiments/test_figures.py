"""Means of columns, on the scale of their metric, from draws that depend on the items alone."""

from __future__ import annotations

import numpy as np

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.experiments.figures import group_figures
from constraintsuite.experiments.outcome_table import Item, StoredTable

LIKENESS = Metric(name="likeness", title="Likeness")
TOKENS = Metric(name="tokens", title="Tokens", share=False)


def figure(values: list[float], metric: Metric = LIKENESS) -> Interval:
    return figures({metric: np.array(values)})[metric.name]


def figures(columns: dict[Metric, FloatArray]) -> dict[str, Interval]:
    """The figures of one system over all items, each item in a cluster of its own."""
    items = [Item(str(n)) for n in range(len(next(iter(columns.values()))))]
    metrics = {metric.name: metric for metric in columns}
    values = {metric.name: column for metric, column in columns.items()}
    table = StoredTable(items, metrics, {"system": values}, {}, next(iter(metrics)))
    return group_figures(table, "system", table.main).metrics


def test_bounds_lie_on_the_scale() -> None:
    assert figure([0.9, 1.0, 0.2, 0.9]).high == 1.0


def test_a_scale_without_ends_has_none() -> None:
    found = figure([0.9, 1.0, 0.2, 0.9], TOKENS)
    assert found.high is not None
    assert found.high > 1


def test_a_column_without_values_is_undefined() -> None:
    assert (figure([np.nan]).value, figure([np.nan]).n) == (None, 0)


def test_the_same_items_have_the_same_interval_whatever_stands_beside_them() -> None:
    values = np.random.default_rng(1).random(40)
    other = Metric(name="other", title="Other")
    alone = figures({LIKENESS: values})
    assert figures({other: 1 - values, LIKENESS: values})["likeness"] == alone["likeness"]
