"""A ranking that another system wrote, measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.evaluate.ranking.collection import read_collection
from constraintsuite.evaluate.ranking.judged import JudgedQuery, read_judged
from constraintsuite.evaluate.ranking.measures import Ranking, choose_measures, parse_measures
from constraintsuite.evaluate.ranking.summary import RankingSummary, Run, summarise
from constraintsuite.evaluate.ranking.trec import read_run


@dataclass(frozen=True)
class GivenRun:
    """A TREC run that another system wrote, and where its judgments are: in files, or in a suite."""

    run: Path
    qrels: Path | None = None
    violations: Path | None = None
    suite: Path | None = None
    split: str | None = None

    def judged(self) -> tuple[Sequence[JudgedQuery], Sequence[str], str]:
        """The judged queries, what a reader should know of them, and the name of what they are from."""
        if self.suite is not None:
            collection = read_collection(self.suite, self.split)
            return collection.queries, collection.notes, collection.name
        if self.qrels is None:
            raise UserError("--from-trec needs --qrels FILE, or a SUITE to take the judgments from.")
        found, dropped = read_judged(self.qrels, self.violations)
        notes = [f"{dropped:,} documents both answer a query and violate it, and count as neither."] if dropped else []
        return found, notes, self.qrels.name


def measure_given(given: GivenRun, measures: Sequence[str], seed: int = 0) -> RankingSummary:
    """The figures of a run that is there already; queries without a hit count, queries without judgments do not."""
    parse_measures(measures)
    queries, notes, name = given.judged()
    found = read_run(given.run)
    unjudged = len(found.keys() - {query.id for query in queries})
    if unjudged == len(found):
        raise UserError(f"{given.run}: none of its {unjudged:,} queries, such as {min(found)!r}, is judged in {name}.")
    empty = sum(query.id not in found for query in queries)
    notes = [
        *notes,
        *([f"{unjudged:,} queries of the run are not judged and were left out."] if unjudged else []),
        *([f"{empty:,} judged queries are not in the run: nothing was found for them."] if empty else []),
    ]
    rankings = [Ranking(query, found.get(query.id, ())) for query in queries]
    run = Run(name, given.run.name, rankings, given.split, notes=notes)
    return summarise(run, choose_measures(measures, queries, None), seed=seed).summary
