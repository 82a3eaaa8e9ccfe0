"""The target of the audit: a solver that does not understand the query is at chance.

With ties counted as half, the interval of its share contains 0.5, and with 400 examples or more the share lies from 0.45 to 0.55.
A classifier that was trained to be right may be below chance. Where a definition decides what a solver picks, its paired
accuracy is not above chance, which is 0.25.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import Z
from constraintsuite.suites.audit.results import AuditRow, TargetVerdict

CHANCE, PAIRED_CHANCE = 0.5, 0.25
NEAREST = 0.05
"""How far from 0.5 a share may lie that rests on MANY examples."""
MANY = 400
TOO_WIDE = 0.2
"""An interval that contains chance and is wider than this, such as 0.39 to 0.61, contains a useful shortcut too."""
FIRST = math.ceil((Z / TOO_WIDE) ** 2)
"""Independent examples that give an interval of this width for a share of one half."""


def judge_share(share: Interval, *, is_trained: bool = False) -> TargetVerdict:
    """Whether a share is at chance, or for a trained classifier not above it."""
    if share.value is None or share.low is None or share.high is None:
        return "undefined"
    is_far = share.n >= MANY and _is_far(share)
    is_above = share.low > CHANCE or (is_far and share.value > CHANCE)
    is_below = share.high < CHANCE or (is_far and share.value < CHANCE)
    if is_above or (is_below and not is_trained):
        return "not_met"
    return "too_few" if share.high - share.low > TOO_WIDE and not is_below else "met"


def judge_paired(share: Interval) -> TargetVerdict:
    """Whether a paired accuracy is not above chance."""
    if share.value is None or share.low is None or share.high is None:
        return "undefined"
    if share.low > PAIRED_CHANCE:
        return "not_met"
    return "too_few" if share.high > PAIRED_CHANCE and share.high - share.low > TOO_WIDE else "met"


def is_clear_miss(row: AuditRow, tries: int) -> bool:
    """Whether a solver misses the target by more than 5 points, and more clearly than one of so many would by chance.

    Its interval is widened for the number of tries (Bonferroni) and still leaves chance out.
    """
    if row.verdict != "not_met":
        return False
    wider = NormalDist().inv_cdf(1 - 0.05 / (2 * tries)) / Z
    if row.paired is not None:
        return judge_paired(_widen(row.paired, wider)) == "not_met"
    return _is_far(row.accuracy) and judge_share(replace(_widen(row.accuracy, wider), n=0)) == "not_met"


def count_needed(row: AuditRow) -> int:
    """About how many examples narrow the interval enough: its width falls with the root of their number."""
    figure = row.accuracy if row.paired is None else row.paired
    if figure.low is None or figure.high is None or not figure.n:
        return FIRST
    return max(figure.n + 1, math.ceil(figure.n * ((figure.high - figure.low) / TOO_WIDE) ** 2))


def _is_far(share: Interval) -> bool:
    return share.value is not None and abs(share.value - CHANCE) > NEAREST


def _widen(share: Interval, factor: float) -> Interval:
    if share.value is None or share.low is None or share.high is None:
        return share
    low, high = share.value - factor * (share.value - share.low), share.value + factor * (share.high - share.value)
    return replace(share, low=low, high=high)
