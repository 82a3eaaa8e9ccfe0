"""What a subset would mean for the judged queries, said before anything is chosen or written."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from constraintsuite.corpora.base import BadRows, Source
from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter
from constraintsuite.vectors.forecast import Forecast, forecast
from constraintsuite.vectors.judged import Judged, read_judged
from constraintsuite.vectors.settings import Mode, SubsetSettings

KEEPING: tuple[Mode, ...] = ("keep_positives", "pooled")
"""Modes in which no positive is lost."""
_SHARES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.9)
_STEP = 1_000


@dataclass(frozen=True)
class Plan:
    """A forecast and what it rests on."""

    source: str
    mode: Mode
    population: int
    size: int
    queries: int
    """Selected queries."""
    judged: int
    """Those of them with a positive."""
    positives: int
    """Distinct positive documents to keep."""
    expected: Forecast
    """Of the mode."""
    by_size: tuple[Forecast, ...]
    """Of uniform samples of several sizes."""
    dedup: str
    """Whether equal texts are taken out; the figures are of the documents as they stand in the source."""
    warning: str

    def as_record(self) -> dict[str, object]:
        """All figures, for JSON."""
        return {**asdict(self), "share": self.expected.share}


def plan_subset(
    source: Source, settings: SubsetSettings, skip_bad_rows: bool, population: int | None, reporter: Reporter
) -> Plan:
    """Read queries and judgments, count the documents unless `population` says how many there are, and forecast."""
    bad = BadRows(skip=skip_bad_rows)
    judged = read_judged(source, settings, bad)
    total = population or _count(source, bad, reporter)
    size = round((settings.rate or 0) * total) if settings.size is None else settings.size
    if size > total:
        raise UserError(f"--size {size:,} is more than the {total:,} documents that the source holds.")
    histogram = judged.histogram()
    if settings.mode in KEEPING:
        if len(judged.keep) > size:
            raise UserError(f"--size {size:,} has no room for the {len(judged.keep):,} positive documents to keep.")
        count = sum(histogram.values())
        expected = Forecast(total, size, count, count, 0.0, count)
    else:
        expected = forecast(total, size, histogram)
    sizes = sorted({round(share * total) for share in _SHARES} | {size})
    return _plan(source.name, settings, judged, expected, tuple(forecast(total, n, histogram) for n in sizes if n))


def _plan(name: str, settings: SubsetSettings, judged: Judged, expected: Forecast, table: tuple[Forecast, ...]) -> Plan:
    return Plan(
        name,
        settings.mode,
        expected.population,
        expected.size,
        len(judged.queries),
        expected.judged,
        len(judged.keep),
        expected,
        table,
        settings.dedup,
        settings.biased,
    )


def _count(source: Source, bad: BadRows, reporter: Reporter) -> int:
    count = 0
    with reporter.track("documents", None) as advance:
        for _ in source.documents(bad):
            count += 1
            if count % _STEP == 0:
                advance(_STEP)
    return count
