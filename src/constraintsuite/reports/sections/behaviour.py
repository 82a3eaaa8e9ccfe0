"""Sections on how systems behave: error classes, score gaps, ties, cut texts, and the hardest examples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.load import Run
from constraintsuite.experiments.truncation import TruncationAudit
from constraintsuite.metrics.pairwise import METRICS, PAIR_CLASSES, PairResult
from constraintsuite.metrics.ties import TIE_POLICIES
from constraintsuite.records.examples import CONTROL_SLICES, Example, QueryRole
from constraintsuite.records.figures import CellValue, percent
from constraintsuite.records.sections import Charts, Section, TableBlock
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.drawings.bars import stacked_chart
from constraintsuite.reports.drawings.histograms import Bins, histogram
from constraintsuite.reports.drawings.svg import Drawing
from constraintsuite.reports.grouped import main_slices, value_of
from constraintsuite.reports.hardest import ExampleCards, show_hardest
from constraintsuite.reports.view import ReportView

CLASSES: dict[str, str] = {name: METRICS[name].title for name in PAIR_CLASSES}
_ABOUT = (
    "Which document the system preferred under the query and under its opposite: the right one each time, the "
    "same one both times, the wrong one each time; or equal scores. Every example with an opposite is in one class."
)


def errors(view: ReportView) -> Section | None:
    """One bar a system, and for each system one a slice."""
    if not any(run.summary.headline.metrics["correct"].n for run in view.runs.values()):
        return None
    headline = {label: run.summary.headline for label, run in view.runs.items()}
    charts = [error_chart("chart-errors", "Error classes, examples of the headline, %", headline)]
    names = main_slices(view.summaries)
    if len(names) > 1:
        for number, (label, run) in enumerate(view.runs.items()):
            groups = {name: g for name in names if (g := run.summary.by["slice"].get(name)) is not None}
            charts.append(error_chart(f"chart-errors-{number}", f"{label}: error classes by slice, %", groups))
    return Section("errors", "Error classes", _ABOUT, (Charts(tuple(charts)), TableBlock(_table(view))))


def error_chart(name: str, title: str, groups: Mapping[str, GroupFigures]) -> Drawing:
    """One bar a group of examples."""
    rows = [(label, {kind: g.metrics[kind].value or 0.0 for kind in CLASSES}) for label, g in groups.items()]
    return stacked_chart(name, title, CLASSES, rows)


def _table(view: ReportView) -> Table:
    rows = tuple(
        (label, *(value_of(run.summary.headline, METRICS[name]) for name in CLASSES))
        for label, run in view.runs.items()
    )
    columns = (Column("system"), *(Column(title, "share") for title in CLASSES.values()))
    return Table("error_classes", "Error classes, examples of the headline, with 95 % interval.", columns, rows)


_BINS = 30
_SHOWN = ("normalised_gap", "normalised_sensitivity", "superiority", "responsiveness", "gap", "sensitivity")
_ABOUT_GAPS = (
    "The gap is the score of the satisfying document less that of the violating one, here in standard deviations of all "
    "scores of that system. Under the query it should lie right of the dashed line, under the opposite left of it; "
    "where the two shapes coincide, the system does not hear the constraint. What lies beyond an end is counted there."
)


def gaps(view: ReportView) -> Section | None:
    """One histogram a system, all on the same axis."""
    charts = gap_charts(view.runs)
    return (
        Section("gaps", "Score gaps", _ABOUT_GAPS, (Charts(charts), TableBlock(_table_gaps(view)))) if charts else None
    )


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


def _table_gaps(view: ReportView) -> Table:
    metrics = [METRICS[name] for name in _SHOWN if any(s.overall.metrics[name].n for s in view.summaries)]
    caption = (
        "Gaps and sensitivities; in deviations: of the system's own scores, else in its own unit, which is never to be "
        "compared between systems. Gap above zero and Moved the right way in %, equal scores counted half. 95 % intervals."
    )
    rows = tuple((label, *(value_of(r.summary.overall, m) for m in metrics)) for label, r in view.runs.items())
    return Table("gaps", caption, (Column("system"), *(Column(m.title, m.kind) for m in metrics)), rows)


_ABOUT_TIES = (
    "Strict: a tie is wrong. Half: it counts one half. Random: a coin decides. MTEB: the document whose id sorts last wins, "
    "as in evaluations that rank by score and then by id. A system whose figure depends on the rule should be read with care."
)
_METRICS = ("accuracy", "opposite_accuracy", "paired_accuracy")


def ties(view: ReportView) -> Section | None:
    """One table a metric; nothing where no system ever ties."""
    told = {label: run.summary for label, run in view.runs.items() if run.summary.ties is not None}
    if not any(summary.overall.metrics["tie_rate"].value for summary in told.values()):
        return None
    sheets = []
    for name in _METRICS:
        found = {label: summary.ties[name] for label, summary in told.items() if summary.ties and name in summary.ties}
        if not any(intervals["strict"].n for intervals in found.values()):
            continue
        rows: tuple[tuple[CellValue, ...], ...] = tuple(
            (label, view.runs[label].summary.overall.metrics["tie_rate"], *(intervals[p] for p in TIE_POLICIES))
            for label, intervals in found.items()
        )
        columns = (
            Column("system"),
            Column("examples with a tie", "share"),
            *(Column(p, "share") for p in TIE_POLICIES),
        )
        caption = f"{METRICS[name].title} under four rules for ties, main examples, with 95 % interval."
        sheets.append(TableBlock(Table(f"ties_{name}", caption, columns, rows)))
    return Section("ties", "Ties", _ABOUT_TIES, tuple(sheets))


_ABOUT_TRUNCATION = (
    "A system that reads only the beginning of a text may never see what decides. Cut: in either document what decides lies "
    "past the end of what is read. Identical: what is read of the two documents is the same, so that they tie."
)
_COLUMNS = (
    Column("system"),
    Column("examples", "count"),
    Column("cut", "count"),
    Column("share cut", "share"),
    Column("identical", "count"),
    Column("accuracy, all", "share"),
    Column("accuracy, whole", "share"),
    Column("paired accuracy, all", "share"),
    Column("paired accuracy, whole", "share"),
)


def truncation(view: ReportView) -> Section | None:
    """One row a system that says how much it reads."""
    audits = {label: audit for label, run in view.runs.items() if (audit := run.summary.truncation) is not None}
    if not audits:
        return None
    rows = tuple((label, *_figures(audit)) for label, audit in audits.items())
    caption = "Truncation audit, main examples, with 95 % interval; whole: without the examples that are cut."
    return Section(
        "truncation", "Truncation", _ABOUT_TRUNCATION, (TableBlock(Table("truncation", caption, _COLUMNS, rows)),)
    )


def _figures(audit: TruncationAudit) -> tuple[CellValue, ...]:
    return (
        audit.examples,
        audit.cut,
        audit.share,
        audit.identical,
        audit.with_cut["accuracy"],
        audit.without_cut["accuracy"],
        audit.with_cut["paired_accuracy"],
        audit.without_cut["paired_accuracy"],
    )


SHOWN = 25
_ABOUT_HARDEST = (
    "What most systems get wrong, and by most: a system fails an example if it is wrong or undecided under either query. "
    "The slices take turns; of examples of a slice with the same query, and of a couple, one is shown. All examples with all "
    "outcomes are in tables/examples.csv."
)


def hardest(view: ReportView) -> Section | None:
    """The hardest examples with what decides marked, and a table of all for programs."""
    shown = show_hardest(view.suite.examples, view.runs, SHOWN)
    if not shown:
        return None
    return Section("hardest", "Hardest examples", _ABOUT_HARDEST, (ExampleCards(tuple(shown)),), (_all_examples(view),))


def _all_examples(view: ReportView) -> Table:
    fields = ("outcome", "outcome under the opposite", "gap", "gap under the opposite", "cut")
    columns = [Column(title) for title in ("id", "slice", "split", "domain", "relation", "query", "opposite")]
    columns += [
        Column(f"{label}: {field}", "number" if field.startswith("gap") else "text")
        for label in view.labels
        for field in fields
    ]
    known = [{result.id: result for result in run.results} for run in view.runs.values()]
    rows = tuple(
        (*_facts(example), *(value for results in known for value in _outcomes(results.get(example.id))))
        for example in (*view.suite.examples, *view.suite.controls)
    )
    caption = "Every example and control with what each system made of it; gaps in the system's own unit."
    return Table("examples", caption, tuple(columns), rows, long=True)


def _facts(example: Example) -> tuple[CellValue, ...]:
    about = (example.id, example.slice, example.split, example.domain, example.relation)
    return *about, example.query, example.opposite


def _outcomes(result: PairResult | None) -> tuple[CellValue, ...]:
    if result is None:
        return None, None, None, None, None
    cut = None if result.cut is None else "cut" if result.cut else "whole"
    outcomes, gaps = result.outcomes, result.gaps
    return outcomes["query"], outcomes.get("opposite"), gaps["query"], gaps.get("opposite"), cut
