"""What a system must do to pass, as a file; and which failures are let pass for a while, with a reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from constraintsuite.core.errors import UserError
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.core.statistics.ties import TiePolicy, TieRule
from constraintsuite.core.store.yaml_files import read_yaml
from constraintsuite.experiments.compare import refuse_incomparable
from constraintsuite.experiments.outcome_table import OVERALL, OutcomeTable
from constraintsuite.experiments.power import CAUTIOUS, TYPICAL, detect_before

LimitKind = Literal["min", "max", "max_drop", "max_rise"]
_LIMITS: tuple[LimitKind, ...] = ("min", "max", "max_drop", "max_rise")
_ENDS = {"lower_bound": ("min", "max_drop"), "upper_bound": ("max", "max_rise")}
LATENCY = "latency_p95"
"""What a waiver calls the rule about times; no metric of outcomes has this name."""
Model = TypeVar("Model", bound=BaseModel)


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class PolicyRule(_Strict):
    """One limit of one metric on one group of items."""

    metric: str = Field(min_length=1, description="a metric of the run, as docs/metrics.md lists them")
    group: str | None = Field(
        None, description="`grouping=value`, or overall: all main items; unless given, what the headline counts"
    )
    system: str | None = Field(None, description="of a run with several systems, this one alone; unless given, all")
    min: float | None = Field(None, description="the least value")
    max: float | None = Field(None, description="the largest value")
    max_drop: float | None = Field(None, ge=0, description="how far below the baseline it may be")
    max_rise: float | None = Field(None, ge=0, description="how far above the baseline it may be")
    lower_bound: bool = Field(False, description="min, max_drop: the lower end of the interval must keep the limit too")
    upper_bound: bool = Field(False, description="max, max_rise: the upper end of the interval must keep the limit too")
    significant: bool = Field(
        True, description="max_drop, max_rise: a larger change that could be chance is inconclusive; false: it fails"
    )

    @model_validator(mode="after")
    def _makes_sense(self) -> PolicyRule:
        given = [name for name in _LIMITS if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"a rule has one limit of {', '.join(_LIMITS)}; here are {', '.join(given) or 'none'}")
        for end, limits in _ENDS.items():
            if getattr(self, end) and given[0] not in limits:
                raise ValueError(f"{end} goes with {' or '.join(limits)}, not with {given[0]}")
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
        """Whether it needs a baseline."""
        return self.kind in ("max_drop", "max_rise")

    @property
    def needs_certainty(self) -> bool:
        """Whether an end of the interval must keep the limit."""
        return self.lower_bound or self.upper_bound

    def refuse_for(self, metric: Metric) -> None:
        """Refuse a limit that means nothing for the metric."""
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


class LatencyRule(_Strict):
    """How much slower warm answers may be than the baseline's, in units of the calibration."""

    max_rise: float = Field(0.20, ge=0, description="relative: 0.20 lets 10 become 12")
    min_repetitions: int = Field(3, ge=1, description="so many warm passes both runs need; fewer say nothing")
    floor_ms: float = Field(0.05, ge=0, description="a rise by less than this is below what a clock can tell")

    def __str__(self) -> str:
        return f"{LATENCY}: max_rise {self.max_rise:g}"


class Policy(_Strict):
    """All rules, and how ties, chance and doubt are treated in them."""

    rules: tuple[PolicyRule, ...] = ()
    latency: LatencyRule | None = Field(None, description="how much slower it may be; needs runs that were timed")
    alpha: float = Field(0.05, gt=0, lt=1, description="a change is significant if its corrected p is below this")
    allow_inconclusive: bool = Field(
        False, description="let a run pass where too few items leave it open whether a limit is kept"
    )
    ties: TiePolicy = Field("strict", description="what equal scores count")
    tie_eps: float = Field(0.0, ge=0, description="scores at most this far apart are equal")

    @field_validator("rules", mode="before")
    @classmethod
    def _a_list(cls, rules: object) -> object:
        if rules is None or rules in ([], ()):
            raise ValueError(f"there is no rule here, so that everything would pass; {_START}")
        return rules

    @model_validator(mode="after")
    def _some(self) -> Policy:
        if not self.rules and self.latency is None:
            raise ValueError(f"there is no rule here, so that everything would pass; {_START}")
        return self

    @property
    def tie_rule(self) -> TieRule:
        """The rule by which equal scores are counted."""
        return TieRule(self.ties, self.tie_eps)

    @classmethod
    def read(cls, path: Path) -> Policy:
        """The policy in a YAML file; a wrong or unknown key is a UserError naming it."""
        return _read(path, cls, read_yaml(path, "policy", "`csuite gate --example` prints one to start from."), _POLICY)


