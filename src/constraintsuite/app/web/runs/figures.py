"""The leaderboard of a suite by any metric and grouping, and the figures of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.app.pages.drawings.bars import bar_chart
from constraintsuite.app.pages.first_page import FirstPage, make_first_page
from constraintsuite.app.pages.group_tables import groups_of, headline_row, tie_remarks, words_for
from constraintsuite.app.pages.sections.behaviour import errors, gaps, ties, truncation
from constraintsuite.app.pages.sections.reproduction import how_made
from constraintsuite.app.pages.sections.systems import SHOWN, breakdowns, controls, slices, types
from constraintsuite.app.pages.view import ReportView, environment_of, make_view, model_facts
from constraintsuite.app.web.artifact_index import ServedArtifact
from constraintsuite.core.records.figures import LinkedText, UnitValue, percent
from constraintsuite.core.records.sections import Charts, Remarks, Section
from constraintsuite.core.records.tables import Column, Table, columns, tabulate
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.core.statistics.pairwise import METRICS, parse_metric
from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.load import Run, Suite
from constraintsuite.experiments.pairs import HEADLINE, MIN_EXAMPLES, headline_metric
from constraintsuite.experiments.summary import RunSummary

SLICE = "slice"
_SECTIONS = (types, slices, errors, gaps, controls, ties, truncation)
"""The sections of a report that the leaderboard page shows; the site has pages of its own for the others."""


@dataclass(frozen=True)
class Board:
    """The leaderboard of a suite: all of its runs, the best first."""

    view: ReportView
    metric: Metric
    metrics: tuple[Metric, ...]
    """The metrics for which any run has a value."""
    by: str
    groupings: Mapping[str, str]
    """The groupings with more than one group, and their names for people."""
    table: Table
    """One row per run: the headline, then each group of the grouping."""
    places: tuple[str, ...]
    """The places of the runs, in the same order."""

    def sections(self) -> list[Section]:
        """The sections below the leaderboard."""
        return [section for make in _SECTIONS if (section := make(self.view)) is not None and section.blocks]

    def first_page(self) -> FirstPage:
        """The verdict, the chart and the failures at the top, as in a report."""
        return make_first_page(make_view(self.view.suite, list(self.view.runs.values())))


def make_board(suite: Suite, runs: Sequence[tuple[ServedArtifact, Run]], metric: str = "", by: str = SLICE) -> Board:
    """The leaderboard of runs of one suite, ordered by a metric; the default is the metric of the headline."""
    chosen = parse_metric(metric) if metric else headline_metric(suite.examples)
    named = make_view(suite, [run for _, run in runs]).runs
    view = ReportView(suite, dict(sorted(named.items(), key=lambda item: _rank(item[1].summary, chosen))))
    served = {run.artifact.path: artifact for artifact, run in runs}
    summaries, shown = view.summaries, [served[run.artifact.path] for run in view.runs.values()]
    shared = [name for name in summaries[0].by if all(name in summary.by for summary in summaries)]
    offered = (name for name in shared if name in (SLICE, by) or len(groups_of(summaries, name)) > 1)
    return Board(
        view,
        chosen,
        tuple(METRICS[name] for name in SHOWN if any(_n(s.headline, METRICS[name]) for s in summaries)),
        by,
        {name: words_for(name) for name in offered},
        _board_table(view, shown, chosen, by),
        tuple(artifact.place for artifact in shown),
    )


def _board_table(view: ReportView, shown: Sequence[ServedArtifact], metric: Metric, by: str) -> Table:
    """The table without groups in which no run has ten examples."""
    names = groups_of(view.summaries, by)
    counts = {name: max(_n(s.by[by].get(name), metric) for s in view.summaries) for name in names}
    groups = [name for name, count in counts.items() if count >= MIN_EXAMPLES]
    rows = tuple(
        (LinkedText(label, artifact.address), *headline_row(run.summary, by, groups, metric))
        for artifact, (label, run) in zip(shown, view.runs.items(), strict=True)
    )
    caption = (
        f"{metric.title}, with 95 % interval and n; the best first. The headline counts all main slices but Omission."
    )
    if small := sum(0 < count < MIN_EXAMPLES for count in counts.values()):
        caption += f" Left out: {small} with fewer than 10 examples."
    if metric.share and metric.chance is not None:
        caption += f" By chance: {percent(metric.chance)}."
    if metric.own_unit:
        caption += " Figures are in each system's own unit: do not compare them between systems."
    return Table("board", caption, (Column("system"), *columns(metric.kind, HEADLINE, *groups)), rows)


def _rank(summary: RunSummary, metric: Metric) -> tuple[bool, float, str]:
    value = summary.headline.metrics[metric.name].value
    sign = 1 if metric.lower_is_better else -1
    return value is None, sign * (value or 0.0), summary.system


def _n(group: GroupFigures | None, metric: Metric) -> int:
    return 0 if group is None else group.metrics[metric.name].n


_FIGURES = (
    *("paired_accuracy", "accuracy", "couple_accuracy", "opposite_accuracy", "responsiveness", "tie_rate"),
    *("normalised_gap", "normalised_sensitivity", "gap", "sensitivity", "topic_sensitivity"),
)
_ABOUT = (
    "Paired accuracy: the satisfying document scores above the violating one under the query, and the order is reversed under the "
    "opposite query. Accuracy needs only the first. The headline counts all main slices except Omission, because counting words is "
    "enough to win it. Gaps and sensitivities are in standard deviations of the model's scores where the name says so, otherwise in "
    "raw scores."
)


def run_sections(run: Run) -> list[Section]:
    """The page of one run: its figures, sections of a report, and how it was made."""
    # These sections read the run alone, so they work for a run whose suite is not served.
    view = ReportView(Suite(run.artifact, (), ()), {run.summary.system: run})
    sections = (make(view) for make in (errors, slices, gaps, breakdowns, controls, ties, truncation))
    facts = {"what the model reports": dict(model_facts(run)), "versions": environment_of(run.artifact.path)}
    made = how_made(run.artifact.manifest, facts)
    return [_figures(run.summary), *(section for section in sections if section is not None), made]


def _figures(summary: RunSummary) -> Section:
    figures = summary.headline.metrics
    metrics = [METRICS[name] for name in _FIGURES if figures[name].n]
    bars = [(metric.title, figures[metric.name]) for metric in metrics if metric.share]
    chart = bar_chart("chart-figures", "Examples of the headline, %", bars, None)
    table = tabulate(
        "figures",
        "Examples of the headline, with 95 % interval.",
        metrics,
        {
            "figure": ("text", lambda metric: metric.title),
            "value": ("number", lambda metric: UnitValue(figures[metric.name], metric.kind)),
            "by chance": ("number", lambda metric: UnitValue(metric.chance, metric.kind)),
        },
    )
    remarks = Remarks(tuple(tie_remarks({summary.system: summary})))
    return Section("figures", "Figures", _ABOUT, (Charts((chart,)), table, remarks))
