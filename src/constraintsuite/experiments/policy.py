"""What a run must do to pass a gate, as a YAML file of rules; and waivers, which let known failures pass until a date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np
from pydantic import BaseModel, Field, ValidationError, model_validator

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.core.statistics.significance import PESSIMISTIC, TYPICAL, detect_before
from constraintsuite.core.statistics.ties import TiePolicy, TieRule
from constraintsuite.core.store.jsonl import describe_all
from constraintsuite.core.store.yaml_files import read_yaml
from constraintsuite.experiments.compare import refuse_incomparable
from constraintsuite.experiments.outcome_table import OVERALL, OutcomeTable

LimitKind = Literal["min", "max", "max_drop", "max_rise"]
_LIMITS: tuple[LimitKind, ...] = ("min", "max", "max_drop", "max_rise")
_BOUNDS = {"lower_bound": ("min", "max_drop"), "upper_bound": ("max", "max_rise")}
LATENCY = "latency_p95"
"""The name of the latency rule in waivers; no metric has this name."""
_EXAMPLE = "`csuite gate --example` prints a policy to start from."
Model = TypeVar("Model", bound=BaseModel)


class PolicyRule(StrictModel):
    """One limit for one metric on one group of items."""

    metric: str = Field(min_length=1, description="a metric of the run, as docs/metrics.md lists them")
    group: str | None = Field(
        None, description="`grouping=value`, or overall for all main items; by default the examples of the headline"
    )
    system: str | None = Field(None, description="one system of a run with several; by default all of them")
    min: float | None = Field(None, description="the smallest value")
    max: float | None = Field(None, description="the largest value")
    max_drop: float | None = Field(None, ge=0, description="how far the value may be below the baseline")
    max_rise: float | None = Field(None, ge=0, description="how far the value may be above the baseline")
    lower_bound: bool = Field(False, description="min, max_drop: the lower end of the interval must keep the limit too")
    upper_bound: bool = Field(False, description="max, max_rise: the upper end of the interval must keep the limit too")
    significant: bool = Field(
        True, description="max_drop, max_rise: a larger change that could be chance is inconclusive; false: it fails"
    )

    @model_validator(mode="after")
    def _check_combination(self) -> PolicyRule:
        given = [name for name in _LIMITS if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"a rule has one limit of {', '.join(_LIMITS)}; here are {', '.join(given) or 'none'}")
        for bound, limits in _BOUNDS.items():
            if getattr(self, bound) and given[0] not in limits:
                raise ValueError(f"{bound} goes with {' or '.join(limits)}, not with {given[0]}")
        if "significant" in self.model_fields_set and not self.compares:
            raise ValueError(f"significant goes with max_drop or max_rise, not with {given[0]}")
        if self.group not in (None, "overall", "headline") and not all(self.group.partition("=")):
            raise ValueError(f"group {self.group!r} is neither overall nor headline nor grouping=value")
        return self

    @property
    def kind(self) -> LimitKind:
        """Which of the four limits the rule has."""
        return next(name for name in _LIMITS if getattr(self, name) is not None)

    @property
    def limit(self) -> float:
        """The number of that limit."""
        return float(getattr(self, self.kind))

    @property
    def compares(self) -> bool:
        """Whether the rule needs a baseline."""
        return self.kind in ("max_drop", "max_rise")

    @property
    def needs_certainty(self) -> bool:
        """Whether an end of the interval must keep the limit too."""
        return self.lower_bound or self.upper_bound

    def check_metric(self, metric: Metric) -> None:
        """Refuse a limit that has no meaning for the metric."""
        if metric.share and not 0 <= self.limit <= 1:
            raise UserError(
                f"The rule `{self}`: {metric} is a share from 0 to 1, so the limit {self.limit:g} means nothing; for 50 % "
                "write 0.5."
            )
        if self.compares:
            refuse_incomparable(metric)

    def __str__(self) -> str:
        end = " (interval)" if self.needs_certainty else ""
        where = f" of {self.group}" if self.group else ""
        who = f" by {self.system}" if self.system else ""
        return f"{self.metric}{where}{who}: {self.kind} {self.limit:g}{end}"


class LatencyRule(StrictModel):
    """How much slower warm answers may be than in the baseline, in units of the machine's calibration."""

    max_rise: float = Field(0.20, ge=0, description="relative: 0.20 lets 10 ms become 12 ms")
    min_repetitions: int = Field(3, ge=1, description="the number of warm passes that both runs need")
    floor_ms: float = Field(0.05, ge=0, description="a rise by less than this is too small to measure")

    def __str__(self) -> str:
        return f"{LATENCY}: max_rise {self.max_rise:g}"


