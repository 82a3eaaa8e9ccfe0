"""What a reader sees first: a verdict in one sentence, one chart, three failures, and what changed since the baseline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from constraintsuite.app.pages.drawings.bars import bar_chart
from constraintsuite.app.pages.drawings.svg import Drawing
from constraintsuite.app.pages.example_cards import ShownExample, show_failures
from constraintsuite.app.pages.group_tables import headline_remark, tie_remarks, under_rule
from constraintsuite.app.pages.sections.suite import judge_audit
from constraintsuite.app.pages.view import ReportView
from constraintsuite.core.records.examples import OMISSION
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
    """Whose failures are shown: the best."""
    failures: tuple[ShownExample, ...]
    changes: tuple[str, ...]
    """What changed since the baseline, a sentence for each system; empty without a baseline."""


def make_first_page(view: ReportView) -> FirstPage:
    """The conclusion of a report, from the runs that it holds."""
    metric = view.metric
    rows = [(label, view.headline(label)) for label in view.labels[:MOST_BARS]]
    title = under_rule(f"Headline: {metric.title.lower()}, %, with 95 % interval", view.summaries[0].rule)
    return FirstPage(
        verdict=state_verdict(view),
        chart=bar_chart("chart-headline", title, rows, metric.chance),
        notes=tuple(_notes(view)),
        system=view.labels[0],
        failures=tuple(show_failures(view.suite.examples, view.runs, FAILURES)),
        changes=tuple(_changes(view)),
    )


def state_verdict(view: ReportView) -> str:
    """How well the best system does, beside chance, and whether it beats the next by more than chance."""
    best = view.labels[0]
    figure, chance = view.headline(best), view.metric.chance or 0.0
    if figure.value is None:
        return f"No example of the headline was asked of {best}, so it has no figure."
    guess = f"guessing gives {percent(chance)}"
    if figure.high is not None and figure.high < chance:
        guess = f"that is below guessing, which gives {percent(chance)}"
    elif figure.low is not None and figure.low <= chance:
        guess = f"that could be guessing, which gives {percent(chance)}"
    said = f"{best} does what it was asked in {percent(figure.value)} of {figure.n:,} examples{_bounds(figure, 'share')}; {guess}."
    return " ".join([said, *([_lead(view)] if len(view.runs) > 1 else []), *_since_baseline(view)])


def _since_baseline(view: ReportView) -> Iterator[str]:
    """What the best system has lost or won since the baseline, if that is more than chance."""
    if view.baseline is None:
        return
    test = _compare(view, view.baseline, view.runs[view.labels[0]])
    value = test.difference.value
    if value and test.p is not None and test.p < ALPHA:
        yield f"That is {points(abs(value))} {'more' if value > 0 else 'less'} than the baseline, {view.baseline.summary.system}."


def _lead(view: ReportView) -> str:
    first, second = view.labels[:2]
    test = _compare(view, view.runs[second], view.runs[first])
    value = test.difference.value
    if value is None:
        return f"No example was asked of both it and {second}."
    if not value:
        return f"{second} does just as well."
    if test.p is not None and test.p < ALPHA and value > 0:
        return f"It is better than {second} by {points(value)}."
    return f"It is not clearly better than {second}: chance alone could explain the {points(value)} between them."


def _notes(view: ReportView) -> Iterator[str]:
    best = view.labels[0]
    if view.metric.name == "paired_accuracy":
        yield (
            "An example counts when the text that satisfies the query scores above the one that violates it, and the order "
            "turns round for the opposite query."
        )
    else:
        yield "An example counts when the text that satisfies the query scores above the one that violates it."
    yield headline_remark(view.suite.examples, view.metric)
    omission = view.runs[best].summary.by["slice"].get(OMISSION)
    if omission is not None and (apart := omission.metrics[view.metric.name]).value is not None:
        yield f"On omission {best} has {percent(apart.value)} of {apart.n:,}{_bounds(apart, 'share')}."
    audit = view.audit()
    if audit is not None:
        yield judge_audit(audit, view.metric)
    yield from tie_remarks({label: run.summary for label, run in view.runs.items()})
    if len(view.runs) > MOST_BARS:
        yield f"The chart shows the best {MOST_BARS} of {len(view.runs)} systems; the leaderboard has all of them."


def _changes(view: ReportView) -> Iterator[str]:
    if view.baseline is None:
        return
    for label, run in view.runs.items():
        if run.artifact.path.resolve() == view.baseline.artifact.path.resolve():
            continue
        test = _compare(view, view.baseline, run)
        value = test.difference.value
        if value is None or test.value_first is None or test.value_second is None:
            yield f"{label}: no example was asked of both it and the baseline."
            continue
        more = "" if test.p is not None and test.p < ALPHA else ", which chance alone could explain"
        counted = ""
        if test.only_first is not None and test.only_second is not None:
            if not (test.only_first or test.only_second):
                yield f"{label}: nothing changed. It and the baseline, {view.baseline.summary.system}, are right in the same examples."
                continue
            counted = f" {test.only_second:,} examples are right that were not, {test.only_first:,} no longer are."
        yield (
            f"{label} has {percent(test.value_second)}, the baseline ({view.baseline.summary.system}) {percent(test.value_first)}: a "
            f"change of {say(value, 'points')}{_bounds(test.difference, 'points')}{more}.{counted}"
        )


def _compare(view: ReportView, before: Run, after: Run) -> PairedDifference:
    """The difference in the headline, on the examples that both have."""
    runs = {"before": before, "after": after}
    table = join_experiments(pair_experiments(view.suite, runs, before.summary.rule)).table
    return paired_test(table, SystemPair(*runs), view.metric, HEADLINE, table.headline, seed=before.summary.seed)


def _bounds(figure: Interval, kind: ColumnKind) -> str:
    bounds = show(figure, kind).bounds
    return f" (95 % interval {bounds})" if bounds else ""
