"""The figures of a run: every metric of every mode, budget and group, with its interval over clusters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from constraintsuite.experiments.figures import rounded
from constraintsuite.memory.outcomes import ItemResult
from constraintsuite.memory.public.summary import OVERALL, ModeFigure, figures_of

CASE_PASS, CASE_RANKING_PASS = "case_pass", "case_ranking_pass"
_BY_CASE = {CASE_PASS: "pass", CASE_RANKING_PASS: "ranking_pass"}
_NO_GROUPS = frozenset(("tags",))  # so many combinations that a table by them says nothing


@dataclass(frozen=True)
class MemoryRunSummary:
    """What a run found."""

    benchmark: str
    modes: tuple[str, ...]
    budgets: tuple[int, ...]
    items: int
    clusters: int
    figures: tuple[ModeFigure, ...]
    not_evaluated: Mapping[str, int] = field(default_factory=dict)
    """Of structured cases: fields that nothing here answers to, and how many cases have them."""
    notes: tuple[str, ...] = ()
    """What is odd about the benchmark file."""

    def figure(self, mode: str, budget: int, metric: str, group: str = OVERALL) -> ModeFigure | None:
        """One of the figures, if it is there."""
        wanted = (mode, budget, metric, group)
        return next((f for f in self.figures if (f.mode, f.budget, f.metric, f.group) == wanted), None)


def summarise(benchmark: str, outcomes: Sequence[ItemResult], *, seed: int = 0) -> MemoryRunSummary:
    """All figures of some outcomes, by every grouping they have."""
    cases = [case for case in case_outcomes(outcomes) if case.values]
    figures = [*_figures(outcomes, seed), *_figures(cases, seed)]
    return MemoryRunSummary(
        benchmark=benchmark,
        modes=tuple(dict.fromkeys(outcome.mode for outcome in outcomes)),
        budgets=tuple(dict.fromkeys(outcome.budget for outcome in outcomes)),
        items=len({outcome.item for outcome in outcomes}),
        clusters=len({outcome.cluster for outcome in outcomes}),
        figures=tuple(figures),
    )


def case_outcomes(outcomes: Iterable[ItemResult]) -> list[ItemResult]:
    """One outcome a case: it passes if more than half of its wordings do, and None if one of them is undefined.

    What has no `pass`, such as a public benchmark, gives outcomes without values.
    """
    rows: dict[tuple[str, int, str], list[ItemResult]] = defaultdict(list)
    for outcome in outcomes:
        rows[outcome.mode, outcome.budget, outcome.cluster].append(outcome)
    return [_case(wordings) for wordings in rows.values()]


def _case(wordings: Sequence[ItemResult]) -> ItemResult:
    first = wordings[0]
    values = {
        name: _majority([wording.values[metric] for wording in wordings])
        for name, metric in _BY_CASE.items()
        if metric in first.values
    }
    groups = {name: value for name, value in first.groups.items() if name != "phrasing"}
    return replace(first, item=first.cluster, values=values, returned=(), groups=groups)


def _majority(values: Sequence[float | None]) -> float | None:
    passed = [value for value in values if value is not None]
    return float(2 * sum(passed) > len(passed)) if len(passed) == len(values) else None


def _figures(outcomes: Sequence[ItemResult], seed: int) -> list[ModeFigure]:
    if not outcomes:
        return []
    metrics = list(dict.fromkeys(name for outcome in outcomes for name in outcome.values))
    groupings = sorted({name for outcome in outcomes for name in outcome.groups} - _NO_GROUPS)
    found = figures_of(outcomes, metrics, seed=seed)
    for by in groupings:
        found += [figure for figure in figures_of(outcomes, metrics, by=by, seed=seed) if figure.group != OVERALL]
    return [replace(figure, figure=rounded(figure.figure)) for figure in found]
