"""The results of an audit, as `audit.json` holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from constraintsuite.core.records.scores import Interval

TargetVerdict = Literal["met", "not_met", "too_few", "undefined"]
"""Whether a solver is at chance: `too_few` examples cannot tell, and `undefined` could not be measured."""
SuiteVerdict = Literal["trust", "do_not_trust", "get_more"]
GroupKind = Literal["clusters", "couples"]
TextKind = Literal["queries", "documents"]
ALL_MAIN = "all"
"""Stands for all main slices together where the name of a slice is expected."""
QUERY_BLIND = "query_blind"
QUERY_ONLY = "query_only"
NO_INTERACTION = "no_interaction"
TEMPLATE = "template"
TRAINED = (QUERY_BLIND, QUERY_ONLY, NO_INTERACTION, TEMPLATE)
"""Classifiers that were trained to be right. Below chance they have learnt nothing: their folds lean in different directions."""


@dataclass(frozen=True, slots=True)
class AuditRow:
    """The result of one solver on one slice."""

    slice: str
    solver: str
    accuracy: Interval
    """Share of examples in which it picks the satisfying document; a tie counts as half.

    Examples that a definition decides are left out, unless it decides all of them. For classifiers of `blind.py`, n counts
    couples and single examples.
    """
    tie_rate: float | None
    verdict: TargetVerdict
    reason: str
    """Why a definition decides what the solver picks, in some or all examples; empty if in none."""
    paired: Interval | None
    """Paired accuracy in the examples that a definition decides, a tie again decided by a coin; chance is 0.25."""
    groups: GroupKind
    """What was resampled, and by classifiers held out, together."""


@dataclass(frozen=True, slots=True)
class OverlapRow:
    """How many texts of a part of a suite occur elsewhere."""

    part: str
    """A split, or `all` for the whole suite."""
    kind: TextKind
    elsewhere: str
    """What they were looked for in: the split `train`, or the name of another suite or corpus."""
    size: int
    """Number of consecutive words that count as an occurrence; a shorter text must be the same as a whole text."""
    share: Interval
    """Share of the distinct texts that have such an occurrence."""
    verbatim: float | None
    """Share of the distinct texts that are the same, word by word, as a whole text."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What to do with a suite, in one sentence."""

    verdict: SuiteVerdict
    sentence: str
    needed: int | None = None
    """About how many examples the smallest slice needs; None unless the verdict is `get_more`."""


@dataclass(frozen=True, slots=True)
class Audit:
    """All results, warnings in plain sentences, and what follows from them."""

    seed: int
    rows: tuple[AuditRow, ...]
    overlaps: tuple[OverlapRow, ...]
    warnings: tuple[str, ...]
    conclusion: Conclusion


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
