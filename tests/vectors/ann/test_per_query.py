"""Answers of every query: what is written comes back, in the same bytes each time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.vectors.ann.metrics import QueryResults, read_queries, write_queries

parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
RESULTS = QueryResults(
    query_row=np.array([0, 3, 4]),
    tuning=np.array([True, False, False]),
    rows=np.array([[7, 2, 9], [5, -1, -1], [-1, -1, -1]]),
    recall_tie=np.array([1.0, 1 / 3, 0.0]),
    recall=np.array([2 / 3, 1 / 3, 0.0]),
    kth_gap=np.array([0.0, np.nan, np.nan]),
    latency_ns=np.array([10, 20, 30]),
    rel={"rel.ndcg@3": np.array([0.5, np.nan, 0.0])},
)


def same(left: QueryResults, right: QueryResults) -> None:
    assert left.rel.keys() == right.rel.keys()
    for name in ("query_row", "tuning", "rows", "recall_tie", "recall", "kth_gap"):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name))
    for name, values in left.rel.items():
        np.testing.assert_array_equal(values, right.rel[name])
    if left.latency_ns is None or right.latency_ns is None:
        assert left.latency_ns is right.latency_ns
    else:
        np.testing.assert_array_equal(left.latency_ns, right.latency_ns)


@pytest.mark.parametrize("results", [RESULTS, replace(RESULTS, latency_ns=None, rel={})], ids=["all", "batch"])
def test_what_is_written_comes_back(results: QueryResults, tmp_path: Path) -> None:
    write_queries(tmp_path / "a.parquet", results)
    same(read_queries(tmp_path / "a.parquet"), results)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), queries=st.integers(1, 20), k=st.integers(1, 7))
def test_any_numbers_come_back(seed: int, queries: int, k: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2**40, (queries, k))
    rows[1:, rng.integers(0, k) :] = -1  # the first answer is whole, so that k can be seen
    one, two, three, four = (rng.choice([0.0, 1.0, np.nan, rng.random()], queries) for _ in range(4))
    results = QueryResults(
        np.arange(queries), rng.random(queries) < 0.5, rows, one, two, three, None, {"rel.rr@1": four}
    )
    file = tmp_path_factory.mktemp("any") / "a.parquet"
    write_queries(file, results)
    same(read_queries(file), results)


def test_the_same_results_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_queries(tmp_path / name, RESULTS)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_another_program_finds_plain_columns_and_nulls(tmp_path: Path) -> None:
    write_queries(tmp_path / "a.parquet", replace(RESULTS, latency_ns=None))
    assert parquet.read_table(tmp_path / "a.parquet").to_pydict() == {
        "query_row": [0, 3, 4],
        "tuning": [True, False, False],
        "rows": [[7, 2, 9], [5], []],
        "recall_tie": [1.0, 1 / 3, 0.0],
        "recall": [2 / 3, 1 / 3, 0.0],
        "kth_gap": [0.0, None, None],
        "latency_ns": [None, None, None],
        "rel.ndcg@3": [0.5, None, 0.0],
    }


@pytest.mark.parametrize("content", [None, b"", b"PAR1 cut"])
def test_a_file_that_is_missing_or_cut_is_said_in_a_line(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(UserError, match="cannot be read"):
        read_queries(tmp_path / "a.parquet")
