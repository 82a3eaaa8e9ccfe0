"""The figures of rankings, each with its interval, and the result of each query."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.core.statistics.resampling import DRAWS
from constraintsuite.experiments.figures import group_figures, round_off, table_figures
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
    """The figures of a run. The n of a measure counts the queries that have a value; an undefined figure is null."""

    suite: str
    system: str
    split: str | None
    documents: int | None
    """Number of documents that were searched; null for a run of another system."""
    depth: int | None
    queries: int
    groups: int
    """Number of sets of queries that are resampled as a whole."""
    resampled: Literal["documents", "queries"]
    """The sets: queries that share judged documents, or single queries if that would join most of them."""
    seed: int
    draws: int
    measures: Mapping[str, Interval]
    notes: tuple[str, ...] = ()
    """Sentences that a reader should know before comparing systems."""
    by: Mapping[str, Mapping[str, Mapping[str, Interval]]] = field(default_factory=dict)
    """The measures of the queries of each group, by grouping and group."""


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The result of one query; undefined values are null."""

    query: str
    text: str
    found: int
    relevant: int
    """Number of known relevant documents."""
    violating: int
    first_relevant: int | None
    first_violation: int | None
    measures: Mapping[str, float | None]
    cluster: int
    """Queries with the same number are resampled as a whole."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """The groups of the query, by grouping."""


class RankingFigures(NamedTuple):
    """The figures over all queries, and the result of each query."""

    summary: RankingSummary
    queries: tuple[QueryResult, ...]


def summarise(  # noqa: PLR0913 - the facts that a summary records
    suite: str,
    system: str,
    rankings: Sequence[QueryRanking],
    measures: Sequence[RankingMeasure],
    *,
    seed: int,
    split: str | None = None,
    documents: int | None = None,
    depth: int | None = None,
    notes: Sequence[str] = (),
) -> RankingFigures:
    """All figures of a system's rankings."""
    table = ranking_table(system, rankings, measures)
    found = group_figures(table, system, table.main, seed=seed)
    by = {name: table_figures(table, groups, seed=seed)[system] for name, groups in table.groups.items()}
    summary = RankingSummary(
        suite,
        system,
        split,
        documents,
        depth,
        queries=found.items,
        groups=found.clusters,
        resampled="documents" if found.wide else "queries",
        seed=seed,
        draws=DRAWS,
        measures=found.metrics,
        notes=(*notes, *_warnings(found.metrics)),
        by={name: {group: one.metrics for group, one in groups.items()} for name, groups in by.items()},
    )
    return RankingFigures(summary, tuple(_query_results(table, system, rankings)))


def ranking_table(system: str, rankings: Sequence[QueryRanking], measures: Sequence[RankingMeasure]) -> StoredTable:
    """The measures of every query; queries that share a judged document are not independent."""
    columns = {str(measure): column for measure, column in measure_rankings(measures, rankings).items()}
    return StoredTable(
        items=[Item(one.query.id, tuple(sorted(one.query.links))) for one in rankings],
        metrics={name: metric_of(name) for name in columns},
        values={system: columns},
        groups=group_positions([one.query.tags for one in rankings]),
        headline_metric=next(iter(columns)),
    )


def group_positions(tags: Sequence[Mapping[str, str]]) -> dict[str, dict[str, list[int]]]:
    """The positions of queries by grouping and group, both sorted, from the groups of each query."""
    found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, groups in enumerate(tags):
        for name, value in groups.items():
            found[name][value].append(place)
    return {name: dict(sorted(groups.items())) for name, groups in sorted(found.items())}


def metric_of(name: str) -> Metric:
    """The metric of a measure's name; an unknown measure of ir-measures has a scale without bounds."""
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


def _query_results(table: StoredTable, system: str, rankings: Sequence[QueryRanking]) -> Iterator[QueryResult]:
    clusters = table.clusters(table.main).numbers.tolist()
    columns = {name: table.column(system, name, table.main) for name in table.metrics}
    for row, (query, documents, _) in enumerate(rankings):
        values = {name: float(column[row]) for name, column in columns.items()}
        yield QueryResult(
            query.id,
            query.text,
            len(documents),
            len(query.relevant),
            len(query.violating),
            first_rank(documents, query.relevant),
            first_rank(documents, query.violating),
            {name: round_off(value) if math.isfinite(value) else None for name, value in values.items()},
            clusters[row],
            query.tags,
        )
