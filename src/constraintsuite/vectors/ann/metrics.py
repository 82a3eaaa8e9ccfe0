"""The figures of a cell by query: `ann.*` compared with exact search, `rel.*` with people's judgments; and the Parquet file that
stores them, so that cells can be compared query by query.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError, import_extra
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import UNDEFINED, clipped
from constraintsuite.core.statistics.ranking import StandardMeasure, measure_queries
from constraintsuite.core.statistics.resampling import mean_figures
from constraintsuite.core.store.files import atomic_writer
from constraintsuite.models.retrieval.topk import FloatArray, IntArray, Neighbours
from constraintsuite.vectors.ann.data import Relevance

RecallTieRule = Literal["relative", "annb", "bigann"]
TIE_RULES: Mapping[str, str] = {
    "relative": "a millionth of the last true score",
    "annb": "0.001 in distance, as ann-benchmarks has it",
    "bigann": "0.000001 in distance, as big-ann-benchmarks has it",
}
_ABSOLUTE: Mapping[RecallTieRule, float] = {"annb": 1e-3, "bigann": 1e-6}
_RELATIVE = 1e-6
_LAST_LINES = 6  # of a traceback


class MeasurementError(Exception):
    """A measurement failed; the text says why."""


class WrongAnswerError(MeasurementError):
    """An engine returned a row twice, or one that does not exist."""


class PerQuery(NamedTuple):
    """The figures of an answer compared with exact search, one value per query."""

    recall: FloatArray
    """Share of the k true neighbours that were found, by row."""
    recall_tie: FloatArray
    """Share of places whose row is as near as the k-th true neighbour."""
    kth_gap: FloatArray
    """By how much the worst row found scores below the k-th true one; NaN for an incomplete answer."""
    incomplete: FloatArray
    """Share of places without a row."""


def refuse_wrong(found: IntArray, rows: int) -> None:
    """Raise an error if a row is named twice for one query, or does not exist."""
    if found.size and (found.min() < -1 or found.max() >= rows):
        raise WrongAnswerError(f"the answer names row {found.max()} or {found.min()}; there are rows 0 to {rows - 1}")
    ordered = np.sort(found, axis=1)
    repeated = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1)
    if repeated.any():
        raise WrongAnswerError(f"the answer to query {int(np.argmax(repeated))} names a row twice")


def judge(found: IntArray, scores: FloatArray, truth: Neighbours, k: int, ties: RecallTieRule) -> PerQuery:
    """Compare the rows found, with their exact scores, with the first k true neighbours."""
    true = truth.rows[:, :k]
    places = true.shape[1]  # fewer than k only if there are fewer rows
    last = truth.scores[:, places - 1]
    hits = [len(np.intersect1d(f[f >= 0], t)) for f, t in zip(found, true, strict=True)]
    near = (scores >= (last - _tolerance(last, ties))[:, np.newaxis]) & (found >= 0)
    missing = np.maximum(0, places - (found >= 0).sum(axis=1))
    worst = np.where(found >= 0, scores, np.inf).min(axis=1)
    return PerQuery(
        recall=np.array(hits, dtype=np.float64) / places,
        recall_tie=np.minimum(1.0, near.sum(axis=1) / places),
        kth_gap=np.where(missing > 0, np.nan, last - worst),
        incomplete=missing / places,
    )


def summarise(values: PerQuery, k: int, tuning: IntArray, seed: int = 0) -> dict[str, Interval]:
    """Means with intervals over queries, the recall that 95 % of queries reach, and the recall of each half of the queries.

    Settings are chosen on the queries in `tuning`, and reported on the others.
    """
    others = np.setdiff1d(np.arange(len(values.recall)), tuning)
    return {
        f"ann.recall@{k}": mean(values.recall, seed),
        f"ann.recall_tie@{k}": mean(values.recall_tie, seed),
        f"ann.recall_p05@{k}": _fifth_percentile(values.recall_tie),
        f"ann.kth_gap@{k}": mean(values.kth_gap, seed, bounded=False),
        f"ann.incomplete@{k}": mean(values.incomplete, seed),
        f"ann.recall_tie@{k}.tune": mean(values.recall_tie[tuning], seed),
        f"ann.recall_tie@{k}.report": mean(values.recall_tie[others], seed),
    }


def mean(values: FloatArray, seed: int = 0, *, bounded: bool = True) -> Interval:
    """The mean over queries with its 95 % interval; `bounded` values are between 0 and 1.

    Other values that are all equal have no interval, since nothing is known about their spread.
    """
    defined = values[~np.isnan(values)]
    if not len(defined):
        return UNDEFINED
    if not bounded and defined.min() == defined.max():
        return Interval(float(defined[0]), None, None, len(defined))
    (figure,) = mean_figures([defined], np.arange(len(defined)), seed, shares=[bounded])
    # The interval by Student's t has no bounds; a gap is below 0 only by rounding.
    return figure if bounded else clipped(figure, min(0.0, float(defined.min())), np.inf)


def _tolerance(last: FloatArray, ties: RecallTieRule) -> FloatArray:
    return np.full(len(last), _ABSOLUTE[ties]) if ties in _ABSOLUTE else _RELATIVE * np.abs(last)


def _fifth_percentile(values: FloatArray) -> Interval:
    """The recall of an actual query; it has no interval, since it rests on few queries."""
    if not len(values):
        return UNDEFINED
    return Interval(float(np.percentile(values, 5, method="lower")), None, None, len(values))


def describe_failure(error: Exception) -> str:
    """The text of an error that is meant for users; for any other error also the end of its traceback."""
    if isinstance(error, UserError | MeasurementError):
        return str(error)
    lines = traceback.format_exception(error)[-_LAST_LINES:]
    return f"{type(error).__name__}: {error}\n{''.join(lines)}"


_SHALLOW = 10
"""Cut-off of nDCG and reciprocal rank."""


def require_measures() -> None:
    """Raise a UserError with the pip command if ir-measures is not installed."""
    import_extra("ir_measures", "ranking", "Measuring against people's judgments (rel.*)")


def relevance_values(
    found: IntArray, relevance: Relevance, k: int, least: int, prefix: str = "rel."
) -> dict[str, FloatArray]:
    """Each measure for each query; NaN for a query without a base row of grade `least` or better."""
    qrels = {
        str(query): {str(row): grade for row, grade in grades.items()}
        for query, grades in sorted(relevance.items())
        if any(grade >= least for grade in grades.values())
    }
    rankings = {query: [str(row) for row in found[int(query), :k].tolist() if row >= 0] for query in qrels}
    measures = _measures(k, least)
    measured = measure_queries(list(measures.values()), qrels, rankings)
    columns = {}
    for name, measure in measures.items():
        values = np.full(len(found), np.nan)
        values[[int(query) for query in measured[measure]]] = list(measured[measure].values())
        columns[prefix + name] = values
    return columns


def relevance_and_ceiling(
    found: IntArray, exact: IntArray, relevance: Relevance, k: int, least: int
) -> dict[str, FloatArray]:
    """Each measure for the rows found, and as `rel.ceiling.*` for exact search; the difference comes from the index."""
    ceiling = relevance_values(exact, relevance, k, least, "rel.ceiling.")
    return relevance_values(found, relevance, k, least) | ceiling


def _measures(k: int, least: int) -> dict[str, StandardMeasure]:
    """Our names, and the names in ir-measures; nDCG and Judged do not depend on the lowest relevant grade."""
    first = min(k, _SHALLOW)
    of = "" if least == 1 else f"(rel={least})"
    pairs = {
        f"recall@{k}": f"R{of}@{k}",
        f"success@{k}": f"Success{of}@{k}",
        f"rr@{first}": f"RR{of}@{first}",
        f"ndcg@{first}": f"nDCG@{first}",
        f"ap@{k}": f"AP{of}@{k}",
        f"judged@{k}": f"Judged@{k}",
    }
    return {name: StandardMeasure(standard) for name, standard in pairs.items()}


RELEVANCE = "rel."
"""Prefix of columns with measures by judgments."""
_MISSING = -1
_ANN = ("recall_tie", "recall", "kth_gap")


@dataclass(frozen=True)
class QueryResults:
    """The answers and figures of a cell, one entry per query; NaN if undefined."""

    query_row: IntArray
    """Row of the query in the original data."""
    tuning: npt.NDArray[np.bool_]
    """Whether settings are chosen on it; the others are reported."""
    rows: IntArray  # (queries, as many as the longest answer has)
    """Rows found, best first, then -1."""
    recall_tie: FloatArray
    recall: FloatArray
    kth_gap: FloatArray
    """These three are NaN for a ranking without vectors."""
    latency_ns: IntArray | None
    """None if a call holds more than one query."""
    rel: Mapping[str, FloatArray]
    """By name, such as `rel.ndcg@10` and `rel.ceiling.ndcg@10`; NaN for a query without a relevant row."""


def write_queries(file: Path, results: QueryResults) -> None:
    """Write the results; the same results give the same bytes with the same version of pyarrow."""
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
    """Read what `write_queries` wrote. Raises UserError if the file is missing or damaged."""
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
    """pyarrow and its Parquet module, imported when needed; raise a UserError with the pip command if missing."""
    parquet = import_extra("pyarrow.parquet", "ann", "Keeping what was found for every query")
    return import_module("pyarrow"), parquet


def _lists(arrow: Any, rows: IntArray) -> Any:  # noqa: ANN401
    """The rows found, as lists without -1."""
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
