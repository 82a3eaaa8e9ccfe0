"""Standardised mean differences: are the two documents of a pair alike in everything but the constraint?"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, variance

from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example, PoolPlace
from constraintsuite.suites.audit.groups import split_by_part
from constraintsuite.suites.audit.results import BalanceRow
from constraintsuite.suites.audit.solvers import count_words
from constraintsuite.suites.constraints.exclude import Exclude, count_cues
from constraintsuite.suites.filters import topic_share

FLAG_FROM = 0.1
_SENTENCE_END = re.compile(r"[.!?]")


def balance(examples: Sequence[Example]) -> tuple[BalanceRow, ...]:
    """One row for each slice and feature; in a slice of complete couples every difference is exactly 0."""
    return tuple(
        _compare(name, feature, [(measure(examples[i], SATISFYING), measure(examples[i], VIOLATING)) for i in places])
        for name, places in split_by_part(examples).items()
        for feature, measure in FEATURES.items()
    )


def _compare(name: str, feature: str, pairs: Sequence[tuple[float | None, float | None]]) -> BalanceRow:
    known = [(good, bad) for good, bad in pairs if good is not None and bad is not None]
    if not known:
        return BalanceRow(name, feature, 0, None, None, None, flagged=False)
    satisfying, violating = [float(one) for one, _ in known], [float(one) for _, one in known]
    smd = standardised_difference(satisfying, violating)
    different = fmean(satisfying) != fmean(violating) and len(known) > 1
    flagged = abs(smd) >= FLAG_FROM if smd is not None else different
    return BalanceRow(name, feature, len(known), fmean(satisfying), fmean(violating), smd, flagged)


def standardised_difference(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Cohen's d with the mean of the two variances; None below two values, or where neither side varies.

    Means and variances are exact sums: the same values in another order differ by exactly 0.
    """
    if min(len(one), len(other)) < 2:
        return None
    spread = math.sqrt((variance(one) + variance(other)) / 2)
    return (fmean(one) - fmean(other)) / spread if spread else None


def _count_sentences(example: Example, role: str) -> float:
    return len(_SENTENCE_END.findall(example.document(role).text))


def _count_negations(example: Example, role: str) -> float | None:
    """None for constraints of another type than `exclude`, which do not count them."""
    return count_cues(example, role) if isinstance(example.constraint, Exclude) else None


def _pool_place(example: Example, role: str) -> PoolPlace:
    return example.document(role).pools.get("topic") or PoolPlace(None)


def _topic_overlap(example: Example, role: str) -> float | None:
    return topic_share(example.topic or "", "", example.document(role).text)


TOPIC_SCORE = "BM25 score for the topic"
FEATURES: Mapping[str, Callable[[Example, str], float | None]] = {
    "length in words": count_words,
    "sentences": _count_sentences,
    "negation words": _count_negations,
    "topic terms held": _topic_overlap,
    TOPIC_SCORE: lambda example, role: _pool_place(example, role).score,
    "rank in the pool": lambda example, role: _pool_place(example, role).rank,
}
