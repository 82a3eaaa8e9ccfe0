"""Sections that rank systems: the leaderboard, slices and other groups, controls, and paired comparisons."""

from __future__ import annotations

from dataclasses import replace

from constraintsuite.app.pages.drawings.bars import bar_chart
from constraintsuite.app.pages.group_tables import (
    group_table,
    groups_of,
    headline_remark,
    headline_row,
    main_slices,
    single_slices,
    single_table,
    split_tables,
    system_table,
    tie_remarks,
    under_rule,
    value_of,
    words_for,
)
from constraintsuite.app.pages.view import ReportView
from constraintsuite.core.records.examples import CONTROL_SLICES
from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.sections import Charts, Remarks, Section, SectionBlock
from constraintsuite.core.records.tables import Column, Table, columns
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.experiments.compare import Comparison
from constraintsuite.experiments.differences import LEGEND, difference_table
from constraintsuite.experiments.experiment import compare_experiments
from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.pair_experiment import pair_experiments
from constraintsuite.experiments.pairs import CONTROL_BY_TYPE, HEADLINE, is_nevir

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
    "Paired accuracy: the satisfying document scores above the violating one under the query, and the order is reversed under the "
    "opposite query. A system that ignores the query cannot do both. Accuracy needs only the first. "
)
_ABOUT_NEVIR = (
    "Paired accuracy is the measure of the paper. On this page q1 is the query, q2 the opposite, doc1 the satisfying document and "
    "doc2 the violating one; in edits of scope, both documents hold a negation. "
)
_CHANCE = "Guessing gives {}. Charts show the chance level as a line, so the system random has no row."


def leaderboard(view: ReportView) -> Section:
    """The headline and the slices of every system, then the other metrics."""
    about = _ABOUT_NEVIR if is_nevir(view.suite.examples) else _ABOUT_LEADERBOARD
    remarks = Remarks(tuple(tie_remarks({label: run.summary for label, run in view.runs.items()})))
    others = [name for name in SHOWN if name not in (view.metric.name, "tie_rate")]
    caption = (
        "Other metrics on the examples of the headline, with 95 % intervals; gap and sensitivity are in standard deviations of the "
        "system's own scores."
    )
    single = single_table(view.summaries) if view.metric.name == "paired_accuracy" else None
    metrics = system_table("metrics", caption, view.headlines, others)
    blocks: tuple[SectionBlock, ...] = (leaderboard_table(view), *([single] if single else []), metrics, remarks)
    return Section("leaderboard", "Leaderboard", about + _CHANCE.format(percent(view.metric.chance or 0.0)), blocks)


def leaderboard_table(view: ReportView) -> Table:
    """One row per system: its headline, then the same metric on every slice."""
    metric, rule = view.metric, view.summaries[0].rule
    apart = single_slices(view.summaries) if metric.name == "paired_accuracy" else []
    names = [name for name in main_slices(view.summaries) if name not in apart]
    names = names if len(names) > 1 else []
    tie = "counts as wrong" if str(rule) == "strict" else f"counts by the rule {rule}"
    caption = (
        f"{headline_remark(view.suite.examples, metric)} With 95 % intervals that resample "
        f"{_resampled(view.summaries[0].headline)}. An equal score {tie}."
    )
    rows = tuple(
        (label, *headline_row(run.summary, "slice", names, metric), run.summary.headline.metrics["tie_rate"])
        for label, run in view.runs.items()
    )
    return Table("leaderboard", caption, (Column("system"), *columns(metric.kind, HEADLINE, *names, "ties")), rows)


def _resampled(group: GroupFigures) -> str:
    kind = "sets of examples that share documents" if group.wide else "couples of examples"
    return f"{group.clusters:,} {kind}"


_ABOUT_SLICES = (
    "Minimal pairs differ in little more than the words that decide. In explicit pairs the satisfying document says that it meets "
    "the constraint; in omission pairs it does not mention the value of the constraint at all."
)
_METRICS = ("paired_accuracy", "accuracy")


def slices(view: ReportView) -> Section | None:
    """One chart per slice, and the tables; None for a suite with one slice."""
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
    tables = split_tables(group_table(view.runs, "slice", METRICS[name], keys=all_names) for name in _METRICS)
    return Section("slices", "Slices", _ABOUT_SLICES, (Charts(charts), *tables.shown), tables.files)


