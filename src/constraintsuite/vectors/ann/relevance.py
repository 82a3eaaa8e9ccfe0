"""What people judged relevant, beside what exact search would find of it. All names begin with `rel.`."""

from __future__ import annotations

import numpy as np

from constraintsuite.metrics.ranking import StandardMeasure, measure_queries
from constraintsuite.records.scores import Interval
from constraintsuite.retrieval.topk import IntArray
from constraintsuite.vectors.ann.data import Relevance
from constraintsuite.vectors.ann.metrics import mean

_SHALLOW = 10
"""The usual cut of measures that look at the first places."""


def relevance_figures(found: IntArray, exact: IntArray, relevance: Relevance, k: int) -> dict[str, Interval]:
    """Each measure for the rows found, and as `rel.ceiling.*` for exact search: the difference is the index's doing.

    Over queries with a relevant row in the base, from grade 1 on.
    """
    qrels = {
        str(query): {str(row): grade for row, grade in grades.items()}
        for query, grades in relevance.items()
        if any(grade > 0 for grade in grades.values())
    }
    measures = _measures(k)
    figures = {}
    for prefix, rows in (("rel.", found), ("rel.ceiling.", exact[:, :k])):
        rankings = {query: [str(row) for row in rows[int(query)].tolist() if row >= 0] for query in qrels}
        values = measure_queries(list(measures.values()), qrels, rankings)
        for name, measure in measures.items():
            figures[prefix + name] = mean(np.array(list(values[measure].values()), dtype=np.float64))
    return figures


def _measures(k: int) -> dict[str, StandardMeasure]:
    """Our names, and those of ir-measures."""
    first = min(k, _SHALLOW)
    pairs = {
        f"recall@{k}": f"R@{k}",
        f"success@{k}": f"Success@{k}",
        f"rr@{first}": f"RR@{first}",
        f"ndcg@{first}": f"nDCG@{first}",
        f"ap@{k}": f"AP@{k}",
        f"judged@{k}": f"Judged@{k}",
    }
    return {name: StandardMeasure(standard) for name, standard in pairs.items()}
