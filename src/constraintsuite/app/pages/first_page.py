"""The top of a report: a verdict, one chart, three failures, and what changed since the baseline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from constraintsuite.app.pages.drawings.bars import bar_chart
from constraintsuite.app.pages.drawings.svg import Drawing
from constraintsuite.app.pages.example_cards import ShownExample, show_failures
from constraintsuite.app.pages.group_tables import groups_of, headline_remark, tie_remarks, under_rule
from constraintsuite.app.pages.view import ReportView
from constraintsuite.core.records.examples import OMISSIONS
from constraintsuite.core.records.figures import ColumnKind, percent, points, say, show
from constraintsuite.core.records.scores import Interval
from constraintsuite.experiments.compare import ALPHA, PairedDifference, SystemPair, paired_test
from constraintsuite.experiments.experiment import join_experiments
from constraintsuite.experiments.load import Run
from constraintsuite.experiments.pair_experiment import pair_experiments
from constraintsuite.experiments.pairs import HEADLINE

FAILURES = 3
MOST_BARS = 12
"""Systems in the chart; the leaderboard has all of them."""


@dataclass(frozen=True)
class FirstPage:
    """The part of a report that is not folded."""

    verdict: str
    chart: Drawing
    notes: tuple[str, ...]
    """How to read the chart, and how far to trust it."""
    system: str
    """The best system, whose failures are shown."""
    failures: tuple[ShownExample, ...]
    changes: tuple[str, ...]
    """What changed since the baseline, one sentence per system; empty without a baseline."""


def make_first_page(view: ReportView) -> FirstPage:
    """The top of the report of these runs."""
    return FirstPage(
        verdict=state_verdict(view),
        chart=_draw_chart(view),
        notes=tuple(_notes(view)),
        system=view.labels[0],
        failures=tuple(show_failures(view.suite.examples, view.runs, FAILURES)),
        changes=tuple(_changes(view, view.baseline)) if view.baseline is not None else (),
    )


def _draw_chart(view: ReportView) -> Drawing:
    """The headline of every system or, if there are several constraint types, the best systems for each type."""
    metric = view.metric
    types = groups_of(view.summaries, "constraint")
    if len(types) > 1:
        shown = view.labels[: max(1, MOST_BARS // len(types))]
        rows = [
            (f"{kind}: {label}", group.metrics[metric.name])
            for kind in types
            for label in shown
            if (group := view.runs[label].summary.by["constraint"].get(kind)) is not None
        ]
        what = "By constraint type"
    else:
        rows = [(label, view.headline(label)) for label in view.labels[:MOST_BARS]]
        what = "Headline"
    title = under_rule(f"{what}: {metric.title.lower()}, %, with 95 % interval", view.summaries[0].rule)
    return bar_chart("chart-headline", title, rows, metric.chance)


def state_verdict(view: ReportView) -> str:
    """How well the best system does against chance, and whether it is clearly better than the next and the baseline."""
    best = view.labels[0]
    figure, chance = view.headline(best), view.metric.chance or 0.0
    if figure.value is None:
        return f"{best} has no result on the examples of the headline, so it has no figure."
    guess = f"guessing gives {percent(chance)}"
    if figure.high is not None and figure.high < chance:
        guess = f"that is below guessing, which gives {percent(chance)}"
    elif figure.low is not None and figure.low <= chance:
        guess = f"that could be guessing, which gives {percent(chance)}"
    verdict = [
        f"{best} does what it was asked in {percent(figure.value)} of {figure.n:,} examples{_bounds(figure, 'share')}; {guess}."
    ]
    if len(view.runs) > 1:
        verdict.append(_lead(view))
    if view.baseline is not None:
        test = _compare(view, view.baseline, view.runs[best])
        if (value := test.difference.value) and _is_clear(test):
            more = "more" if value > 0 else "less"
            verdict.append(f"That is {points(value)} {more} than the baseline, {view.baseline.summary.system}.")
    return " ".join(verdict)


def _lead(view: ReportView) -> str:
    first, second = view.labels[:2]
    test = _compare(view, view.runs[second], view.runs[first])
    value = test.difference.value
    if value is None:
        return f"It and {second} have no example in common."
    if not value:
        return f"{second} does just as well."
    if _is_clear(test) and value > 0:
        return f"It is better than {second} by {points(value)}."
    return f"It is not clearly better than {second}: chance alone could explain the {points(value)} between them."


def _notes(view: ReportView) -> Iterator[str]:
    best = view.labels[0]
    opposite = ", and the order is reversed for the opposite query" if view.metric.name == "paired_accuracy" else ""
    yield f"An example counts when the text that satisfies the query scores above the one that violates it{opposite}."
    yield headline_remark(view.suite.examples, view.metric)
    slices = view.runs[best].summary.by["slice"]
    for name in OMISSIONS:
        if name in slices and (figure := slices[name].metrics[view.metric.name]).value is not None:
            yield f"On {name} {best} has {percent(figure.value)} of {figure.n:,}{_bounds(figure, 'share')}."
    audit = view.audit()
    if audit is not None:
        yield audit.conclusion.sentence
    yield from tie_remarks({label: run.summary for label, run in view.runs.items()})
    if len(view.runs) > MOST_BARS:
        yield f"The chart shows the best {MOST_BARS} of {len(view.runs)} systems; the leaderboard has all of them."


def _changes(view: ReportView, baseline: Run) -> Iterator[str]:
    """One sentence for each run except the baseline itself."""
    for label, run in view.runs.items():
        if run.artifact.path.resolve() != baseline.artifact.path.resolve():
            yield _change(label, baseline.summary.system, _compare(view, baseline, run))


def _change(label: str, baseline: str, test: PairedDifference) -> str:
    if test.difference.value is None or test.value_first is None or test.value_second is None:
        return f"{label}: it and the baseline have no example in common."
    if test.only_first == test.only_second == 0:
        return f"{label}: nothing changed. It and the baseline, {baseline}, are right in the same examples."
    chance = "" if _is_clear(test) else ", which chance alone could explain"
    counts = ""
    if test.only_first is not None and test.only_second is not None:
        counts = f" {test.only_second:,} examples are right that were not, {test.only_first:,} no longer are."
    return (
        f"{label} has {percent(test.value_second)}, the baseline ({baseline}) {percent(test.value_first)}: a change of "
        f"{say(test.difference.value, 'points')}{_bounds(test.difference, 'points')}{chance}.{counts}"
    )


def _compare(view: ReportView, before: Run, after: Run) -> PairedDifference:
    """The difference in the headline, on the examples that both runs have."""
    runs = {"before": before, "after": after}
    table = join_experiments(pair_experiments(view.suite, runs, before.summary.rule)).table
    return paired_test(table, SystemPair(*runs), view.metric, HEADLINE, table.headline, seed=before.summary.seed)


def _is_clear(test: PairedDifference) -> bool:
    return test.p is not None and test.p < ALPHA


def _bounds(figure: Interval, kind: ColumnKind) -> str:
    bounds = show(figure, kind).bounds
    return f" (95 % interval {bounds})" if bounds else ""
