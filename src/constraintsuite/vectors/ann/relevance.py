"""What people judged relevant, beside what exact search would find of it. All names begin with `rel.`."""

from __future__ import annotations

import numpy as np

from constraintsuite.errors import import_extra
from constraintsuite.metrics.ranking import StandardMeasure, measure_queries
from constraintsuite.retrieval.topk import FloatArray, IntArray
from constraintsuite.vectors.ann.data import Relevance

_SHALLOW = 10
"""The usual cut of measures that look at the first places."""


def require_measures() -> None:
    """What computes the measures, or the command that installs it."""
    import_extra("ir_measures", "ranking", "Measuring against people's judgments (rel.*)")


def relevance_values(
    found: IntArray, relevance: Relevance, k: int, least: int, prefix: str = "rel."
) -> dict[str, FloatArray]:
    """Each measure of each query; NaN for a query without a row of grade `least` or better in the base."""
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


def beside_ceiling(found: IntArray, exact: IntArray, relevance: Relevance, k: int, least: int) -> dict[str, FloatArray]:
    """Each measure for the rows found, and as `rel.ceiling.*` for exact search: the difference is the index's doing."""
    ceiling = relevance_values(exact, relevance, k, least, "rel.ceiling.")
    return relevance_values(found, relevance, k, least) | ceiling


def _measures(k: int, least: int) -> dict[str, StandardMeasure]:
    """Our names, and those of ir-measures; nDCG knows grades, and whether a row is judged does not depend on them."""
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
