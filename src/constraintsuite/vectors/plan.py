"""What a subset would mean for the judged queries, said before anything is chosen or written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.corpora.base import BadRows, Source
from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter
from constraintsuite.vectors.counting import counted
from constraintsuite.vectors.forecast import Layer, PositivesByLayer, SampleForecast, forecast_layers
from constraintsuite.vectors.judged import JudgedQueries, gaps, hard_negatives, read_judged
from constraintsuite.vectors.sampling import allocate, refuse_no_room, refuse_too_large, shortfall
from constraintsuite.vectors.settings import KEEPING, SamplingMode, SubsetSettings
from constraintsuite.vectors.strata import StrataReader

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
        """All figures, for JSON."""
        return {**asdict(self), "share": self.expected.share}


class _Seen(NamedTuple):
    """What is known of the documents."""

    population: int
    places: Mapping[str, int] | None = None
    """Where each wanted document stands that is there; None if none was read, so that all are taken to be there."""
    strata: npt.NDArray[np.uint16] | None = None
    """Which of the names each document belongs to."""
    names: Sequence[str] = ()

    def there(self, names: frozenset[str]) -> frozenset[str]:
        return names if self.places is None else names & self.places.keys()


class _Layered(NamedTuple):
    """How the mode draws."""

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
    bad = BadRows(skip=skip_bad_rows)
    judged = read_judged(source, settings, bad)
    hard = hard_negatives(settings, judged)
    if population is None and settings.mode != "stratified":
        population = source.size()
    seen = _read(source, settings, judged.keep | hard, bad, reporter) if population is None else _Seen(population)
    if population is not None and settings.mode == "stratified":
        raise UserError("--population: how large the strata are is known when the documents are read. Leave it out.")
    total = seen.population
    size = round((settings.rate or 0) * total) if settings.size is None else settings.size
    refuse_too_large(size, total)
    drawn = _layered(settings, seen, size, judged.keep, hard)
    sizes = sorted({round(share * total) for share in _SHARES} | {size})
    uniform = (_Layered(each, [Layer(total, each)], lambda name: 0) for each in sizes if each)
    expected = _forecast(drawn, seen, judged)
    return SubsetPlan(
        source.name,
        settings.mode,
        total,
        drawn.size,
        len(judged.queries),
        expected.judged,
        len(judged.keep),
        None if seen.places is None else len(judged.keep - seen.places.keys()),
        expected,
        tuple(_forecast(each, seen, judged) for each in uniform),
        settings.dedup,
        settings.biased,
        (*gaps(settings, judged, hard, judged.keep | hard if seen.places is None else seen.places), *drawn.notes),
    )


def _read(source: Source, settings: SubsetSettings, wanted: frozenset[str], bad: BadRows, reporter: Reporter) -> _Seen:
    places: dict[str, int] = {}
    reader = StrataReader(settings.strata) if settings.mode == "stratified" else None
    count = 0
    with reporter.track("documents", None) as advance:
        documents = counted(source.documents(bad), advance)
        for count, document in enumerate(documents if reader is None else reader.reading(documents), 1):
            if document.id in wanted:
                places[document.id] = count - 1
    codes, names = reader.result() if reader else (None, [])
    return _Seen(count, places, codes, names)


def _layered(
    settings: SubsetSettings, seen: _Seen, size: int, positives: frozenset[str], hard: frozenset[str]
) -> _Layered:
    if settings.mode in KEEPING:
        counts = {"positive": len(seen.there(positives))}
        if settings.mode == "pooled" and seen.places is not None:  # else nobody knows which of the run's are there
            counts["hard_negative"] = len(seen.there(hard - positives))
        refuse_no_room(size, counts)
        every = sum(counts.values())
        return _Layered(size, [Layer(every, every)], lambda name: 0)
    if settings.mode == "stratified":
        return _stratified(settings, seen, size)
    if settings.mode == "prefix" and seen.places is not None:
        places = seen.places
        layers = [Layer(size, size), Layer(seen.population - size, 0)]
        return _Layered(size, layers, lambda name: int(places[name] >= size))
    return _Layered(size, [Layer(seen.population, size)], lambda name: 0)


def _stratified(settings: SubsetSettings, seen: _Seen, size: int) -> _Layered:
    assert seen.strata is not None
    places, codes = seen.places or {}, seen.strata
    counts = np.bincount(codes, minlength=len(seen.names)).tolist()
    populations = dict(zip(seen.names, counts, strict=True))
    wanted = allocate(size, populations, settings.allocation)
    layers = [Layer(count, min(count, wanted[name])) for name, count in populations.items()]
    short = (shortfall(name, wanted[name], count) for name, count in populations.items() if count < wanted[name])
    size = sum(layer.size for layer in layers)
    return _Layered(size, layers, lambda name: int(codes[places[name]]), tuple(short))


def _forecast(drawn: _Layered, seen: _Seen, judged: JudgedQueries) -> SampleForecast:
    """Positives that are not there lie in a layer of their own, of which nothing is drawn."""
    spreads: Counter[PositivesByLayer] = Counter()
    for positives in judged.positives().values():
        there = seen.there(positives)
        inside = Counter(drawn.layer_of(name) for name in there)
        spreads[*(inside[layer] for layer in range(len(drawn.layers))), len(positives - there)] += 1
    absent = sum(spread[-1] * count for spread, count in spreads.items())
    return forecast_layers([*drawn.layers, Layer(absent, 0)], spreads, seen.population, drawn.size)
