"""Who does best, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.headline import headline_metric, is_nevir
from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.records.sections import Charts, Remarks, Section, TableBlock
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.drawings.bars import bar_chart
from constraintsuite.reports.grouped import kind_of, value_of
from constraintsuite.reports.remarks import tie_remarks, under_rule
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
_CHARTS = ("accuracy", "paired_accuracy")
_ABOUT = (
    "Accuracy: the satisfying document scores above the violating one under the query. Paired accuracy: and the order "
    "turns round under the opposite, which no model can do that ignores the query."
)
_ABOUT_NEVIR = (
    "Paired accuracy is the measure of the paper. On this page the query is q1, the opposite q2, the "
    "satisfying document doc1 and the violating one doc2; for edits of scope both documents hold a negation."
)


def leaderboard(view: ReportView) -> Section:
    """All models with the figures that matter most."""
    charts = []
    for name in _headline_first(view, _CHARTS):
        metric = METRICS[name]
        title = under_rule(f"{metric.title}, %", view.summaries[0].rule)
        rows = [(label, run.summary.overall.metrics[name]) for label, run in view.runs.items()]
        if any(interval.n for _, interval in rows):
            charts.append(bar_chart(f"chart-{name}", title, rows, metric.chance))
    about = _ABOUT_NEVIR if is_nevir(view.suite.examples) else _ABOUT
    told = tuple(tie_remarks({label: run.summary for label, run in view.runs.items()}))
    blocks = (Charts(tuple(charts)), TableBlock(leaderboard_table(view)), *((Remarks(told),) if told else ()))
    return Section("leaderboard", "Leaderboard", about, blocks)


def leaderboard_table(view: ReportView) -> Table:
    """One row a model; figures that no model has are left out."""
    metrics = [
        METRICS[name] for name in _headline_first(view, SHOWN) if any(s.overall.metrics[name].n for s in view.summaries)
    ]
    rule = view.summaries[0].rule
    tie = "counts as wrong" if str(rule) == "strict" else f"counts by the rule {rule}"
    caption = (
        "Main examples, controls left out. Shares in %, gap and sensitivity in standard deviations of the model's own "
        f"scores, with 95 % intervals that resample {_resampled(view.summaries[0].overall)}. An equal score {tie}."
    )
    rows = tuple(
        (label, *(value_of(run.summary.overall, metric) for metric in metrics)) for label, run in view.runs.items()
    )
    columns = (Column("model"), *(Column(metric.title, kind_of(metric)) for metric in metrics))
    return Table("leaderboard", caption, columns, rows)


def _headline_first(view: ReportView, names: Sequence[str]) -> list[str]:
    first = headline_metric(view.suite.examples).name
    return [first, *(name for name in names if name != first)]


def _resampled(group: GroupFigures) -> str:
    kind = "sets of examples that share documents" if group.wide else "couples of examples"
    return f"{group.clusters:,} {kind}"