class Waiver(_Strict):
    """A failure that is known and let pass until a day."""

    rule: str = Field(min_length=1, description=f"the metric of the rule, or {LATENCY}")
    system: str | None = Field(None, description="this system alone; unless given, all")
    group: str | None = Field(None, description="this group alone, such as budget=10; unless given, all")
    limit: LimitKind | None = Field(None, description="this limit alone; needed where several rules have the metric")
    reason: str = Field(min_length=10, pattern=r"\S", description="why, for the one who reads the gate's output")
    expires: date = Field(description="the last day on which it counts")

    def covers(self, rule: str, limit: LimitKind | None, system: str, group: str, today: date) -> bool:
        """Whether it lets this failure pass today."""
        return (
            today <= self.expires
            and self.rule == rule
            and self.limit in (None, limit)
            and self.system in (None, system)
            and self.group in (None, group)
        )


class Waivers(_Strict):
    """The content of a file of waivers."""

    waivers: tuple[Waiver, ...]

    @classmethod
    def read(cls, path: Path) -> tuple[Waiver, ...]:
        """The waivers in a YAML file: `waivers:` and a list, each with rule, reason and expires."""
        return _read(path, cls, read_yaml(path, "waiver file"), _WAIVERS).waivers


def example_policy() -> str:
    """A policy with comments, to start from."""
    return (resources.files("constraintsuite.experiments") / "data" / "gate.yaml").read_text("utf-8")


def _read(path: Path, model: type[Model], data: object, about: str) -> Model:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise UserError("\n".join(f"{path}: {fault}" for fault in _faults(error, about))) from None


def _faults(error: ValidationError, about: str) -> Iterator[str]:
    """Everything that is wrong with a file, in words of our own."""
    for fault in error.errors(include_url=False):
        where = ".".join(str(part) for part in fault["loc"])
        kind = fault["type"]
        if kind == "value_error":  # a check of our own: its sentence says it all
            said = str(fault["ctx"]["error"])
        elif kind == "extra_forbidden":
            said = "unknown key, perhaps misspelt"
        elif kind == "missing":
            said = f"this key is needed; {about.removeprefix('this is no policy; ')}"
        elif about == _POLICY and kind in _SAID:
            said = _SAID[kind]
        else:
            said = f"{fault['msg'][0].lower()}{fault['msg'][1:]}, got {fault['input']!r}"
        yield f"{where}: {said}." if where else f"{said if kind == 'value_error' else about}."


_START = "`csuite gate --example` prints a policy to start from"
_POLICY = f"this is no policy; {_START}"
_WAIVERS = "a waiver file has `waivers:` and a list, each with rule, reason and expires"
_SAID = {
    "model_type": "a rule is a set of `key: value` lines, such as `metric: accuracy` and `min: 0.6`",
    "tuple_type": "write the rules as a list, each after a dash",
}


@dataclass(frozen=True, slots=True)
class RuleDetection:
    """What the items of a rule can show."""

    rule: str
    group: str
    limit: float | None
    """How much the rule lets change; None for a rule that compares with no baseline."""
    items: int
    clusters: int
    share: bool
    """Of other metrics nothing can be told before a run, since nobody knows how much they vary."""
    typical: float | None
    """The smallest change that is found if two systems disagree as most do; None where no change can be found."""
    detectable: float | None
    """The same on cautious assumptions."""


def detect_rules(policy: Policy, table: OutcomeTable, total: str) -> list[RuleDetection]:
    """What each rule that compares could find on these items, whatever systems are measured."""
    comparing = [rule for rule in policy.rules if rule.compares] or list(policy.rules)
    cells = [(rule, group) for rule in comparing for group in rule_groups(rule, table, total)]
    found = []
    for rule, group in cells:
        metric = table.metric(rule.metric)
        rule.refuse_for(metric)
        members = _with_values(table, rule.metric, table.members(group))
        numbers = table.clusters(members).numbers
        typical, cautious = (
            detect_before(numbers, alpha=policy.alpha / len(cells), assumed=one) for one in (TYPICAL, CAUTIOUS)
        )
        found.append(
            RuleDetection(
                str(rule),
                group,
                rule.limit if rule.compares else None,
                cautious.items,
                cautious.clusters,
                metric.share,
                typical.smallest if metric.share else None,
                cautious.smallest if metric.share else None,
            )
        )
    return found


def rule_groups(rule: PolicyRule, table: OutcomeTable, total: str) -> list[str]:
    """The groups that a rule is applied to: the one it names, in each of those that are never pooled."""
    if table.within is None:
        return [rule.group or total]
    named = rule.group or OVERALL
    if named.startswith(f"{table.within}="):
        return [named]
    inside = "" if named in (OVERALL, total) else f", {named}"
    return [f"{table.within}={value}{inside}" for value in table.groups[table.within]]


def _with_values(table: OutcomeTable, metric: str, members: Sequence[int]) -> list[int]:
    """Those of some items that have a value under any system; all of them where no system was measured yet."""
    if not table.systems:
        return list(members)
    known = [np.isfinite(table.column(system, metric, members)) for system in table.systems]
    return [i for i, one in zip(members, np.any(known, axis=0).tolist(), strict=True) if one]
