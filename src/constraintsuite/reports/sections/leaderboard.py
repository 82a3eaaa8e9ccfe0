"""Who does best, and how sure that is."""

from __future__ import annotations

from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.headline import HEADLINE, is_nevir
from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.records.figures import percent
from constraintsuite.records.sections import Remarks, Section, TableBlock
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.grouped import main_slices, value_of
from constraintsuite.reports.remarks import headline_remark, tie_remarks
from constraintsuite.reports.view import ReportView

SHOWN = (
    "accuracy",
    "paired_accuracy",
    "couple_accuracy",
    "opposite_accuracy",
    "tie_rate",
    "normalised_gap",
    "normalised_sensitivity",
)
_ABOUT = (
    "Paired accuracy: the satisfying document scores above the violating one under the query, and the order turns round "
    "under the opposite, which no system can do that ignores the query. Accuracy asks for the first alone. "
)
_ABOUT_NEVIR = (
    "Paired accuracy is the measure of the paper. On this page the query is q1, the opposite q2, the "
    "satisfying document doc1 and the violating one doc2; for edits of scope both documents hold a negation. "
)
_CHANCE = "Guessing gives {}: chance is a line of the charts, so the system random is never a row."


def leaderboard(view: ReportView) -> Section:
    """The headline of every system with its slices, then the other metrics."""
    about = _ABOUT_NEVIR if is_nevir(view.suite.examples) else _ABOUT
    told = tuple(tie_remarks({label: run.summary for label, run in view.runs.items()}))
    blocks = (TableBlock(leaderboard_table(view)), TableBlock(_metrics(view)), *((Remarks(told),) if told else ()))
    return Section("leaderboard", "Leaderboard", about + _CHANCE.format(percent(view.metric.chance or 0.0)), blocks)


def leaderboard_table(view: ReportView) -> Table:
    """One row a system: its headline, then the same metric of every slice under its own name."""
    names = main_slices(view.summaries)
    names = names if len(names) > 1 else []
    metric, rule = view.metric, view.summaries[0].rule
    tie = "counts as wrong" if str(rule) == "strict" else f"counts by the rule {rule}"
    caption = (
        f"{headline_remark(view.suite.examples, metric)} With 95 % intervals that resample "
        f"{_resampled(view.summaries[0].headline)}. An equal score {tie}."
    )
    rows = tuple(
        (
            label,
            view.headline(label),
            *(value_of(run.summary.by["slice"].get(name), metric) for name in names),
            run.summary.headline.metrics["tie_rate"],
        )
        for label, run in view.runs.items()
    )
    titles = (HEADLINE, *names, "ties")
    return Table("leaderboard", caption, (Column("system"), *(Column(title, metric.kind) for title in titles)), rows)


def _metrics(view: ReportView) -> Table:
    others = [METRICS[name] for name in SHOWN if name not in (view.metric.name, "tie_rate")]
    metrics = [metric for metric in others if any(s.headline.metrics[metric.name].n for s in view.summaries)]
    rows = tuple(
        (label, *(value_of(r.summary.headline, metric) for metric in metrics)) for label, r in view.runs.items()
    )
    caption = (
        "Other metrics on the examples of the headline; gap and sensitivity in standard deviations of the "
        "system's own scores, with 95 % intervals."
    )
    columns = (Column("system"), *(Column(metric.title, metric.kind) for metric in metrics))
    return Table("metrics", caption, columns, rows)


def _resampled(group: GroupFigures) -> str:
    kind = "sets of examples that share documents" if group.wide else "couples of examples"
    return f"{group.clusters:,} {kind}"
