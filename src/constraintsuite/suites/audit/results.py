"""What an audit says, as records that go into `audit.json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from constraintsuite.core.records.scores import Interval

LeakVerdict = Literal["leak", "leak_in_part", "by_construction", "ok", "too_few_to_tell", "undefined"]
GroupKind = Literal["clusters", "couples"]
ALL_MAIN = "all"
"""In place of a slice: the main slices together."""
QUERY_BLIND = "query_blind"


@dataclass(frozen=True, slots=True)
class AuditRow:
    """How one solver fares on one slice."""

    slice: str
    solver: str
    accuracy: Interval
    """Share in which it picks the satisfying document; a tie fails. n counts examples, for `query_blind` couples and single examples."""
    reverse: Interval
    """The same for the opposite choice: share in which it picks the violating one."""
    tie_rate: float | None
    verdict: LeakVerdict
    reason: str
    """Why the slice implies the result; empty unless the verdict is `by_construction`."""
    groups: GroupKind
    """What is resampled (and, for `query_blind`, held out) together."""


@dataclass(frozen=True, slots=True)
class Audit:
    """All rows, and what a reader must be told in plain sentences."""

    seed: int
    rows: tuple[AuditRow, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BalanceRow:
    """How far the satisfying and the violating documents of a slice differ in one feature."""

    slice: str
    feature: str
    n: int
    """Examples in which both documents have a value."""
    mean_satisfying: float | None
    mean_violating: float | None
    smd: float | None
    """Difference of the means in standard deviations; undefined below two examples or where nothing varies."""
    flagged: bool
    """|SMD| >= 0.1, or two different constants."""
