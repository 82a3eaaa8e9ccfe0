"""Sections on how systems behave: error classes, score gaps, ties, truncated texts, and the hardest examples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from constraintsuite.app.pages.drawings.bars import stacked_chart
from constraintsuite.app.pages.drawings.histograms import Bins, histogram
from constraintsuite.app.pages.drawings.svg import Drawing
from constraintsuite.app.pages.example_cards import ExampleCards, show_hardest
from constraintsuite.app.pages.group_tables import main_slices, system_table
from constraintsuite.app.pages.view import ReportView
from constraintsuite.core.records.examples import CONTROL_SLICES, QueryRole
from constraintsuite.core.records.figures import CellValue, ColumnKind, percent
from constraintsuite.core.records.sections import Charts, Section
from constraintsuite.core.records.tables import Column, ItemColumns, Table, TableRows, columns, tabulate
from constraintsuite.core.statistics.pairwise import METRICS, PAIR_CLASSES, PairResult
from constraintsuite.core.statistics.ties import TIE_POLICIES
from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.load import Run
from constraintsuite.experiments.summary import TruncationAudit

CLASSES: dict[str, str] = {name: METRICS[name].title for name in PAIR_CLASSES}
_ABOUT_ERRORS = (
    "Which document the system preferred under the query and under its opposite: the right one each time, the same one both "
    "times, or the wrong one each time; or its scores were equal. Every example with an opposite query is in one class."
)


def errors(view: ReportView) -> Section | None:
    """One bar per system, then one chart per system with a bar per slice."""
    if not any(group.metrics["correct"].n for group in view.headlines.values()):
        return None
    charts = [error_chart("chart-errors", "Error classes, examples of the headline, %", view.headlines)]
    names = main_slices(view.summaries)
    if len(names) > 1:
        for number, (label, run) in enumerate(view.runs.items()):
            groups = {name: g for name in names if (g := run.summary.by["slice"].get(name)) is not None}
            charts.append(error_chart(f"chart-errors-{number}", f"{label}: error classes by slice, %", groups))
    caption = "Error classes, examples of the headline, with 95 % interval."
    table = system_table("error_classes", caption, view.headlines, CLASSES, all_metrics=True)
    return Section("errors", "Error classes", _ABOUT_ERRORS, (Charts(tuple(charts)), table))


def error_chart(name: str, title: str, groups: Mapping[str, GroupFigures]) -> Drawing:
    """A stacked bar of error classes for each group of examples."""
    rows = [(label, {kind: g.metrics[kind].value or 0.0 for kind in CLASSES}) for label, g in groups.items()]
    return stacked_chart(name, title, CLASSES, rows)


_BINS = 30
_GAP_METRICS = ("normalised_gap", "normalised_sensitivity", "superiority", "responsiveness", "gap", "sensitivity")
_GAPS = (
    "Gaps and sensitivities, with 95 % intervals. “In deviations” means standard deviations of the system's own scores. Other gaps "
    "are in the system's own unit: do not compare them between systems. In the shares, equal scores count half."
)
_ABOUT_GAPS = (
    "The gap is the score of the satisfying document minus that of the violating one, in standard deviations of all scores of the "
    "system. Under the query it should be right of the dashed line, under the opposite left of it. If the two shapes coincide, "
    "the system ignores the constraint. Gaps beyond an end of the axis are counted in its last bar."
)


def gaps(view: ReportView) -> Section | None:
    """One histogram per system, all on one axis."""
    charts = gap_charts(view.runs)
    if not charts:
        return None
    table = system_table("gaps", _GAPS, {label: run.summary.overall for label, run in view.runs.items()}, _GAP_METRICS)
    return Section("gaps", "Score gaps", _ABOUT_GAPS, (Charts(charts), table))


def gap_charts(runs: Mapping[str, Run]) -> tuple[Drawing, ...]:
    """One histogram per run that has gaps, all on one axis."""
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
    """The gaps of the main examples under one of their queries, in deviations; empty if all scores are equal."""
    found = ((r.gaps.get(role), r.unit) for r in run.results if r.slice not in CONTROL_SLICES)
    return [gap / unit for gap, unit in found if gap is not None and unit]


def _chart(label: str, run: Run, bins: Bins, number: int) -> Drawing:
    query, opposite = np.array(_values(run, "query")), np.array(_values(run, "opposite"))
    series = {"query": bins.count(query)}
    if len(opposite):
        series["opposite"] = bins.count(opposite)
    mean, right = float(query.mean()), float((query > 0).mean())
    description = f"Mean gap under the query {mean:.3g}, above zero in {percent(right)} of {len(query):,}"
    if len(opposite):
        description += f"; under the opposite the mean is {float(opposite.mean()):.3g}"
    return histogram(f"chart-gap-{number}", label, bins, series, description, f"n={len(query):,}")


_ABOUT_TIES = (
    "Strict: a tie is wrong. Half: it counts one half. Random: a coin decides. MTEB: the document whose id sorts last wins, "
    "as in evaluations that rank by score and then by id. Be careful with a system whose figures depend on the rule."
)
_TIE_METRICS = ("accuracy", "opposite_accuracy", "paired_accuracy")


def ties(view: ReportView) -> Section | None:
    """One table per metric; None if no system ties."""
    known = {label: run.summary for label, run in view.runs.items() if run.summary.ties is not None}
    if not any(summary.overall.metrics["tie_rate"].value for summary in known.values()):
        return None
    heads = (Column("system"), *columns("share", "examples with a tie", *TIE_POLICIES))
    tables = []
    for name in _TIE_METRICS:
        found = {label: summary.ties[name] for label, summary in known.items() if summary.ties and name in summary.ties}
        if any(intervals["strict"].n for intervals in found.values()):
            rows: TableRows = tuple(
                (label, known[label].overall.metrics["tie_rate"], *(intervals[policy] for policy in TIE_POLICIES))
                for label, intervals in found.items()
            )
            caption = f"{METRICS[name].title} under four rules for ties, main examples, with 95 % interval."
            tables.append(Table(f"ties_{name}", caption, heads, rows))
    return Section("ties", "Ties", _ABOUT_TIES, tuple(tables))


_ABOUT_TRUNCATION = (
    "A system that reads only the beginning of a text may never see the words that decide. Cut: in one of the documents these words "
    "come after the end of what is read. Identical: the parts that are read of the two documents are the same, so they tie."
)
_CUT: ItemColumns[tuple[str, TruncationAudit]] = {
    "system": ("text", lambda row: row[0]),
    "examples": ("count", lambda row: row[1].examples),
    "cut": ("count", lambda row: row[1].cut),
    "share cut": ("share", lambda row: row[1].share),
    "identical": ("count", lambda row: row[1].identical),
    "accuracy, all": ("share", lambda row: row[1].with_cut["accuracy"]),
    "accuracy, not truncated": ("share", lambda row: row[1].without_cut["accuracy"]),
    "paired accuracy, all": ("share", lambda row: row[1].with_cut["paired_accuracy"]),
    "paired accuracy, not truncated": ("share", lambda row: row[1].without_cut["paired_accuracy"]),
}


def truncation(view: ReportView) -> Section | None:
    """One row per system that reports how much of a text it reads."""
    audits = {label: audit for label, run in view.runs.items() if (audit := run.summary.truncation) is not None}
    if not audits:
        return None
    caption = (
        "Truncation audit of the main examples, with 95 % interval; “not truncated” leaves out the examples that are."
    )
    table = tabulate("truncation", caption, audits.items(), _CUT)
    return Section("truncation", "Truncation", _ABOUT_TRUNCATION, (table,))


SHOWN = 25
_ABOUT_HARDEST = (
    "The examples that most systems fail, and by the widest gaps. A system fails an example if it is wrong or ties under either "
    "query. The slices take turns; only one example is shown of a couple, and of those in a slice with the same query. "
    "tables/examples.csv has all examples with all outcomes."
)

_OUTCOME_COLUMNS: Mapping[str, ColumnKind] = {
    "outcome": "text",
    "outcome under the opposite": "text",
    "gap": "number",
    "gap under the opposite": "number",
    "cut": "text",
}


def hardest(view: ReportView) -> Section | None:
    """The hardest examples with the deciding words marked, and a file with all examples for programs."""
    shown = show_hardest(view.suite.examples, view.runs, SHOWN)
    if not shown:
        return None
    return Section("hardest", "Hardest examples", _ABOUT_HARDEST, (ExampleCards(tuple(shown)),), (_all_examples(view),))


def _all_examples(view: ReportView) -> Table:
    about = ("id", "slice", "split", "domain", "relation", "query", "opposite")
    outcomes = [Column(f"{label}: {title}", kind) for label in view.labels for title, kind in _OUTCOME_COLUMNS.items()]
    known = [{result.id: result for result in run.results} for run in view.runs.values()]
    rows = tuple(
        (
            *(getattr(example, name) for name in about),
            *(value for results in known for value in _outcomes(results.get(example.id))),
        )
        for example in (*view.suite.examples, *view.suite.controls)
    )
    caption = "Every example and control with the outcome of each system; gaps are in the system's own unit."
    return Table("examples", caption, (*columns("text", *about), *outcomes), rows, long=True)


def _outcomes(result: PairResult | None) -> tuple[CellValue, ...]:
    if result is None:
        return (None,) * len(_OUTCOME_COLUMNS)
    cut = None if result.cut is None else "cut" if result.cut else "whole"
    outcomes, gaps = result.outcomes, result.gaps
    return outcomes["query"], outcomes.get("opposite"), gaps["query"], gaps.get("opposite"), cut
