"""One run: all that its folder knows, with or without its suite."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from constraintsuite.experiments.load import Run, Suite
from constraintsuite.experiments.summary import RunSummary
from constraintsuite.metrics.metric import Metric
from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.records.figures import CellValue
from constraintsuite.records.sections import Charts, Remarks, Section, SectionBlock, TableBlock, VerbatimText
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.drawings.bars import bar_chart
from constraintsuite.reports.grouped import groups_of, main_slices, without_small, words_for
from constraintsuite.reports.remarks import tie_remarks
from constraintsuite.reports.sections.controls import controls
from constraintsuite.reports.sections.errors import errors
from constraintsuite.reports.sections.gaps import gaps
from constraintsuite.reports.sections.ties import ties
from constraintsuite.reports.sections.truncation import truncation
from constraintsuite.reports.view import ReportView, environment_of, model_facts

_SHARES = ("paired_accuracy", "accuracy", "couple_accuracy", "opposite_accuracy", "responsiveness", "tie_rate")
_NUMBERS = ("normalised_gap", "normalised_sensitivity", "gap", "sensitivity", "topic_sensitivity")
_BY_GROUP = ("paired_accuracy", "accuracy", "tie_rate", "normalised_gap")
_ABOUT = (
    "Paired accuracy: the satisfying document scores above the violating one under the query, and the order turns round "
    "under the opposite. Accuracy asks for the first alone. The headline counts all main slices but Omission, which "
    "counting words can win."
)
_ABOUT_SLICES = "How the pair was found or made, main examples only; controls stand below."


def run_sections(run: Run) -> list[Section]:
    """Its figures, error classes, slices, ties and cut texts, and how it was made."""
    summary = run.summary
    # These sections of a report read runs alone, so that they also hold for a run whose suite is elsewhere.
    view = ReportView(Suite(run.artifact, (), ()), {summary.system: run})
    sections = (
        _figures(summary),
        errors(view),
        _slices(summary),
        gaps(view),
        _breakdowns(summary),
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


def _slices(summary: RunSummary) -> Section | None:
    names = main_slices([summary])
    if len(names) < 2:
        return None
    metric = METRICS[summary.headline_metric]
    rows = [(name, summary.by["slice"][name].metrics[metric.name]) for name in names]
    chart = bar_chart("chart-slices", f"{metric.title} by slice, %", rows, metric.chance)
    return Section(
        "slices", "Slices", _ABOUT_SLICES, (Charts((chart,)), TableBlock(_by_group(summary, "slice", names)))
    )


def _breakdowns(summary: RunSummary) -> Section | None:
    names = [name for name in summary.by if name not in ("slice", "control") and len(summary.by[name]) > 1]
    tables = {by: without_small(_by_group(summary, by, groups_of([summary], by))) for by in names}
    sheets = tuple(TableBlock(table, f"by {words_for(by)}") for by, table in tables.items() if table.rows)
    about = "Main examples only. A grouping that puts all examples into one group is left out."
    return Section("breakdowns", "Breakdowns", about, sheets) if sheets else None


def _by_group(summary: RunSummary, by: str, groups: Iterable[str]) -> Table:
    metrics = [METRICS[name] for name in _BY_GROUP if summary.overall.metrics[name].n]
    columns = (Column(by.removeprefix("notes.")), *(Column(m.title, m.kind) for m in metrics))
    rows: tuple[tuple[CellValue, ...], ...] = tuple(
        (group, *(summary.by[by][group].metrics[metric.name] for metric in metrics)) for group in groups
    )
    return Table(f"by_{by}", f"By {words_for(by)}, with 95 % interval.", columns, rows)


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
