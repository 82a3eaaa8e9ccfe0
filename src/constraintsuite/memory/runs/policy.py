"""What a run must not lose against a baseline, as a file; and what is let pass for a while, with a reason."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from constraintsuite.errors import UserError
from constraintsuite.store.jsonl import describe
from constraintsuite.store.yaml_files import read_yaml

Model = TypeVar("Model", bound=BaseModel)
LATENCY = "latency_p95"
"""What a rule calls the time of warm searches; no metric of outcomes has this name."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class MemoryRule(_Strict):
    """How far one metric may fall below the baseline, for every mode and budget."""

    metric: str = Field(min_length=1, description="a metric of the run's outcomes, such as evidence_hit")
    max_drop: float = Field(0.02, ge=0, description="absolute: 0.02 lets .80 become .78")
    significant: bool = Field(False, description="a larger drop fails only if the corrected p is below alpha")

    def __str__(self) -> str:
        return f"{self.metric}: max_drop {self.max_drop:g}"


class LatencyRule(_Strict):
    """How much slower warm searches may be, in units of the calibration."""

    max_rise: float = Field(0.20, ge=0, description="relative: 0.20 lets 10 become 12")
    min_repetitions: int = Field(3, ge=1, description="so many warm passes both runs need; fewer say nothing")
    floor_ms: float = Field(0.05, ge=0, description="a rise by less than this is below what a clock can tell")

    def __str__(self) -> str:
        return f"{LATENCY}: max_rise {self.max_rise:.0%}"


class MemoryPolicy(_Strict):
    """The rules of a gate; the standard ones are those of the benchmark strategy."""

    rules: tuple[MemoryRule, ...] = (MemoryRule(metric="evidence_hit"), MemoryRule(metric="path_hit"))
    latency: LatencyRule | None = LatencyRule()
    alpha: float = Field(0.05, gt=0, lt=1)

    @model_validator(mode="after")
    def _says_something(self) -> MemoryPolicy:
        if not self.rules and self.latency is None:
            raise ValueError("there is no rule here, so that everything would pass")
        metrics = [rule.metric for rule in self.rules]
        if len(set(metrics)) < len(metrics):
            raise ValueError("two rules are about the same metric")
        return self


class Waiver(_Strict):
    """A failure that is known and let pass until a day."""

    rule: str = Field(min_length=1, description=f"the metric of the rule, or {LATENCY}")
    mode: str | None = Field(None, description="this mode alone; without it, all")
    budget: int | None = Field(None, description="this budget alone; without it, all")
    reason: str = Field(min_length=10, pattern=r"\S", description="why, for the one who reads the gate's output")
    expires: date = Field(description="the last day on which it counts")

    def covers(self, rule: str, mode: str, budget: int, today: date) -> bool:
        """Whether it lets this failure pass today."""
        return (
            today <= self.expires and self.rule == rule and self.mode in (None, mode) and self.budget in (None, budget)
        )


class Waivers(_Strict):
    """A file of them."""

    waivers: tuple[Waiver, ...]


def read_policy(path: Path) -> MemoryPolicy:
    """The policy in a YAML file; a wrong or unknown key is a UserError naming it."""
    return _read(path, "policy", MemoryPolicy)


def read_waivers(path: Path) -> tuple[Waiver, ...]:
    """The waivers in a YAML file: `waivers:` and a list, each with rule, reason and expires."""
    return _read(path, "waiver file", Waivers).waivers


def _read(path: Path, kind: Literal["policy", "waiver file"], model: type[Model]) -> Model:
    try:
        return model.model_validate(read_yaml(path, kind))
    except ValidationError as error:
        raise UserError(f"{path}: {describe(error)}") from None
