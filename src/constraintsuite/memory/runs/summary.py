"""The figures of a run: every metric of every mode, budget and group, with its interval over clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from constraintsuite.core.records.scores import Interval
from constraintsuite.experiments.figures import table_figures
from constraintsuite.experiments.outcome_table import OVERALL
from constraintsuite.memory.runs.table import BUDGET, CASE_VERDICTS, PHRASING, TAG, MemoryTable


@dataclass(frozen=True, slots=True)
class ModeFigure:
    """The mean of one metric over the items of a group."""

    mode: str
    budget: int
    metric: str
    group: str
    """`overall`, or `grouping=value`."""
    figure: Interval


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


def summarise(table: MemoryTable, *, seed: int = 0) -> MemoryRunSummary:
    """All figures of a benchmark, over everything and by every grouping; tags are too many to be a table."""
    groupings = [name for name in table.groups if name not in (BUDGET, TAG)]
    return MemoryRunSummary(
        benchmark=table.benchmark,
        modes=tuple(table.systems),
        budgets=table.budgets,
        items=len(table.questions),
        clusters=len({item.wide for item in table.items}),
        figures=tuple(figure for by in (None, *groupings) for figure in _figures(table, by, seed)),
    )


def _figures(table: MemoryTable, by: str | None, seed: int) -> Iterator[ModeFigure]:
    # Without a grouping the parts are the totals; with one, the totals were given before.
    parts = {part: members for part, members in table.parts(by).items() if (", " in part) == (by is not None)}

    def known(part: str) -> list[str]:
        """A case has several wordings, so that its verdict is of no kind of wording."""
        return [name for name in table.known[_budget(part)] if by != PHRASING or name not in CASE_VERDICTS]

    for mode, by_part in table_figures(table, parts, metrics=known, seed=seed).items():
        for part, found in by_part.items():
            for name, figure in found.metrics.items():
                yield ModeFigure(mode, _budget(part), name, part.partition(", ")[2] or OVERALL, figure)


def _budget(part: str) -> int:
    return int(part.partition(", ")[0].removeprefix(f"{BUDGET}="))
