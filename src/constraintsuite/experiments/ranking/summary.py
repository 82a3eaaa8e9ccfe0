"""The figures of a ranking run, each with its interval."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.core.statistics.resampling import DRAWS
from constraintsuite.experiments.figures import group_figures, round_off
from constraintsuite.experiments.outcome_table import Item, StoredTable
from constraintsuite.experiments.ranking.measures import (
    KINDS,
    QueryRanking,
    RankingMeasure,
    first_rank,
    measure_rankings,
)

FEW_JUDGED = 0.5
_SHARES = ("nDCG", "RR", "R", "AP", "P", "Rprec", "Success", "Judged")  # of the measures of ir-measures


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
    cluster: int
    """Queries of one number are resampled as one."""


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
    table = ranking_table(run.system, run.rankings, measures)
    found = group_figures(table, run.system, table.main, seed=seed, draws=draws)
    summary = RankingSummary(
        run.suite,
        run.system,
        run.split,
        run.documents,
        run.depth,
        queries=found.items,
        groups=found.clusters,
        resampled="documents" if found.wide else "queries",
        seed=seed,
        draws=draws,
        measures=found.metrics,
        notes=(*run.notes, *_warnings(found.metrics)),
    )
    return Results(summary, tuple(_rows(table, run.rankings)))


def ranking_table(system: str, rankings: Sequence[QueryRanking], measures: Sequence[RankingMeasure]) -> StoredTable:
    """The measures of every query; queries that share a judged document are not independent."""
    columns = {str(measure): column for measure, column in measure_rankings(measures, rankings).items()}
    return StoredTable(
        items=[Item(query.id, tuple(sorted(query.links))) for query, _ in rankings],
        metrics={name: metric_of(name) for name in columns},
        values={system: columns},
        groups={},
        headline_metric=next(iter(columns)),
    )


def metric_of(name: str) -> Metric:
    """What is known of a measure by its name; one of ir-measures that is not known here has a scale without ends."""
    called = re.split("[@(]", name)[0]
    kind = KINDS.get(called)
    if kind is None:
        return Metric(name=name, title=name, share=called in _SHARES)
    return Metric(
        name=name,
        title=name,
        share=kind.range is None and not kind.median,
        range=kind.range,
        average="median" if kind.median else "mean",
        lower_is_better=kind.lower_is_better,
    )


def _warnings(figures: Mapping[str, Interval]) -> list[str]:
    judged = {name: each for name, each in figures.items() if name.startswith("Judged@")}
    return [
        f"Only {percent(each.value)} of the first {name.removeprefix('Judged@')} documents are judged. The others count as "
        "neither relevant nor violating, whatever they are: compare systems with care."
        for name, each in judged.items()
        if each.value is not None and each.value < FEW_JUDGED
    ]


def _rows(table: StoredTable, rankings: Sequence[QueryRanking]) -> list[QueryResult]:
    (system,) = table.systems
    clusters = table.clusters(table.main).numbers.tolist()
    columns = {name: table.column(system, name, table.main) for name in table.metrics}
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
                name: round_off(float(column[row])) if np.isfinite(column[row]) else None
                for name, column in columns.items()
            },
            clusters[row],
        )
        for row, (query, documents) in enumerate(rankings)
    ]
