"""The leaderboard of a suite by any metric and grouping, and the figures of one run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.app.pages.drawings.bars import bar_chart
from constraintsuite.app.pages.first_page import FirstPage, make_first_page
from constraintsuite.app.pages.group_tables import grouping_of, groups_of, tie_remarks, value_of, words_for
from constraintsuite.app.pages.sections.behaviour import errors, gaps, ties, truncation
from constraintsuite.app.pages.sections.systems import SHOWN, breakdowns, controls, slices
from constraintsuite.app.pages.view import ReportView, environment_of, make_view, model_facts
from constraintsuite.app.web.artifact_index import ServedArtifact
from constraintsuite.core.records.figures import LinkedText, percent
from constraintsuite.core.records.sections import Charts, Remarks, Section, SectionBlock, TableBlock, VerbatimText
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.core.statistics.pairwise import METRICS, parse_metric
from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.load import Run, Suite
from constraintsuite.experiments.pairs import HEADLINE, MIN_EXAMPLES, headline_metric
from constraintsuite.experiments.summary import RunSummary

SLICE = "slice"
_SECTIONS = (slices, errors, gaps, controls, ties, truncation)
"""Of a report; what it has beside these is asked for on pages of its own."""


@dataclass(frozen=True)
class Board:
    """All runs of a suite, the best first."""

    view: ReportView
    metric: Metric
    metrics: tuple[Metric, ...]
    """Those of which any run has a value."""
    by: str
    groupings: Mapping[str, str]
    """Those that tell examples apart, with what they are."""
    table: Table
    """A row per run: the headline, then each group of the grouping."""
    places: tuple[str, ...]
    """Of the runs, in the same order."""

    def sections(self) -> list[Section]:
        """What a report shows of these runs."""
        return [section for make in _SECTIONS if (section := make(self.view)) is not None and section.blocks]

    def first_page(self) -> FirstPage:
        """The verdict, the chart and the failures, as on the page of a report."""
        return make_first_page(make_view(self.view.suite, list(self.view.runs.values())))


def make_board(suite: Suite, runs: Sequence[tuple[ServedArtifact, Run]], metric: str = "", by: str = SLICE) -> Board:
    """Runs of one suite in the order of a metric; without a name, of the one that the suite is about."""
    chosen = parse_metric(metric) if metric else headline_metric(suite.examples)
    named = make_view(suite, [run for _, run in runs]).runs
    view = ReportView(suite, dict(sorted(named.items(), key=lambda item: _rank(item[1].summary, chosen))))
    served = {run.artifact.path: one for one, run in runs}
    summaries, shown = view.summaries, [served[run.artifact.path] for run in view.runs.values()]
    shared = [name for name in summaries[0].by if all(name in summary.by for summary in summaries)]
    tell_apart = (name for name in shared if name in (SLICE, by) or len(groups_of(summaries, name)) > 1)
    return Board(
        view,
        chosen,
        tuple(METRICS[name] for name in SHOWN if any(_n(s.headline, METRICS[name]) for s in summaries)),
        by,
        {name: words_for(name) for name in tell_apart},
        _board_table(view, shown, chosen, by),
        tuple(one.place for one in shown),
    )


def _board_table(view: ReportView, shown: Sequence[ServedArtifact], metric: Metric, by: str) -> Table:
    """Groups in which no run has ten examples are left out."""
    counts = {
        name: max(_n(s.by[by].get(name), metric) for s in view.summaries) for name in groups_of(view.summaries, by)
    }
    groups = [name for name, count in counts.items() if count >= MIN_EXAMPLES]
    rows = tuple(
        (
            LinkedText(label, one.address),
            run.summary.headline.metrics[metric.name],
            *(value_of(grouping_of(run.summary, by).get(name), metric) for name in groups),
        )
        for one, (label, run) in zip(shown, view.runs.items(), strict=True)
    )
    columns = (Column("system"), *(Column(title, metric.kind) for title in (HEADLINE, *groups)))
    small = sum(0 < count < MIN_EXAMPLES for count in counts.values())
    said = [
        f"{metric.title}, with 95 % interval and n; the best first. The headline counts all main slices but Omission.",
        *([f"Left out: {small} with fewer than 10 examples."] if small else []),
        *([f"By chance: {percent(metric.chance)}."] if metric.share and metric.chance is not None else []),
        *(["In each system's own unit: not to be compared between systems."] if metric.own_unit else []),
    ]
    return Table("board", " ".join(said), columns, rows)


def _rank(summary: RunSummary, metric: Metric) -> tuple[bool, float, str]:
    value = summary.headline.metrics[metric.name].value
    sign = 1 if metric.lower_is_better else -1
    return value is None, sign * (value or 0.0), summary.system


def _n(group: GroupFigures | None, metric: Metric) -> int:
    return 0 if group is None else group.metrics[metric.name].n


_SHARES = ("paired_accuracy", "accuracy", "couple_accuracy", "opposite_accuracy", "responsiveness", "tie_rate")
_NUMBERS = ("normalised_gap", "normalised_sensitivity", "gap", "sensitivity", "topic_sensitivity")
_ABOUT = (
    "Paired accuracy: the satisfying document scores above the violating one under the query, and the order turns round "
    "under the opposite. Accuracy asks for the first alone. The headline counts all main slices but Omission, which "
    "counting words can win."
)


def run_sections(run: Run) -> list[Section]:
    """Its figures, error classes, slices, ties and cut texts, and how it was made."""
    summary = run.summary
    # These sections of a report read runs alone, so that they also hold for a run whose suite is elsewhere.
    view = ReportView(Suite(run.artifact, (), ()), {summary.system: run})
    sections = (
        _figures(summary),
        errors(view),
        slices(view),
        gaps(view),
        breakdowns(view),
        controls(view),
        ties(view),
        truncation(view),
        _made(run),
    )
    return [section for section in sections if section is not None]


def _figures(summary: RunSummary) -> Section:
    headline = summary.headline
    shares, numbers = ([METRICS[name] for name in names if headline.metrics[name].n] for names in (_SHARES, _NUMBERS))
    chart = bar_chart(
        "chart-figures", "Examples of the headline, %", [(m.title, headline.metrics[m.name]) for m in shares], None
    )
    told = tuple(tie_remarks({summary.system: summary}))
    blocks: list[SectionBlock] = [Charts((chart,)), TableBlock(_table(summary, shares, "shares", "Shares"))]
    if numbers:
        words = "Gaps and sensitivities, in deviations of the model's own scores or in their own unit"
        blocks.append(TableBlock(_table(summary, numbers, "numbers", words)))
    return Section("figures", "Figures", _ABOUT, (*blocks, *((Remarks(told),) if told else ())))


def _table(summary: RunSummary, metrics: Sequence[Metric], name: str, words: str) -> Table:
    columns = (Column("figure"), *(Column(title, metrics[0].kind) for title in ("value", "by chance")))
    rows = tuple((metric.title, summary.headline.metrics[metric.name], metric.chance) for metric in metrics)
    return Table(name, f"{words}, examples of the headline, with 95 % interval.", columns, rows)


def _made(run: Run) -> Section:
    manifest, path = run.artifact.manifest, run.artifact.path
    about = (
        f"Content {manifest.content[:12]}, seed {manifest.seed}. Suite content {manifest.inputs.get('suite', '')[:12]}."
    )
    facts = {
        "inputs": manifest.inputs,
        "settings": manifest.settings,
        "counts": manifest.counts,
        "left out": manifest.rejects,
        "what the model says of itself": dict(model_facts(run)),
        "versions": environment_of(path),
    }
    text = json.dumps({name: value for name, value in facts.items() if value}, indent=2, ensure_ascii=False)
    return Section("made", "How it was made", about, (VerbatimText(text, "Settings and versions"),))
