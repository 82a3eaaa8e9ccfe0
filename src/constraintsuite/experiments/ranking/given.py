"""A ranking that another system wrote, measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.experiments.ranking.collection import read_collection
from constraintsuite.experiments.ranking.judged import Judgments, read_judged
from constraintsuite.experiments.ranking.measures import QueryRanking, choose_measures, parse_measures
from constraintsuite.experiments.ranking.summary import RankingRun, RankingSummary, summarise
from constraintsuite.experiments.ranking.trec import name_as_judged, read_run


@dataclass(frozen=True)
class GivenRun:
    """A TREC run that another system wrote, and where its judgments are: in files, or in a suite."""

    run: Path
    qrels: Path | None = None
    violations: Path | None = None
    suite: Path | None = None
    split: str | None = None

    @property
    def source(self) -> str:
        """The name of what the judgments are from."""
        return (self.suite.resolve() if self.suite else self.qrels or self.run).name

    def judgments(self) -> Judgments:
        """The judged queries."""
        if self.suite is not None:
            collection = read_collection(self.suite, self.split)
            return Judgments(list(collection.queries), collection.notes)
        if self.qrels is None or self.split is not None:
            raise UserError("--from-trec needs --qrels FILE, or a SUITE (of which --split takes a part) for judgments.")
        return read_judged(self.qrels, self.violations)


def measure_given(given: GivenRun, measures: Sequence[str], seed: int = 0) -> RankingSummary:
    """The figures of a run that is there already; queries without a hit count, queries without judgments do not."""
    parse_measures(measures)
    queries, notes = given.judgments()
    names = {name for query in queries for name in (query.id, *query.grades, *query.violating)}
    found = name_as_judged(read_run(given.run), names)
    unjudged = len(found.keys() - {query.id for query in queries})
    if unjudged == len(found):
        raise UserError(
            f"{given.run}: none of its {unjudged:,} queries, such as {min(found)!r}, is judged in {given.source}."
        )
    empty = sum(query.id not in found for query in queries)
    if unjudged:
        notes = (*notes, f"{unjudged:,} queries of the run are not judged and were left out.")
    if empty:
        notes = (*notes, f"{empty:,} judged queries are not in the run: nothing was found for them.")
    rankings = [QueryRanking(query, found.get(query.id, ())) for query in queries]
    run = RankingRun(given.source, given.run.name, rankings, given.split, notes=notes)
    return summarise(run, choose_measures(measures, queries, None), seed=seed).summary
