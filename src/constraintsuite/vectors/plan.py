"""What a subset would mean for the judged queries, said before anything is chosen or written."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.corpora.base import BadRows, Source
from constraintsuite.vectors.first_pass import FirstPass, read_corpus
from constraintsuite.vectors.judgments import JudgedQueries, gaps, hard_negatives, read_judged
from constraintsuite.vectors.sampling import allocate, refuse_no_room, refuse_too_large, shortfall
from constraintsuite.vectors.settings import KEEPING, SamplingMode, SubsetSettings

_SHARES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.9)


@dataclass(frozen=True)
class SubsetPlan:
    """A forecast and what it rests on."""

    source: str
    mode: SamplingMode
    population: int
    size: int
    queries: int
    """Selected queries."""
    judged: int
    """Those of them with a positive."""
    positives: int
    """Distinct positive documents to keep."""
    absent: int | None
    """Those of them that the source lacks; None where nobody looked."""
    expected: SampleForecast
    """Of the mode."""
    by_size: tuple[SampleForecast, ...]
    """Of uniform samples of several sizes."""
    dedup: str
    """Whether equal texts are taken out; the figures are of the documents as they stand in the source."""
    warning: str
    notes: tuple[str, ...] = ()
    """What a reader should know, such as a stratum that is too small."""

    def as_record(self) -> dict[str, object]:
        """All figures as plain data, for JSON."""
        return {**asdict(self), "share": self.expected.share}


class _Layered(NamedTuple):
    """How a mode draws documents: in layers, each of which gives every document the same chance."""

    size: int
    """Documents in all; fewer than wanted where a stratum is too small."""
    layers: list[Layer]
    layer_of: Callable[[str], int]
    """Of a document that is there."""
    notes: tuple[str, ...] = ()


def plan_subset(
    source: Source, settings: SubsetSettings, skip_bad_rows: bool, population: int | None, reporter: Reporter
) -> SubsetPlan:
    """Read queries, judgments and documents, and forecast.

    With `population`, or where the source knows how many documents it has, none of them is read, unless strata are asked for.
    """
    if population is not None and settings.mode == "stratified":
        raise UserError("--population: how large the strata are is known when the documents are read. Leave it out.")
    bad = BadRows(skip=skip_bad_rows)
    judged = read_judged(source, settings, bad)
    hard = hard_negatives(settings, judged)
    if population is None and settings.mode != "stratified":
        population = source.size()
    seen, total, there = None, population or 0, judged.keep | hard  # if none is read, all are taken to be there
    if population is None:
        seen = read_corpus(source, settings, judged.keep | hard, bad, reporter)
        total, there = len(seen.survey), frozenset(seen.survey.found)
    size = round((settings.rate or 0) * total) if settings.size is None else settings.size
    refuse_too_large(size, total)
    drawn = _layered(settings, seen, total, size, judged.keep & there, hard & there)
    sizes = sorted({round(share * total) for share in _SHARES} | {size})
    uniform = (_Layered(each, [Layer(total, each)], lambda name: 0) for each in sizes if each)
    expected = _forecast(drawn, total, there, judged)
    return SubsetPlan(
        source.name,
        settings.mode,
        total,
        drawn.size,
        len(judged.queries),
        expected.judged,
        len(judged.keep),
        None if seen is None else len(judged.keep - there),
        expected,
        tuple(_forecast(each, total, there, judged) for each in uniform),
        settings.dedup,
        settings.biased,
        (*gaps(settings, judged, hard, there), *drawn.notes),
    )


def _layered(
    settings: SubsetSettings,
    seen: FirstPass | None,
    total: int,
    size: int,
    positives: frozenset[str],
    hard: frozenset[str],
) -> _Layered:
    """How the mode draws, of documents that are there."""
    if settings.mode in KEEPING:
        counts = {"positive": len(positives)}
        if settings.mode == "pooled" and seen is not None:  # else nobody knows which of the run's are there
            counts["hard_negative"] = len(hard - positives)
        refuse_no_room(size, counts)
        every = sum(counts.values())
        return _Layered(size, [Layer(every, every)], lambda name: 0)
    if seen is not None and seen.strata is not None:
        return _stratified(settings, seen, seen.strata, size)
    if settings.mode == "prefix" and seen is not None:
        places = seen.survey.found
        return _Layered(size, [Layer(size, size), Layer(total - size, 0)], lambda name: int(places[name] >= size))
    return _Layered(size, [Layer(total, size)], lambda name: 0)


def _stratified(settings: SubsetSettings, seen: FirstPass, codes: npt.NDArray[np.uint16], size: int) -> _Layered:
    counts = np.bincount(codes, minlength=len(seen.names)).tolist()
    populations = dict(zip(seen.names, counts, strict=True))
    wanted = allocate(size, populations, settings.allocation)
    layers = [Layer(count, min(count, wanted[name])) for name, count in populations.items()]
    short = (shortfall(name, wanted[name], count) for name, count in populations.items() if count < wanted[name])
    size, places = sum(layer.size for layer in layers), seen.survey.found
    return _Layered(size, layers, lambda name: int(codes[places[name]]), tuple(short))


def _forecast(drawn: _Layered, population: int, there: frozenset[str], judged: JudgedQueries) -> SampleForecast:
    """Positives that are not there lie in a layer of their own, of which nothing is drawn."""
    spreads: Counter[PositivesByLayer] = Counter()
    for positives in judged.positives().values():
        inside = Counter(drawn.layer_of(name) for name in positives & there)
        spreads[*(inside[layer] for layer in range(len(drawn.layers))), len(positives - there)] += 1
    absent = sum(spread[-1] * count for spread, count in spreads.items())
    return forecast_layers([*drawn.layers, Layer(absent, 0)], spreads, population, drawn.size)


_MOST_STEPS = 1_000_000


class Layer(NamedTuple):
    """Documents of which so many are drawn, each with the same chance."""

    population: int
    size: int


PositivesByLayer = tuple[int, ...]
"""How many positives of a query lie in each layer."""


@dataclass(frozen=True, slots=True)
class SampleForecast:
    """What to expect of the judged queries of a sample."""

    population: int
    size: int
    judged: int
    kept: float
    """Expected number of queries with at least one positive in the sample."""
    deviation: float
    """Standard deviation of that number, if no document is positive for two queries."""
    whole: float
    """Expected number of queries with all their positives in the sample."""

    @property
    def share(self) -> float:
        """Of the judged queries, those that are kept."""
        return self.kept / self.judged if self.judged else 1.0


def forecast_layers(
    layers: Sequence[Layer], queries: Mapping[PositivesByLayer, int], population: int, size: int
) -> SampleForecast:
    """For a sample of several layers; `queries` says of how many queries the positives are spread in the same way."""

    @cache
    def missed(spread: PositivesByLayer) -> float:
        return math.prod(all_missed(*layer, m) for layer, m in zip(layers, spread, strict=True))

    whole = (
        count * math.prod(all_missed(full, full - drawn, m) for (full, drawn), m in zip(layers, spread, strict=True))
        for spread, count in queries.items()
    )
    variance = sum(count * missed(spread) * (1 - missed(spread)) for spread, count in queries.items())
    if (
        len(queries) ** 2 * len(layers) <= _MOST_STEPS
    ):  # without this, a little too large: one document more is one less
        for one, count in queries.items():
            for other, others in queries.items():
                couples = count * (others - 1 if one == other else others)
                together = tuple(a + b for a, b in zip(one, other, strict=True))
                variance += couples * (missed(together) - missed(one) * missed(other))
    return SampleForecast(
        population,
        size,
        sum(queries.values()),
        sum(count * (1 - missed(spread)) for spread, count in queries.items()),
        math.sqrt(max(0.0, variance)),
        sum(whole),
    )


def all_missed(population: int, size: int, documents: int) -> float:
    """The chance that a uniform sample holds none of so many documents."""
    if documents > population - size:
        return 0.0
    return math.prod((population - size - i) / (population - i) for i in range(documents))
