"""The figures of a ranking run, each with its interval."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from constraintsuite.experiments.figures import generator, round_off, rounded
from constraintsuite.experiments.ranking.judged import JudgedQuery
from constraintsuite.experiments.ranking.measures import QueryRanking, RankingMeasure, first_rank, measure_rankings
from constraintsuite.metrics.intervals import FloatArray, IntArray, clipped, connected_components
from constraintsuite.metrics.resampling import DRAWS, cluster_median, estimate, is_share
from constraintsuite.records.scores import Interval
from constraintsuite.suites.audit.groups import GIANT

FEW_JUDGED = 0.5
MEDIANS = frozenset({"first_violation"})
"""Measures whose median is reported, since a mean of ranks needs a rank for what was not found."""

_SHARES = (
    "nDCG",
    "RR",
    "R",
    "AP",
    "P",
    "Rprec",
    "Success",
    "Judged",
    "violation",
    "violation_rate",
    "no_violation",
    "right_rank",
)
RANGES = {**dict.fromkeys(_SHARES, (0.0, 1.0)), "dR": (-1.0, 1.0), "dMRR": (-1.0, 1.0)}
"""Least and greatest value of some measures."""


@dataclass(frozen=True, slots=True)
class RankingSummary:
    """The figures of a run. A query that has no value of a measure is not among its n; undefined is null."""

    suite: str
    system: str
    split: str | None
    documents: int | None
    """How many were searched; null for a run that was given."""
    depth: int | None
    queries: int
    groups: int
    """Sets of queries that are resampled as one."""
    resampled: Literal["documents", "queries"]
    """What these are: queries that share judged documents, or where that joins most of them, single queries."""
    seed: int
    draws: int
    measures: Mapping[str, Interval]
    notes: tuple[str, ...] = ()
    """What a reader should know before comparing."""


@dataclass(frozen=True, slots=True)
class QueryResult:
    """How one query came out; what is undefined is null."""

    query: str
    text: str
    found: int
    relevant: int
    """How many relevant documents are known."""
    violating: int
    first_relevant: int | None
    first_violation: int | None
    measures: Mapping[str, float | None]


@dataclass(frozen=True)
class Results:
    """The figures, overall and by query."""

    summary: RankingSummary
    queries: tuple[QueryResult, ...]


@dataclass(frozen=True)
class RankingRun:
    """What was ranked, and by what."""

    suite: str
    system: str
    rankings: Sequence[QueryRanking]
    split: str | None = None
    documents: int | None = None
    depth: int | None = None
    notes: Sequence[str] = ()


def summarise(run: RankingRun, measures: Sequence[RankingMeasure], *, seed: int, draws: int = DRAWS) -> Results:
    """All figures of a run."""
    columns = measure_rankings(measures, run.rankings)
    resampled, clusters = _clusters([ranking.query for ranking in run.rankings])
    ids = [ranking.query.id for ranking in run.rankings]
    figures = {
        str(measure): rounded(_interval(str(measure), column, clusters, generator(seed, ids), draws))
        for measure, column in columns.items()
    }
    summary = RankingSummary(
        run.suite,
        run.system,
        run.split,
        run.documents,
        run.depth,
        queries=len(run.rankings),
        groups=len(np.unique(clusters)),
        resampled=resampled,
        seed=seed,
        draws=draws,
        measures=figures,
        notes=(*run.notes, *_warnings(figures)),
    )
    return Results(summary, tuple(_rows(run.rankings, columns)))


def _interval(name: str, column: FloatArray, clusters: IntArray, rng: np.random.Generator, draws: int) -> Interval:
    if name in MEDIANS:
        return cluster_median(column, clusters, rng=rng, draws=draws)
    (figure,) = estimate(column[:, np.newaxis], [is_share(column)], clusters, rng=rng, draws=draws)
    return clipped(figure, *RANGES.get(re.split("[@(]", name)[0], (-np.inf, np.inf)))


def _clusters(queries: Sequence[JudgedQuery]) -> tuple[Literal["documents", "queries"], IntArray]:
    joined = connected_components([sorted(query.links) for query in queries])
    if np.bincount(joined).max() <= GIANT * len(queries):
        return "documents", joined
    return "queries", np.arange(len(queries))


def _warnings(figures: Mapping[str, Interval]) -> list[str]:
    judged = {name: each for name, each in figures.items() if name.startswith("Judged@")}
    return [
        f"Only {100 * each.value:.0f} % of the first {name.removeprefix('Judged@')} documents are judged. The others count as "
        "neither relevant nor violating, whatever they are: compare systems with care."
        for name, each in judged.items()
        if each.value is not None and each.value < FEW_JUDGED
    ]


def _rows(rankings: Sequence[QueryRanking], columns: Mapping[RankingMeasure, FloatArray]) -> list[QueryResult]:
    return [
        QueryResult(
            query.id,
            query.text,
            len(documents),
            len(query.relevant),
            len(query.violating),
            first_rank(documents, query.relevant),
            first_rank(documents, query.violating),
            {
                str(measure): round_off(float(column[row])) if np.isfinite(column[row]) else None
                for measure, column in columns.items()
            },
        )
        for row, (query, documents) in enumerate(rankings)
    ]
