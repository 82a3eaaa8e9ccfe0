"""The exact engine gives what a full comparison in double precision gives, with ties in the order of rows."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from constraintsuite.models.retrieval.topk import top_k
from constraintsuite.vectors.ann.data import VectorMetric, Vectors, pad_rows
from constraintsuite.vectors.ann.engines.base import EngineSettings
from constraintsuite.vectors.ann.engines.exact import ExactEngine

METRICS: tuple[VectorMetric, ...] = get_args(VectorMetric)
RNG = np.random.default_rng(3)


def gaussian(rows: int, dimensions: int) -> Vectors:
    return RNG.standard_normal((rows, dimensions)).astype(np.float32)


def agrees(base: Vectors, queries: Vectors, k: int, metric: VectorMetric) -> None:
    engine = ExactEngine(EngineSettings(), metric, 1)
    engine.build(base)
    assert engine.search(queries, k).tolist() == pad_rows(top_k(queries, base, k, metric).rows, k).tolist()


SETS: dict[str, tuple[Vectors, int]] = {
    "duplicates": (np.repeat(gaussian(40, 6), 50, axis=0), 12),
    "zero vectors": (np.concatenate([gaussian(80, 5), np.zeros((60, 5), dtype=np.float32)]), 20),
    "one dimension": (gaussian(120, 1), 7),
    "all of them": (gaussian(50, 4), 50),
    "more than all": (gaussian(5, 4), 9),
    "of all lengths": (gaussian(300, 8) * np.exp(gaussian(300, 1) * 3), 15),
    "closer than single precision": (gaussian(1, 60) + gaussian(400, 60) * np.float32(1e-6), 20),
    "several blocks": (gaussian(40_000, 4), 10),
    "beyond single precision": (gaussian(300, 8) * np.float32(1e20), 10),
    "of hardly any length": (gaussian(300, 8) * np.float32(1e-25), 10),
}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", SETS)
def test_it_agrees_with_a_full_comparison(name: str, metric: VectorMetric) -> None:
    base, k = SETS[name]
    size = np.float32(np.abs(base).max())
    agrees(base, np.concatenate([base[:3], gaussian(3, base.shape[1]) * size]), k, metric)


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=40, deadline=None)
@given(
    base=st_numpy.arrays(np.float32, st.tuples(st.integers(1, 90), st.just(3)), elements=st.integers(-2, 2).map(float)),
    k=st.integers(1, 12),
)
def test_it_agrees_where_many_scores_are_equal(metric: VectorMetric, base: Vectors, k: int) -> None:
    agrees(base, base[:4], k, metric)