class Policy(StrictModel):
    """All rules, and how ties, chance and inconclusive rules are treated."""

    rules: tuple[PolicyRule, ...] = ()
    latency: LatencyRule | None = Field(None, description="how much slower a run may be; needs timed runs")
    alpha: float = Field(0.05, gt=0, lt=1, description="a change is significant if its corrected p is below this")
    allow_inconclusive: bool = Field(
        False, description="let a run pass if too few items leave it open whether a limit is kept"
    )
    ties: TiePolicy = Field("strict", description="what equal scores count")
    tie_eps: float = Field(0.0, ge=0, description="scores at most this far apart are equal")

    @model_validator(mode="after")
    def _refuse_empty(self) -> Policy:
        if not self.rules and self.latency is None:
            raise ValueError("there is no rule, so everything would pass")
        return self

    @property
    def tie_rule(self) -> TieRule:
        """The rule for ties."""
        return TieRule(self.ties, self.tie_eps)

    @classmethod
    def read(cls, path: Path) -> Policy:
        """Read a YAML file. Raises UserError that names all wrong and unknown keys."""
        return _read(cls, path, "policy", _EXAMPLE)


class Waiver(StrictModel):
    """A known failure that may pass until a date."""

    rule: str = Field(min_length=1, description=f"the metric of the rule, or {LATENCY}")
    system: str | None = Field(None, description="only this system; by default all")
    group: str | None = Field(None, description="only this group, such as budget=10; by default all")
    limit: LimitKind | None = Field(None, description="only this limit; needed if several rules use the metric")
    reason: str = Field(min_length=10, pattern=r"\S", description="why the failure may pass, for readers of the output")
    expires: date = Field(description="the last day on which the waiver is valid")


class Waivers(StrictModel):
    """The content of a file of waivers."""

    waivers: tuple[Waiver, ...]

    @classmethod
    def read(cls, path: Path) -> tuple[Waiver, ...]:
        """Read a YAML file with the key `waivers`."""
        hint = "A waiver file has `waivers:` and a list, each with rule, reason and expires."
        return _read(cls, path, "waiver file", hint).waivers


def _read(model: type[Model], path: Path, kind: str, hint: str) -> Model:
    data = read_yaml(path, kind, hint)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        faults = [f"{path}: {fault}" for fault in describe_all(error)]
        raise UserError("\n".join(faults) + f" {hint}") from None


def example_policy() -> str:
    """A policy with comments, to start from."""
    return (resources.files("constraintsuite.experiments") / "data" / "gate.yaml").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class RuleDetection:
    """The smallest change that the items of a rule can show."""

    rule: str
    group: str
    limit: float | None
    """The largest change that the rule allows; None for a rule without a baseline."""
    items: int
    clusters: int
    share: bool
    """Whether the metric is a share. How much other metrics vary is unknown before a run."""
    typical: float | None
    """The smallest detectable change if two systems disagree as most do; None if no change can be detected."""
    detectable: float | None
    """The same for a pessimistic rate of disagreement."""


def detect_rules(policy: Policy, table: OutcomeTable, total: str) -> list[RuleDetection]:
    """What each rule that compares can detect on these items, for any two systems."""
    comparing = [rule for rule in policy.rules if rule.compares] or list(policy.rules)
    cells = [(rule, group) for rule in comparing for group in rule_groups(rule, table, total)]
    found = []
    for rule, group in cells:
        metric = table.metric(rule.metric)
        rule.check_metric(metric)
        members = _with_values(table, rule.metric, table.members(group))
        numbers = table.clusters(members).numbers
        alpha = policy.alpha / len(cells)
        typical, pessimistic = (detect_before(numbers, alpha=alpha, assumed=one) for one in (TYPICAL, PESSIMISTIC))
        found.append(
            RuleDetection(
                str(rule),
                group,
                rule.limit if rule.compares else None,
                len(members),
                len(np.unique(numbers)),
                metric.share,
                typical if metric.share else None,
                pessimistic if metric.share else None,
            )
        )
    return found


def rule_groups(rule: PolicyRule, table: OutcomeTable, total: str) -> list[str]:
    """The groups that a rule applies to: the group that it names, inside each group that is never pooled."""
    if table.within is None:
        return [rule.group or total]
    named = rule.group or OVERALL
    if named.startswith(f"{table.within}="):
        return [named]
    inside = "" if named in (OVERALL, total) else f", {named}"
    return [f"{table.within}={value}{inside}" for value in table.groups[table.within]]


def _with_values(table: OutcomeTable, metric: str, members: Sequence[int]) -> list[int]:
    """The items that have a value under any system; all of them if the table has no system."""
    if not table.systems:
        return list(members)
    known = np.any([np.isfinite(table.column(system, metric, members)) for system in table.systems], axis=0)
    return [i for i, is_known in zip(members, known.tolist(), strict=True) if is_known]