_ABOUT_TYPES = (
    "What is asked for: each type of constraint has its own readers, questions and pairs, and its own difficulty."
)


def types(view: ReportView) -> Section | None:
    """The tables by constraint type; None for a suite with one type."""
    if len(groups_of(view.summaries, "constraint")) < 2:
        return None
    tables = split_tables(group_table(view.runs, "constraint", METRICS[name]) for name in _METRICS)
    return Section("types", "Constraint types", _ABOUT_TYPES, tables.shown, tables.files)


_ABOUT_BREAKDOWNS = "Main examples only. Groupings with a single group are left out."
_ELSEWHERE = ("slice", "control", CONTROL_BY_TYPE, "constraint")


def breakdowns(view: ReportView) -> Section | None:
    """Accuracy and paired accuracy by every grouping with more than one group."""
    shared = [name for name in view.summaries[0].by if all(name in summary.by for summary in view.summaries)]
    names = [n for n in shared if n not in _ELSEWHERE and len(groups_of(view.summaries, n)) > 1]
    if not names:
        return None
    paired = METRICS["paired_accuracy"]
    both = any(summary.overall.metrics[paired.name].n for summary in view.summaries)
    metrics = (paired, METRICS["accuracy"]) if both else (METRICS["accuracy"],)
    tables = (
        replace(group_table(view.runs, name, metric), fold=f"{metric.title} by {words_for(name)}")
        for name in names
        for metric in metrics
    )
    return Section("breakdowns", "Breakdowns", _ABOUT_BREAKDOWNS, *split_tables(tables))


_ABOUT_CONTROLS = (
    "Non-flip controls change letters, words or order but not the meaning, so the outcome should stay the same. The query of an "
    "adversarial control has words or a value that must not decide; accuracy in plain words is that of the same need without them."
)
_CONTROLS = (
    ("nonflip", "accuracy", "non-flip: accuracy"),
    ("nonflip", "invariance", "non-flip: same outcome as the original"),
    ("nonflip", "flip_rate", "non-flip: outcome turned round"),
    ("adversarial", "accuracy", "adversarial: accuracy"),
    ("adversarial", "restated_accuracy", "adversarial: accuracy in plain words"),
    ("adversarial", "opposite_accuracy", "adversarial: accuracy under the opposite"),
    ("adversarial", "paired_accuracy", "adversarial: paired accuracy"),
)


def controls(view: ReportView) -> Section | None:
    """A table of both kinds of controls, then tables by kind of change."""
    rows = []
    for name, metric, words in _CONTROLS:
        values = [value_of(summary.by["slice"].get(name), METRICS[metric]) for summary in view.summaries]
        if any(getattr(value, "n", 0) for value in values):
            rows.append((words, *values))
    if not rows:
        return None
    heads = (Column("control"), *columns("share", *view.labels))
    both = Table("controls", "Controls, with 95 % interval.", heads, tuple(rows))
    groupings = [name for name in ("control", CONTROL_BY_TYPE) if all(name in s.by for s in view.summaries)]
    metrics = [METRICS[name] for name in ("accuracy", "paired_accuracy", "invariance")]
    tables = (both, *(group_table(view.runs, name, metric) for name in groupings for metric in metrics))
    return Section("controls", "Controls", _ABOUT_CONTROLS, *split_tables(tables))


MOST_ALL_PAIRS = 5
"""With at most this many runs, all pairs are compared; with more, each run is compared with the best."""


def comparison(view: ReportView) -> Section | None:
    """Paired differences on the examples of the headline; None for a single run."""
    if len(view.runs) < 2:
        return None
    names = [name for name in _METRICS if any(s.headline.metrics[name].n for s in view.summaries)]
    found = compare_experiments(
        pair_experiments(view.suite, view.runs, view.summaries[0].rule),
        names,
        against=view.labels[0] if len(view.runs) > MOST_ALL_PAIRS else None,
        seed=view.summaries[0].seed,
    )
    return Section("comparison", "Comparison", LEGEND, tuple(_table(name, found) for name in names))


def _table(metric: str, found: Comparison) -> Table:
    tests = [test for test in found.tests if test.metric == metric]
    examples = max(test.difference.n for test in tests)
    caption = (
        f"{found.titles[metric]}: paired differences on {examples:,} examples of the headline, with 95 % interval."
    )
    return difference_table(f"comparison_{metric}", caption, tests, ("systems",))
