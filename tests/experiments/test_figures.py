"""Means of columns, on the scale of their metric, from draws that depend on the items alone."""

from __future__ import annotations

import numpy as np

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.experiments.figures import column_figures

LIKENESS = Metric(name="likeness", title="Likeness")
TOKENS = Metric(name="tokens", title="Tokens", share=False)


def figure(values: list[float], metric: Metric = LIKENESS) -> Interval:
    ids = [str(n) for n in range(len(values))]
    (found,) = column_figures([metric], [np.array(values)], np.arange(len(values)), ids)
    return found


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
    ids = [str(n) for n in range(40)]
    alone = column_figures([LIKENESS], [values], np.arange(40), ids)
    assert column_figures([LIKENESS, LIKENESS], [1 - values, values], np.arange(40), ids)[1:] == alone
