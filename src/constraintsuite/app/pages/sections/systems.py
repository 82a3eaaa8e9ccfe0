"""Sections that rank systems: the leaderboard, slices and other groups, controls, and paired comparisons."""

from __future__ import annotations

from constraintsuite.app.pages.drawings.bars import bar_chart
from constraintsuite.app.pages.group_tables import (
    group_sheets,
    group_table,
    groups_of,
    headline_remark,
    main_slices,
    system_table,
    tie_remarks,
    under_rule,
    value_of,
    words_for,
)
from constraintsuite.app.pages.view import ReportView
from constraintsuite.core.records.examples import CONTROL_SLICES
from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.sections import Charts, Remarks, Section, TableBlock
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.experiments.compare import Comparison
from constraintsuite.experiments.differences import LEGEND, difference_table
from constraintsuite.experiments.experiment import compare_experiments
from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.pair_experiment import pair_experiments
from constraintsuite.experiments.pairs import HEADLINE, is_nevir

SHOWN = (
    "accuracy",
    "paired_accuracy",
    "couple_accuracy",
    "opposite_accuracy",
    "tie_rate",
    "normalised_gap",
    "normalised_sensitivity",
)
_ABOUT_LEADERBOARD = (
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
    about = _ABOUT_NEVIR if is_nevir(view.suite.examples) else _ABOUT_LEADERBOARD
    told = tuple(tie_remarks({label: run.summary for label, run in view.runs.items()}))
    blocks = (TableBlock(leaderboard_table(view)), TableBlock(_metrics(view)), *((Remarks(told),) if told else ()))
    return Section("leaderboard", "Leaderboard", about + _CHANCE.format(percent(view.metric.chance or 0.0)), blocks)


def leaderboard_table(view: ReportView) -> Table:
    """One row per system: its headline, then the same metric of every slice under its own name."""
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
    others = [name for name in SHOWN if name not in (view.metric.name, "tie_rate")]
    caption = (
        "Other metrics on the examples of the headline; gap and sensitivity in standard deviations of the "
        "system's own scores, with 95 % intervals."
    )
    return system_table("metrics", caption, view.headlines, others)


def _resampled(group: GroupFigures) -> str:
    kind = "sets of examples that share documents" if group.wide else "couples of examples"
    return f"{group.clusters:,} {kind}"


_ABOUT_SLICES = (
    "Minimal pairs differ in little but what decides. In explicit pairs the satisfying document says that it meets the "
    "constraint; in omission pairs it does not mention the value of the constraint at all."
)
_METRICS = ("paired_accuracy", "accuracy")


def slices(view: ReportView) -> Section | None:
    """One chart per slice, and the tables; nothing for a suite of one slice."""
    names = main_slices(view.summaries)
    if len(names) < 2:
        return None
    metric = view.metric
    charts = tuple(
        bar_chart(
            f"chart-slice-{number}",
            under_rule(f"{name}: {metric.title.lower()}, %", view.summaries[0].rule),
            [
                (label, g.metrics[metric.name])
                for label, r in view.runs.items()
                if (g := r.summary.by["slice"].get(name))
            ],
            metric.chance,
        )
        for number, name in enumerate(names)
    )
    all_names = [name for name in groups_of(view.summaries, "slice") if name not in CONTROL_SLICES]
    sheets = group_sheets(group_table(view.runs, "slice", METRICS[name], keys=all_names) for name in _METRICS)
    return Section("slices", "Slices", _ABOUT_SLICES, (Charts(charts), *sheets.blocks), sheets.files)


_ABOUT_BREAKDOWNS = "Main examples only. A grouping that puts all examples into one group is left out."
_ELSEWHERE = ("slice", "control")


def breakdowns(view: ReportView) -> Section | None:
    """Accuracy and paired accuracy by every grouping that tells examples apart."""
    shared = [name for name in view.summaries[0].by if all(name in summary.by for summary in view.summaries)]
    names = [n for n in shared if n not in _ELSEWHERE and len(groups_of(view.summaries, n)) > 1]
    if not names:
        return None
    paired = METRICS["paired_accuracy"]
    both = any(summary.overall.metrics[paired.name].n for summary in view.summaries)
    metrics = (paired, METRICS["accuracy"]) if both else (METRICS["accuracy"],)
    tables = {f"{m.title} by {words_for(name)}": group_table(view.runs, name, m) for name in names for m in metrics}
    sheets = group_sheets(tables.values())
    folds = {table.name: words for words, table in tables.items()}
    blocks = tuple(TableBlock(block.table, folds[block.table.name]) for block in sheets.blocks)
    return Section("breakdowns", "Breakdowns", _ABOUT_BREAKDOWNS, blocks, sheets.files)


_ABOUT_CONTROLS = (
    "Non-flip controls change letters, words or order but not the meaning: the outcome should stay. The query "
    "of an adversarial control has words that look like a constraint and state none; its opposite has words that do state one."
)
_CONTROLS = (
    ("nonflip", "accuracy", "non-flip: accuracy"),
    ("nonflip", "invariance", "non-flip: same outcome as the original"),
    ("nonflip", "flip_rate", "non-flip: outcome turned round"),
    ("adversarial", "accuracy", "adversarial: accuracy"),
    ("adversarial", "opposite_accuracy", "adversarial: accuracy under the opposite"),
    ("adversarial", "paired_accuracy", "adversarial: paired accuracy"),
)


def controls(view: ReportView) -> Section | None:
    """Both kinds of control in one table, then each kind of change."""
    rows = []
    for name, metric, words in _CONTROLS:
        values = [value_of(summary.by["slice"].get(name), METRICS[metric]) for summary in view.summaries]
        if any(getattr(value, "n", 0) for value in values):
            rows.append((words, *values))
    if not rows:
        return None
    columns = (Column("control"), *(Column(label, "share") for label in view.labels))
    both = Table("controls", "Controls, with 95 % interval.", columns, tuple(rows))
    tables = (both, *(group_table(view.runs, "control", METRICS[name]) for name in ("accuracy", "invariance")))
    return Section("controls", "Controls", _ABOUT_CONTROLS, *group_sheets(tables))


MOST_ALL_PAIRS = 5
"""Up to so many runs each is compared with each; of more, each with the best."""


def comparison(view: ReportView) -> Section | None:
    """Paired differences on the examples of the headline; nothing for a single run."""
    if len(view.runs) < 2:
        return None
    names = [name for name in _METRICS if any(s.headline.metrics[name].n for s in view.summaries)]
    found = compare_experiments(
        pair_experiments(view.suite, view.runs, view.summaries[0].rule),
        names,
        against=view.labels[0] if len(view.runs) > MOST_ALL_PAIRS else None,
        seed=view.summaries[0].seed,
    )
    return Section("comparison", "Comparison", LEGEND, tuple(TableBlock(_table(name, found)) for name in names))


def _table(metric: str, found: Comparison) -> Table:
    tests = [test for test in found.tests if test.metric == metric]
    examples = max(test.difference.n for test in tests)
    caption = (
        f"{found.titles[metric]}: paired differences on {examples:,} examples of the headline, with 95 % interval."
    )
    return difference_table(f"comparison_{metric}", caption, tests, ("systems",))
