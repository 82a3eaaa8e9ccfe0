"""Rankings of a suite's collection as experiments."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from constraintsuite.experiments.experiment import Experiment, OpenOptions
from constraintsuite.experiments.outcome_table import Item, StoredTable
from constraintsuite.experiments.ranking.run import BY_QUERY, KIND, load_ranking
from constraintsuite.experiments.ranking.summary import QueryResult, metric_of
from constraintsuite.store.artifact import read_manifest
from constraintsuite.store.jsonl import read_jsonl

HEADLINES = ("right_rank@10", "nDCG@10")
"""The first of these that a ranking has decides the order of systems."""
_SETTINGS = ("split", "depth", "ir-measures")


def open_ranking(path: Path, options: OpenOptions) -> Experiment:
    """A ranking folder: an item is a query, and the values are its measures; `options` change nothing here."""
    summary = load_ranking(path)
    manifest = read_manifest(path)
    assert manifest is not None
    rows = tuple(read_jsonl(path / BY_QUERY, QueryResult))
    metrics = {name: found for name in summary.measures if (found := metric_of(name)).average == "mean"}
    columns = {
        name: np.array([np.nan if (value := row.measures.get(name)) is None else value for row in rows])
        for name in metrics
    }
    known = [row for row in rows if any(value is not None for value in row.measures.values())]
    first = next((name for name in HEADLINES if any(row.measures.get(name) is not None for row in known)), None)
    table = StoredTable(
        items=[Item(row.query, (str(row.cluster),), (str(row.cluster),)) for row in rows],
        metrics=metrics,
        values={summary.system: columns},
        groups={},
        headline_metric=first or next(iter(metrics)),
        described={row.query: {"query": row.text} for row in rows},
    )
    return Experiment(
        path=path,
        kind=KIND,
        name=summary.system,
        data=summary.suite,
        table=table,
        inputs=manifest.inputs,
        conditions={name: manifest.settings.get(name) for name in _SETTINGS},
        watched=(table.headline_metric,),
    )
