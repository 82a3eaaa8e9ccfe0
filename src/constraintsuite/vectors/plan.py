"""What a subset would keep of the judged queries, before anything is written: `csuite subset --dry-run`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import product

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.corpora.base import BadRows, Source
from constraintsuite.vectors.draft import draft_subset
from constraintsuite.vectors.judgments import JudgedQueries, gaps, hard_negatives, read_judged
from constraintsuite.vectors.sampling import refuse_no_room, refuse_too_large
from constraintsuite.vectors.settings import KEEPING, SamplingMode, SubsetSettings

_SHARES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.9)
_UNREAD = "no document was read; it is assumed that the source holds all positive documents"
_UNREAD_TWINS = "equal texts are counted as often as the source has them; the subset will hold one of each"
PositiveCounts = Mapping[tuple[int, int], int]
"""Number of queries by how many positives the source has, and how many it lacks."""


@dataclass(frozen=True, slots=True)
class SampleForecast:
    """What becomes of the judged queries in a sample."""

    population: int
    size: int
    judged: int
    kept: float
    """Expected number of queries with at least one positive in the sample."""
    deviation: float
    """Standard deviation of that number, if no document is positive for two queries; 0 if the number is certain."""
    whole: float
    """Expected number of queries with all their positives in the sample."""

    @property
    def share(self) -> float:
        """Share of the judged queries that keep a positive."""
        return self.kept / self.judged if self.judged else 1.0


@dataclass(frozen=True)
class SubsetPlan:
    """The size of a subset, and the judged queries that it keeps."""

    source: str
    mode: SamplingMode
    population: int
    size: int
    queries: int
    """Selected queries."""
    judged: int
    """Selected queries with a positive."""
    positives: int
    """Distinct positive documents to keep."""
    absent: int | None
    """Positives that the source lacks; None if its documents were not read."""
    expected: SampleForecast
    """For the mode of the settings: exact if the documents were read, else a forecast."""
    by_size: tuple[SampleForecast, ...]
    """For uniform samples of several sizes."""
    warning: str
    notes: tuple[str, ...] = ()
    bytes: int | None = None
    """Approximate size of the texts."""
    twins_left_out: int | None = None
    rejects: Mapping[str, int] = field(default_factory=dict)
    """Broken rows that were left out, by reason."""

    def as_record(self) -> dict[str, object]:
        """All figures as plain data, for JSON."""
        return {**asdict(self), "share": self.expected.share}


def plan_subset(
    source: Source, settings: SubsetSettings, skip_bad_rows: bool, population: int | None, reporter: Reporter
) -> SubsetPlan:
    """Choose the subset and count what it keeps.

    With `population`, or if the source knows its number of documents, no document is read and the figures are a forecast.
    The mode `stratified` always reads.
    """
    if settings.mode != "stratified":
        population = source.size() if population is None else population
    elif population is not None:
        raise UserError("--population: how large the strata are is known when the documents are read. Leave it out.")
    if population is not None:
        return _forecast_unread(source, settings, skip_bad_rows, population)
    draft = draft_subset(source, settings, skip_bad_rows, reporter)
    coverage, population = draft.coverage, len(draft.survey)
    twins = None if draft.twins is None else len(draft.twins.left_out)
    plan = _plan_uniform(source, settings, draft.judged, population - (twins or 0), draft.absent)
    size, kept = len(draft.selection.positions), coverage.judged - coverage.none
    return replace(
        plan,
        population=population,
        size=size,
        absent=len(draft.absent),
        expected=SampleForecast(population, size, coverage.judged, kept, 0.0, coverage.full),
        notes=(*draft.gaps, *draft.selection.notes),
        bytes=draft.bytes,
        twins_left_out=twins,
        rejects=draft.bad.counts,
    )


def _forecast_unread(source: Source, settings: SubsetSettings, skip_bad_rows: bool, population: int) -> SubsetPlan:
    judged = read_judged(source, settings, BadRows(skip=skip_bad_rows))
    hard = hard_negatives(settings, judged)
    plan = _plan_uniform(source, settings, judged, population)
    refuse_too_large(plan.size, population)
    if settings.mode in KEEPING:
        refuse_no_room(plan.size, {"positive": len(judged.keep)})
        plan = replace(plan, expected=replace(plan.expected, kept=plan.judged, deviation=0.0, whole=plan.judged))
    twins = [_UNREAD_TWINS] if settings.dedup == "exact_text" else []
    return replace(plan, notes=(_UNREAD, *gaps(settings, judged, hard, judged.keep | hard), *twins))


def _plan_uniform(
    source: Source, settings: SubsetSettings, judged: JudgedQueries, population: int, absent: Set[str] = frozenset()
) -> SubsetPlan:
    """The plan of a uniform sample of the wanted size, and of other sizes."""
    size = round((settings.rate or 0) * population) if settings.size is None else settings.size
    positives = Counter((len(names - absent), len(names & absent)) for names in judged.positives().values())
    sizes = sorted({round(share * population) for share in _SHARES} | {size})
    return SubsetPlan(
        source.name,
        settings.mode,
        population,
        size,
        len(judged.queries),
        positives.total(),
        len(judged.keep),
        None,
        forecast_uniform(population, size, positives),
        tuple(forecast_uniform(population, each, positives) for each in sizes if each),
        settings.biased,
    )


def forecast_uniform(population: int, size: int, positives: PositiveCounts) -> SampleForecast:
    """What to expect of a uniform sample, drawn without replacement."""

    @cache
    def missed(documents: int) -> float:
        return all_missed(population, size, documents)

    queries: Counter[int] = Counter()
    for (present, _), count in positives.items():
        queries[present] += count
    variance = sum(count * missed(own) * (1 - missed(own)) for own, count in queries.items())
    for (one, count), (other, others) in product(queries.items(), repeat=2):
        couples = count * (others - (one == other))
        variance += couples * (missed(one + other) - missed(one) * missed(other))
    return SampleForecast(
        population,
        size,
        queries.total(),
        sum(count * (1 - missed(own)) for own, count in queries.items()),
        math.sqrt(max(0.0, variance)),
        sum(
            count * all_missed(population, population - size, present)
            for (present, absent), count in positives.items()
            if not absent
        ),
    )


def all_missed(population: int, size: int, documents: int) -> float:
    """The probability that a uniform sample of `size` holds none of a given number of documents."""
    if documents > population - size:
        return 0.0
    return math.prod((population - size - i) / (population - i) for i in range(documents))
