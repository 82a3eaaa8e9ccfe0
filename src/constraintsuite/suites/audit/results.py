"""The results of an audit, as `audit.json` holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from constraintsuite.core.records.scores import Interval

LeakVerdict = Literal["leak", "leak_in_part", "by_construction", "ok", "too_few_to_tell", "undefined"]
GroupKind = Literal["clusters", "couples"]
ALL_MAIN = "all"
"""Stands for all main slices together where the name of a slice is expected."""
QUERY_BLIND = "query_blind"


@dataclass(frozen=True, slots=True)
class AuditRow:
    """The result of one solver on one slice."""

    slice: str
    solver: str
    accuracy: Interval
    """Share of examples in which it picks the satisfying document; a tie counts as wrong.

    For `query_blind`, n counts couples and single examples.
    """
    reverse: Interval
    """Share of examples in which it picks the violating document."""
    tie_rate: float | None
    verdict: LeakVerdict
    reason: str
    """Why the definition of the slice implies the result; empty unless the verdict is `by_construction`."""
    groups: GroupKind
    """What was resampled, and for `query_blind` held out, together."""


@dataclass(frozen=True, slots=True)
class Audit:
    """All results, and warnings in plain sentences."""

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
