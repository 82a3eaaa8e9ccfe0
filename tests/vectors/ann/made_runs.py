"""Cells and runs with figures as a test wants them; the answers of queries are real files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from constraintsuite.core.records.scores import Interval
from constraintsuite.vectors.ann.metrics import QueryResults, write_queries
from constraintsuite.vectors.ann.results import (
    AnnRun,
    Cost,
    DataFacts,
    EngineSpeed,
    MeasuredCell,
    OperatingPoint,
    Repeat,
    RunFacts,
    queries_file,
)
from constraintsuite.vectors.ann.settings import QueryMode

HOST: Mapping[str, str | int | None] = {"processor": "abacus", "processors": 2, "governor": None, "system": "desk"}
PROTOCOL = {"repeats": 1, "min_seconds": 0.0, "threads": 1, "warmup": 0}


def made(
    name: str,
    recall: float,
    qps: float,
    *,
    report: float | None = None,
    mode: QueryMode = "serial",
    exact: bool = False,
    index_bytes: int | None = 1_000_000,
    more: Mapping[str, float] | None = None,
) -> MeasuredCell:
    point = OperatingPoint("set", "faiss", name, {}, {"nprobe": qps}, 1, 10, mode, 1, 1)
    whole, half = Interval(recall, None, None, 9), Interval(recall if report is None else report, None, None, 5)
    figures = {
        **{f"ann.{figure}@10": whole for figure in ("recall", "recall_tie", "recall_p05", "incomplete", "kth_gap")},
        "ann.recall_tie@10.tune": whole,
        "ann.recall_tie@10.report": half,
        **{figure: Interval(value, None, None, 9) for figure, value in (more or {}).items()},
    }
    times = None if mode == "batch" else {"p50": 1.0, "p95": 1.5, "p99": 2.0, "p999": 3.0}
    speed, cost = EngineSpeed((Repeat(1.0, int(qps)),), times, None), Cost(1.0, None, None, index_bytes, 1, 1)
    return MeasuredCell(f"{name}-{recall}-{qps}-{mode}", point, "content", exact, figures, speed, cost, "numpy 2")


def made_run(
    path: Path,
    cells: Sequence[MeasuredCell],
    *,
    queries: int = 40,
    notes: tuple[str, ...] = (),
    form: str = "npy",
    bundle: str | None = None,
) -> AnnRun:
    """A run whose cells find, for each query, as much as the mean says: a share of queries everything, the rest nothing."""
    data = DataFacts("set", "content", "cosine", 1000, queries, 8, 0, notes, bundle=bundle)
    settings = {"data": [{"name": "set", "format": form}], "protocol": PROTOCOL, "speeds": []}
    facts = RunFacts("made", settings, (0.9, 0.99), "relative", HOST, (data,), tuple(c.key for c in cells))
    for cell in cells:
        recall = cell.figures["ann.recall_tie@10"].value or 0.0
        write_values(path, cell.key, (np.arange(queries) < round(recall * queries)).astype(np.float64), cell)
    return AnnRun(path, "hash", facts, tuple(cells), ())


def write_values(
    path: Path,
    key: str,
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
    cell: MeasuredCell,
    tuning: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = None,
) -> None:
    rel = {name: values for name in cell.figures if name.startswith("rel.")}
    rows = np.zeros((len(values), 1), dtype=np.int64)
    chosen_on = np.zeros(len(values), dtype=np.bool_) if tuning is None else tuning
    results = QueryResults(np.arange(len(values)), chosen_on, rows, values, values, 1 - values, None, rel)
    write_queries(queries_file(path, key), results)
