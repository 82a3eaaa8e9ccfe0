"""A criterion of the guide with its target, its figures and a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from constraintsuite.core.records.figures import UnitValue, show
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.tables import Table, tabulate

CriterionVerdict = Literal["met", "not_met", "too_few", "not_measured"]
"""`too_few`: the interval contains the target, so that more examples are needed to tell."""
_WORDS: Mapping[CriterionVerdict, str] = {
    "met": "met",
    "not_met": "not met",
    "too_few": "too few to tell",
    "not_measured": "not measured",
}
_WORST_FIRST: tuple[CriterionVerdict, ...] = ("not_met", "too_few", "not_measured", "met")


@dataclass(frozen=True, slots=True)
class GuideCriterion:
    """One criterion; what was not measured has no figures and says how to measure it."""

    name: str
    target: str
    verdict: CriterionVerdict
    figures: Mapping[str, UnitValue] = field(default_factory=dict)
    """By what they are of: a system, a question, a slice."""
    note: str = ""
    """What else there is to say, such as the command that measures it."""

    @property
    def value(self) -> str:
        """The figures and the note in one line."""
        found = [f"{name} {show(figure, figure.kind)}".strip() for name, figure in self.figures.items()]
        return "; ".join([*found, *([self.note] if self.note else [])])

    @property
    def in_words(self) -> str:
        """The verdict for people."""
        return _WORDS[self.verdict]


@dataclass(frozen=True, slots=True)
class GoldFigures:
    """What people who judged a gold batch say of its suite."""

    agreement: Mapping[str, Interval]
    """Raw agreement by question."""
    right: Interval
    """Share of right labels among the settled examples."""
    kept: Interval
    """Share of settled examples that need no repair."""


def criteria_table(criteria: Iterable[GuideCriterion]) -> Table:
    """One row for each criterion."""
    return tabulate(
        "criteria",
        "",
        criteria,
        {
            "criterion": ("text", lambda one: one.name),
            "target": ("text", lambda one: one.target),
            "value": ("text", lambda one: one.value),
            "verdict": ("text", lambda one: one.in_words),
        },
    )


def worst(verdicts: Iterable[CriterionVerdict]) -> CriterionVerdict:
    """The verdict on several figures that must all meet a target."""
    found = set(verdicts)
    return next((verdict for verdict in _WORST_FIRST if verdict in found), "not_measured")


def is_above(figure: Interval, target: float) -> CriterionVerdict:
    """Whether a figure is above a target, and its interval as well."""
    if figure.value is None or figure.low is None:
        return "not_measured"
    if figure.value <= target:
        return "not_met"
    return "met" if figure.low > target else "too_few"
