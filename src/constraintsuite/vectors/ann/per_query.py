"""What was found for every query, one Parquet file a cell, so that cells can be compared query by query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError, import_extra
from constraintsuite.retrieval.topk import FloatArray, IntArray
from constraintsuite.store.files import atomic_writer

RELEVANCE = "rel."
"""Columns of people's judgments begin with it."""
_MISSING = -1
_ANN = ("recall_tie", "recall", "kth_gap")


@dataclass(frozen=True)
class QueryResults:
    """One place a query in every array; NaN where a value is not defined."""

    query_row: IntArray
    """Which query of the data as it was read."""
    tuning: npt.NDArray[np.bool_]
    """Whether it is one of those on which parameters are chosen; the others are reported."""
    rows: IntArray  # (queries, as many as the longest answer has)
    """Best first, -1 behind the last that was found."""
    recall_tie: FloatArray
    recall: FloatArray
    kth_gap: FloatArray
    """All three NaN for a ranking without vectors."""
    latency_ns: IntArray | None
    """None where a call holds more than one query."""
    rel: Mapping[str, FloatArray]
    """By name, as `rel.ndcg@10` and `rel.ceiling.ndcg@10`; NaN for a query without a relevant row."""


def write_queries(file: Path, results: QueryResults) -> None:
    """A file that appears whole; the same results are the same bytes, under one version of pyarrow."""
    arrow, parquet = require_pyarrow()
    times = results.latency_ns
    columns: dict[str, Any] = {
        "query_row": arrow.array(results.query_row, arrow.int64()),
        "tuning": arrow.array(results.tuning),
        "rows": _lists(arrow, results.rows),
        **{name: arrow.array(getattr(results, name), arrow.float64(), from_pandas=True) for name in _ANN},
        "latency_ns": arrow.nulls(len(results.rows), arrow.int64()) if times is None else arrow.array(times),
        **{name: arrow.array(values, arrow.float64(), from_pandas=True) for name, values in results.rel.items()},
    }
    with atomic_writer(file) as target:
        parquet.write_table(arrow.table(columns), target, compression="zstd")


def read_queries(file: Path) -> QueryResults:
    """What `write_queries` wrote; a file that is missing, cut or another is a UserError."""
    arrow, parquet = require_pyarrow()
    try:
        table = parquet.read_table(file)
        return QueryResults(
            query_row=table["query_row"].to_numpy(),
            tuning=table["tuning"].to_numpy(),
            rows=_matrix(table["rows"].combine_chunks()),
            **{name: _floats(table[name]) for name in _ANN},
            latency_ns=None if table["latency_ns"].null_count else table["latency_ns"].to_numpy(),
            rel={name: _floats(table[name]) for name in table.column_names if name.startswith(RELEVANCE)},
        )
    except (arrow.ArrowException, OSError, KeyError) as error:
        raise UserError(
            f"{file}: the answers of this cell cannot be read ({error}). Run the benchmark again."
        ) from None


def require_pyarrow() -> tuple[Any, Any]:
    """The library and its part for Parquet, or the command that installs it; who only lists engines needs neither."""
    parquet = import_extra("pyarrow.parquet", "ann", "Keeping what was found for every query")
    return import_module("pyarrow"), parquet


def _lists(arrow: Any, rows: IntArray) -> Any:  # noqa: ANN401
    """Only rows that were found: a place without one is no row."""
    found = rows != _MISSING
    offsets = np.concatenate([[0], np.cumsum(found.sum(axis=1))]).astype(np.int32)
    return arrow.ListArray.from_arrays(arrow.array(offsets), arrow.array(rows[found], arrow.int64()))


def _matrix(lists: Any) -> IntArray:  # noqa: ANN401
    lengths = np.diff(lists.offsets.to_numpy())
    rows: IntArray = np.full((len(lengths), int(lengths.max(initial=0))), _MISSING, dtype=np.int64)
    rows[np.arange(rows.shape[1]) < lengths[:, np.newaxis]] = lists.values.to_numpy()
    return rows


def _floats(column: Any) -> FloatArray:  # noqa: ANN401
    values: FloatArray = column.to_numpy().astype(np.float64)
    return values
