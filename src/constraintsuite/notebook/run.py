"""A run to look at."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from html import escape
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.experiments import load
from constraintsuite.experiments.groupings import OVERALL, pick, split_up
from constraintsuite.experiments.rejudge import with_results
from constraintsuite.experiments.summary import Group, Summary
from constraintsuite.metrics.pairwise import METRICS, PairResult, parse_metric
from constraintsuite.notebook.suite import Suite
from constraintsuite.records.scores import Interval
from constraintsuite.reports.drawings.bars import bar_chart
from constraintsuite.reports.drawings.svg import Drawing
from constraintsuite.reports.grouped import group_table, grouping_of, groups_of
from constraintsuite.reports.sections.errors import error_chart
from constraintsuite.reports.sections.gaps import gap_charts
from constraintsuite.reports.tables import Table

_SHOWN = ("accuracy", "paired_accuracy")


class Run:
    """A model's results on a suite; `slice` gives the same for some of the examples."""

    def __init__(self, stored: load.Run, suite: Suite | None = None, *, is_slice: bool = False) -> None:
        self.stored = stored
        self.is_slice = is_slice
        self._suite = suite

    @property
    def path(self) -> Path:
        """The folder."""
        return self.stored.artifact.path

    @property
    def model(self) -> str:
        """The model string."""
        return self.stored.summary.model

    @property
    def summary(self) -> Summary:
        """All figures."""
        return self.stored.summary

    @property
    def results(self) -> tuple[PairResult, ...]:
        """How each example came out."""
        return self.stored.results

    @cached_property
    def suite(self) -> Suite:
        """The suite, from where it was when the run was made."""
        return self._suite or Suite(load.load_suite(load.find_suite(self.path)))

    def figure(self, metric: str = "accuracy") -> Interval:
        """One metric of all main examples, with interval and n."""
        return self.summary.overall.metrics[parse_metric(metric).name]

    def table(self, by: str = "slice", metric: str = "accuracy") -> Table:
        """One metric by the groups of a grouping: slice, relation, cue, edit, ..., or overall."""
        return group_table({self.model: self.stored}, by, parse_metric(metric))

    def slice(self, wanted: Mapping[str, str] | None = None, /, **more: str) -> Run:
        """The run on the examples that are in all these groups: `run.slice(slice="explicit", split="test")`."""
        stored = self.suite.stored
        everything = (*stored.examples, *stored.controls)
        groupings = split_up(stored.examples, stored.controls)
        places = set(range(len(everything)))
        for by, value in {**(wanted or {}), **more}.items():
            groups = {_name(by, group): members for group, members in pick(groupings, by).items()}
            if _name(by, value) not in groups:
                raise UserError(f"No group {value!r} in {by!r}. There are: {', '.join(groups)}.")
            places &= set(groups[_name(by, value)])
        return self._only({everything[place].id for place in places})

    def plot(self, metric: str = "accuracy", by: str = "slice") -> Drawing:
        """A metric by group, as bars with whiskers."""
        shown = parse_metric(metric)
        if not shown.share:
            raise UserError(f"{metric} is not a share, so bars from 0 to 100 % do not fit it. Use plot_gaps().")
        rows = [(key, group.metrics[metric]) for key, group in self._groups(by).items()]
        return bar_chart(f"plot-{metric}-{by}", f"{self.model}: {shown.title}, %, by {by}", rows, shown.chance)

    def plot_errors(self, by: str = "slice") -> Drawing:
        """What the model does instead of the right thing, by group."""
        groups = {k: g for k, g in self._groups(by).items() if g.metrics["correct"].n}
        return error_chart(f"plot-errors-{by}", f"{self.model}: error classes by {by}, %", groups)

    def plot_gaps(self) -> Drawing:
        """How far apart the model puts the two documents."""
        charts = gap_charts({self.model: self.stored})
        if not charts:
            raise UserError(f"{self.model} gives all pairs the same score, so there is no gap to draw.")
        return charts[0]

    def __repr__(self) -> str:
        shares = ", ".join(f"{METRICS[name].title.lower()} {self.figure(name)}" for name in _SHOWN)
        return f"Run of {self.model} on {self.summary.suite}: {shares}"

    def _repr_html_(self) -> str:
        tables = "".join(self.table(metric=name)._repr_html_() for name in _SHOWN if self.figure(name).n)
        return f"<p>{escape(repr(self))}</p>{tables}"

    def _groups(self, by: str) -> Mapping[str, Group]:
        if by == OVERALL:
            return {self.model: self.summary.overall}
        found = grouping_of(self.summary, by)
        return {key: found[key] for key in groups_of([self.summary], by)}

    def _only(self, ids: set[str]) -> Run:
        results = [result for result in self.results if result.id in ids]
        if not results:
            raise UserError("No example is in all of these groups.")
        part = with_results(self.stored, self.suite.stored, results, self.summary.rule)
        return Run(part, self.suite, is_slice=True)


def _name(by: str, group: str) -> str:
    """Slices also go by their short names."""
    return group if by == "slice" else group
