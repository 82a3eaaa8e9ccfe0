"""How far apart a system puts the two documents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from constraintsuite.experiments.load import Run
from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.records.examples import CONTROL_SLICES, QueryRole
from constraintsuite.records.figures import percent
from constraintsuite.records.sections import Charts, Section, TableBlock
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.drawings.histograms import Bins, histogram
from constraintsuite.reports.drawings.svg import Drawing
from constraintsuite.reports.grouped import value_of
from constraintsuite.reports.view import ReportView

_BINS = 30
_SHOWN = ("normalised_gap", "normalised_sensitivity", "superiority", "responsiveness", "gap", "sensitivity")
_ABOUT = (
    "The gap is the score of the satisfying document less that of the violating one, here in standard deviations of all "
    "scores of that system. Under the query it should lie right of the dashed line, under the opposite left of it; "
    "where the two shapes coincide, the system does not hear the constraint. What lies beyond an end is counted there."
)


def gaps(view: ReportView) -> Section | None:
    """One histogram a system, all on the same axis."""
    charts = gap_charts(view.runs)
    return Section("gaps", "Score gaps", _ABOUT, (Charts(charts), TableBlock(_table(view)))) if charts else None


def gap_charts(runs: Mapping[str, Run]) -> tuple[Drawing, ...]:
    """One histogram a run that has a gap to show, all on the same axis."""
    shown = {label: run for label, run in runs.items() if _values(run, "query")}
    bins = _bins(list(shown.values()))
    return tuple(_chart(label, run, bins, number) for number, (label, run) in enumerate(shown.items()))


def _bins(runs: Sequence[Run]) -> Bins:
    sizes = [abs(value) for run in runs for value in _values(run, "query")]
    reach = float(np.percentile(sizes, 98)) if sizes else 1.0
    limit = _rounded_up(reach) if reach > 0 else 1.0
    edges = tuple(np.linspace(-limit, limit, _BINS + 1).tolist())
    return Bins(edges, ((-limit, f"−{limit:g}"), (0.0, "0"), (limit, f"{limit:g}")), zero=0.0)


def _rounded_up(number: float) -> float:
    """The next of 1, 2, 2.5 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(number))
    return next(float(f"{step * power:.9g}") for step in (1, 2, 2.5, 5, 10) if step * power >= number)


def _values(run: Run, role: QueryRole) -> list[float]:
    """The gaps of main examples under one of their queries; none where all scores are equal."""
    found = ((r.gaps.get(role), r.unit) for r in run.results if r.slice not in CONTROL_SLICES)
    return [gap / unit for gap, unit in found if gap is not None and unit]


def _chart(label: str, run: Run, bins: Bins, number: int) -> Drawing:
    query, opposite = np.array(_values(run, "query")), np.array(_values(run, "opposite"))
    series = {"query": bins.count(query)}
    if len(opposite):
        series["opposite"] = bins.count(opposite)
    mean, right = float(query.mean()), float((query > 0).mean())
    told = f"Mean gap under the query {mean:.3g}, above zero in {percent(right)} of {len(query):,}"
    if len(opposite):
        told += f"; under the opposite the mean is {float(opposite.mean()):.3g}"
    return histogram(f"chart-gap-{number}", label, bins, series, told, f"n={len(query):,}")


def _table(view: ReportView) -> Table:
    metrics = [METRICS[name] for name in _SHOWN if any(s.overall.metrics[name].n for s in view.summaries)]
    caption = (
        "Gaps and sensitivities; in deviations: of the system's own scores, else in its own unit, which is never to be "
        "compared between systems. Gap above zero and Moved the right way in %, equal scores counted half. 95 % intervals."
    )
    rows = tuple((label, *(value_of(r.summary.overall, m) for m in metrics)) for label, r in view.runs.items())
    return Table("gaps", caption, (Column("system"), *(Column(m.title, m.kind) for m in metrics)), rows)
