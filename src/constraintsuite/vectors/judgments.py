"""Choose the queries of a subset, find the documents that their judgments need, and measure the coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.text import Qrel, Query
from constraintsuite.core.statistics.intervals import wilson
from constraintsuite.corpora.base import BadRows, Source
from constraintsuite.corpora.judgments import distinct_judgments
from constraintsuite.experiments.ranking.trec import read_run
from constraintsuite.vectors.settings import KEEPING, SamplingMode, SubsetSettings
from constraintsuite.vectors.survey import KeyMaker


@dataclass(frozen=True)
class JudgedQueries:
    """The selected queries of a subset with all their judgments."""

    queries: tuple[Query, ...]
    qrels: tuple[Qrel, ...]
    """Sorted by query and document."""
    keep: frozenset[str]
    """Positive documents that the subset should hold."""
    available: int
    """Number of queries in the source."""
    available_judged: int
    """Number of queries in the source with a positive judgment."""
    min_relevance: int
    unknown: int = 0
    """Number of judgments of queries that the source lacks."""

    def positives(self) -> dict[str, frozenset[str]]:
        """The positive documents of each selected query that has any."""
        return positives_of(self.qrels, self.min_relevance)


def read_judged(source: Source, settings: SubsetSettings, bad: BadRows) -> JudgedQueries:
    """Choose queries by their keys. Raises UserError if there are too few queries or no positive judgment."""
    queries = _unique(source.queries(bad))
    if not queries:
        raise UserError(f"{source.name}: this source has no queries. Name a file of them with --queries.")
    every = list(source.qrels(bad))
    qrels = distinct_judgments(qrel for qrel in every if qrel.query in queries)
    if every and not qrels:
        raise UserError(
            f"{source.name}: none of the {len(queries):,} queries is judged; the judgments are of others, such as "
            f"{every[0].query!r}. Name the file that belongs to these queries with --qrels."
        )
    positives = positives_of(qrels, settings.min_relevance)
    if not positives:
        raise UserError(
            f"{source.name}: none of the {len(queries):,} queries has a document judged {settings.min_relevance} or better. "
            "Name a file of judgments with --qrels, or lower --min-relevance."
        )
    eligible = [name for name in queries if name in positives or settings.require == "any"]
    chosen = _smallest(eligible, settings, source.name)
    selected = frozenset(chosen)
    kept = positives if settings.positives_of == "split" else {q: d for q, d in positives.items() if q in selected}
    return JudgedQueries(
        tuple(queries[name] for name in chosen),
        tuple(qrel for qrel in qrels if qrel.query in selected),
        frozenset[str]().union(*kept.values()),
        len(queries),
        len(positives),
        settings.min_relevance,
        sum(qrel.query not in queries for qrel in every),
    )


def gaps(
    settings: SubsetSettings, judged: JudgedQueries, hard: frozenset[str], there: Collection[str]
) -> Iterator[str]:
    """Notes on judgments and documents of a run that the source lacks; `there` are its documents."""
    if judged.unknown:
        yield f"{judged.unknown:,} judgments are of queries that the source lacks, and are left out"
    if absent := sorted(judged.keep - set(there)):
        yield f"the source lacks {len(absent):,} of the {len(judged.keep):,} positive documents, such as {absent[0]!r}"
    if hard and not hard & set(there):
        yield f"--run {settings.run}: the source has none of the documents that it names"


def hard_negatives(settings: SubsetSettings, judged: JudgedQueries) -> frozenset[str]:
    """The best documents of the run for each selected query; empty if the settings name no run."""
    if settings.run is None:
        return frozenset()
    run = read_run(settings.run)
    names = {query.id for query in judged.queries}
    if not names & run.keys():
        raise UserError(f"--run {settings.run}: it has none of the {len(names):,} selected queries.")
    return frozenset(name for query in names for name in run.get(query, [])[: settings.depth])


def positives_of(qrels: Iterable[Qrel], min_relevance: int) -> dict[str, frozenset[str]]:
    """The documents of each query with a grade of at least `min_relevance`; queries without any are left out."""
    found: dict[str, set[str]] = {}
    for qrel in qrels:
        if qrel.grade >= min_relevance:
            found.setdefault(qrel.query, set()).add(qrel.document)
    return {query: frozenset(documents) for query, documents in found.items()}


def _smallest(names: list[str], settings: SubsetSettings, source: str) -> list[str]:
    wanted = len(names) if settings.queries is None else settings.queries
    if wanted > len(names):
        kind = "judged queries" if settings.require == "judged" else "queries"
        raise UserError(f"--n-queries {wanted:,} is more than the {len(names):,} {kind} that the source holds.")
    keys = KeyMaker("query", settings.namespace or source, settings.seed)(names).tolist()
    places = sorted(range(len(names)), key=lambda place: (keys[place], names[place]))[:wanted]
    return [names[place] for place in (sorted(places) if settings.order == "source" else places)]


def _unique(queries: Iterable[Query]) -> Mapping[str, Query]:
    found: dict[str, Query] = {}
    for query in queries:
        if query.id in found:
            raise UserError(f"The query id {query.id!r} occurs twice. Ids must be unique: remove one.")
        found[query.id] = query
    return found


LEAST_COVERAGE = 0.5
"""A subset that keeps a smaller share of the judged queries is refused, unless the user accepts it."""
CoverageState = Literal["full", "partial", "none", "unjudged"]


@dataclass(frozen=True, slots=True)
class QueryCoverage:
    """How many judged queries and positive documents a subset keeps."""

    queries: int
    full: int
    partial: int
    none: int
    unjudged: int
    positives: int
    """Distinct positive documents of the selected queries."""
    positives_in_subset: int
    kept: Interval
    """Share of the judged queries with at least one positive in the subset."""

    @property
    def judged(self) -> int:
        """Number of queries with a positive, in the subset or not."""
        return self.queries - self.unjudged


def coverage_state(positives: Set[str], there: Set[str]) -> CoverageState:
    """Whether all, some or none of a query's positives are in the subset."""
    if not positives:
        return "unjudged"
    left = len(positives & there)
    return "full" if left == len(positives) else "partial" if left else "none"


def measure_coverage(
    states: Sequence[CoverageState], positives: Mapping[str, Set[str]], there: Set[str]
) -> QueryCoverage:
    """Count the states of all queries, and the positives of those that are judged."""
    counts = Counter(states)
    judged = len(states) - counts["unjudged"]
    wanted: set[str] = set().union(*positives.values())
    return QueryCoverage(
        queries=len(states),
        full=counts["full"],
        partial=counts["partial"],
        none=counts["none"],
        unjudged=counts["unjudged"],
        positives=len(wanted),
        positives_in_subset=len(wanted & there),
        kept=wilson(judged - counts["none"], judged),
    )


def refuse_poor(kept: float, judged: int, mode: SamplingMode, *, accepted: bool) -> None:
    """Raise a UserError if most judged queries lose all their positives, unless `accepted`."""
    if judged and kept / judged < LEAST_COVERAGE and not accepted:
        advice = (
            "The source lacks the others: are these the judgments of this corpus?"
            if mode in KEEPING
            else "Take the mode keep_positives, or a larger subset."
        )
        raise UserError(
            f"Only {kept:,.0f} of {judged:,} judged queries ({percent(kept / judged)}) would keep a positive document. {advice} "
            "--accept-coverage continues nevertheless."
        )
