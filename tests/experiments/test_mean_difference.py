"""Paired differences: when an interval may be as narrow as resampling says."""

from __future__ import annotations

import numpy as np
import pytest

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import IntArray
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.experiments.compare import mean_difference

RECALL = Metric(name="recall", title="Recall")
TOKENS = Metric(name="tokens", title="Tokens", share=False)


def difference(values: list[float], clusters: IntArray | None = None, metric: Metric = RECALL) -> Interval:
    members = np.arange(len(values), dtype=np.int64) if clusters is None else clusters
    return mean_difference(np.array(values, dtype=np.float64), members, metric, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        ([0.0] * 10, -0.2775, 0.2775),
        ([0.0] * 9 + [1.0], -0.1775, 0.3775),  # one case that differs says little of the rest
        ([-0.15] * 2, -0.8076, 0.5076),
        ([1.0] * 10, 0.7225, 1.0),
        ([-1.15] * 10, -1.15, -0.8725),  # the other side was scaled
    ],
)
def test_few_clusters_that_differ_leave_room_for_more(values: list[float], low: float, high: float) -> None:
    found = difference(values)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)


def test_six_clusters_that_differ_speak_for_themselves() -> None:
    found = difference([0.0] * 94 + [0.1] * 6)
    assert found.low is not None
    assert found.low > 0


def test_wordings_of_one_case_are_one_cluster() -> None:
    found = difference([0.0, 0.0, 0.0, 0.0], np.array([0, 0, 1, 1], dtype=np.int64))
    assert (found.low, found.high) == pytest.approx((-0.6576, 0.6576), abs=1e-4)  # of two, not of four
    assert found.n == 4


def test_of_nothing_there_is_no_difference() -> None:
    assert difference([]).value is None


def test_agreement_on_a_scale_without_ends_has_no_interval() -> None:
    found = difference([30.0] * 3, metric=TOKENS)
    assert (found.value, found.low, found.high) == (30.0, None, None)
