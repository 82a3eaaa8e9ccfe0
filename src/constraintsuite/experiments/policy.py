"""What a model must do to pass, as a file."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from constraintsuite.errors import UserError
from constraintsuite.experiments.groupings import OVERALL
from constraintsuite.metrics.pairwise import parse_metric
from constraintsuite.metrics.ties import STRICT, TiePolicy, TieRule
from constraintsuite.store.yaml_files import read_yaml

LimitKind = Literal["min", "max", "max_drop", "max_rise"]
_LIMITS: tuple[LimitKind, ...] = ("min", "max", "max_drop", "max_rise")
_ENDS = {"lower_bound": ("min", "max_drop"), "upper_bound": ("max", "max_rise")}


class PolicyRule(BaseModel):
    """One limit of one metric on one group of examples."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    metric: str = Field(description="a name that docs/metrics.md lists")
    group: str = Field(OVERALL, description="`grouping=value`, or overall: all main examples")
    min: float | None = Field(None, description="the least value")
    max: float | None = Field(None, description="the largest value")
    max_drop: float | None = Field(None, ge=0, description="how far below the baseline it may be")
    max_rise: float | None = Field(None, ge=0, description="how far above the baseline it may be")
    lower_bound: bool = Field(False, description="min, max_drop: the lower end of the interval must keep the limit too")
    upper_bound: bool = Field(False, description="max, max_rise: the upper end of the interval must keep the limit too")
    significant: bool = Field(True, description="max_drop, max_rise: a larger change fails only if it is significant")

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
        if self.group != OVERALL and not all(self.group.partition("=")):
            raise ValueError(f"group {self.group!r} is neither {OVERALL} nor grouping=value")
        try:
            metric = parse_metric(self.metric)
        except UserError as error:
            raise ValueError(str(error)) from None
        if metric.share and not 0 <= self.limit <= 1:
            raise ValueError(
                f"{metric} is a share from 0 to 1, so the limit {given[0]} {self.limit:g} means nothing; for 50 % write 0.5"
            )
        if self.compares and metric.own_unit:
            raise ValueError(f"{metric} is in each model's own unit and cannot be compared with a baseline")
        return self

    @property
    def kind(self) -> LimitKind:
        """Which limit it has."""
        return next(name for name in _LIMITS if getattr(self, name) is not None)

    @property
    def limit(self) -> float:
        """Its number."""
        return float(getattr(self, self.kind))

    @property
    def compares(self) -> bool:
        """Whether it needs a baseline."""
        return self.kind in ("max_drop", "max_rise")

    @property
    def needs_significance(self) -> bool:
        """Whether a change beyond the limit fails only if it is significant."""
        return self.compares and self.significant and not (self.lower_bound or self.upper_bound)

    def __str__(self) -> str:
        end = " (interval)" if self.lower_bound or self.upper_bound else ""
        where = "" if self.group == OVERALL else f" of {self.group}"
        return f"{self.metric}{where}: {self.kind} {self.limit:g}{end}"


class Policy(BaseModel):
    """All rules, and how ties and chance are treated in them."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    rules: tuple[PolicyRule, ...]
    alpha: float = Field(0.05, gt=0, lt=1, description="a change is significant if its corrected p is below this")
    ties: TiePolicy = Field("strict", description="what equal scores count")
    tie_eps: float = Field(0.0, ge=0, description="scores at most this far apart are equal")

    @field_validator("rules")
    @classmethod
    def _some(cls, rules: tuple[PolicyRule, ...]) -> tuple[PolicyRule, ...]:
        if not rules:
            raise ValueError(f"there is no rule here, so that everything would pass; {_START}")
        return rules

    @property
    def tie_rule(self) -> TieRule:
        """The rule for ties."""
        return TieRule(self.ties, self.tie_eps)

    @property
    def needs_suite(self) -> bool:
        """Whether the summary of a run is not enough to apply it."""
        return self.tie_rule != STRICT or any(rule.compares for rule in self.rules)

    @classmethod
    def read(cls, path: Path) -> Policy:
        """The policy in a YAML file; a wrong or unknown key is a UserError naming it."""
        data = read_yaml(path, "policy", "`csuite gate --example` prints one to start from.")
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise UserError("\n".join(f"{path}: {fault}" for fault in _faults(error))) from None


def _faults(error: ValidationError) -> Iterator[str]:
    """Everything that is wrong with a policy, in words of our own."""
    for fault in error.errors(include_url=False):
        where = ".".join(str(part) for part in fault["loc"])
        kind = fault["type"]
        if kind == "value_error":  # a check of our own: its sentence says it all
            said = str(fault["ctx"]["error"])
        elif kind == "extra_forbidden":
            said = "unknown key, perhaps misspelt"
        else:
            said = _SAID.get(kind) or f"{fault['msg'][0].lower()}{fault['msg'][1:]}, got {fault['input']!r}"
        yield f"{where}: {said}." if where else f"this is no policy; {_START}."


_START = "`csuite gate --example` prints a policy to start from"
_SAID = {
    "model_type": "a rule is a set of `key: value` lines, such as `metric: accuracy` and `min: 0.6`",
    "missing": f"this key is needed; {_START}",
    "tuple_type": "write the rules as a list, each after a dash",
}


def example_policy() -> str:
    """A policy with comments, to start from."""
    return (resources.files("constraintsuite.experiments") / "data" / "gate.yaml").read_text("utf-8")
