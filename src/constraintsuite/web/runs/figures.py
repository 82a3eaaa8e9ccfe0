"""One run: all that its folder knows, with or without its suite."""

from __future__ import annotations

import json
from collections.abc import Sequence

from constraintsuite.experiments.load import Run, Suite
from constraintsuite.experiments.summary import RunSummary
from constraintsuite.metrics.metric import Metric
from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.records.sections import Charts, Remarks, Section, SectionBlock, TableBlock, VerbatimText
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.drawings.bars import bar_chart
from constraintsuite.reports.grouped import tie_remarks
from constraintsuite.reports.sections.behaviour import errors, gaps, ties, truncation
from constraintsuite.reports.sections.systems import breakdowns, controls, slices
from constraintsuite.reports.view import ReportView, environment_of, model_facts

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
