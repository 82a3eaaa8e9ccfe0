"""The cover tree is exact: on every set its answer is that of a full comparison, ties in the order of rows."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from constraintsuite.retrieval.topk import top_k
from constraintsuite.vectors.ann.data import VectorMetric, Vectors
from constraintsuite.vectors.ann.engines.base import filled
from constraintsuite.vectors.ann.engines.covertree import CoverTreeBuild, CoverTreeEngine

METRICS: tuple[VectorMetric, ...] = get_args(VectorMetric)


def agrees(base: Vectors, queries: Vectors, k: int, metric: VectorMetric) -> None:
    tree = CoverTreeEngine(CoverTreeBuild(), metric, 1)
    tree.build(base)
    assert tree.search(queries, k).tolist() == filled(top_k(queries, base, k, metric).rows, k).tolist()


def vectors(
    rows: st.SearchStrategy[int], dimensions: int, values: st.SearchStrategy[float]
) -> st.SearchStrategy[Vectors]:
    return rows.flatmap(lambda n: st_numpy.arrays(np.float32, (n, dimensions), elements=values))


few_values = st.integers(-2, 2).map(float)  # many equal vectors, zero vectors, ties
# Without numbers so small that a length is taken for zero.
any_values = st.floats(-1e6, 1e6, width=32).filter(lambda value: value == 0 or abs(value) > 1e-3)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("values", [few_values, any_values], ids=["few values", "any values"])
@pytest.mark.parametrize("dimensions", [2, 3, 8, 32])
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_the_tree_equals_a_full_comparison(
    metric: VectorMetric, values: st.SearchStrategy[float], dimensions: int, data: st.DataObject
) -> None:
    base = data.draw(vectors(st.integers(1, 10 + 100 // dimensions), dimensions, values))
    queries = data.draw(vectors(st.integers(1, 3), dimensions, values))
    agrees(base, queries, data.draw(st.integers(1, 12)), metric)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dimensions", [2, 3, 8, 32])
@pytest.mark.parametrize("clustered", [False, True])
def test_hundreds_of_points_with_duplicates(metric: VectorMetric, dimensions: int, clustered: bool) -> None:
    rng = np.random.default_rng(dimensions)
    base = rng.standard_normal((400, dimensions)).astype(np.float32)
    if clustered:
        base = base[rng.integers(10, size=400)] + (base * 1e-3).astype(np.float32)
    base[100:200] = base[:100]
    queries = np.concatenate([base[:3], rng.standard_normal((7, dimensions)).astype(np.float32)])
    agrees(base, queries, 10, metric)


def test_thousands_of_equal_points_and_distances_of_all_sizes() -> None:
    equal = np.ones((1_500, 3), dtype=np.float32)
    scales = np.ldexp(1.0, -np.arange(120)).astype(np.float32)[:, np.newaxis] * np.ones((1, 3), dtype=np.float32)
    agrees(equal, equal[:2], 200, "euclidean")
    agrees(scales, scales[::17], 10, "euclidean")


def test_it_looks_at_a_part_of_the_points_only() -> None:
    rng = np.random.default_rng(0)
    base = rng.standard_normal((3_000, 2)).astype(np.float32)
    tree = CoverTreeEngine(CoverTreeBuild(), "euclidean", 1)
    tree.build(base)
    compared = tree.compared(rng.standard_normal((20, 2)).astype(np.float32), 5)
    assert compared.max() < 600
