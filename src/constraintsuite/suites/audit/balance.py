"""Are the two documents of a pair alike in everything but the constraint? Standardised mean differences say so."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from statistics import fmean, variance

from constraintsuite.records.examples import Example
from constraintsuite.suites.audit.base import Side, document
from constraintsuite.suites.audit.results import BalanceRow
from constraintsuite.suites.audit.slices import split_by_slice
from constraintsuite.suites.audit.surface import count_cues, count_words
from constraintsuite.text.terms import TermAnalyser

FLAG_FROM = 0.1
_SENTENCE_END = re.compile(r"[.!?]")


def balance(examples: Sequence[Example]) -> tuple[BalanceRow, ...]:
    """One row for each slice and feature; in a slice of whole couples every difference is exactly 0."""
    return tuple(
        _compare(name, feature, [(measure(examples[i], "pos"), measure(examples[i], "neg")) for i in places])
        for name, places in split_by_slice(examples).items()
        for feature, measure in FEATURES.items()
    )


def _compare(name: str, feature: str, pairs: Sequence[tuple[float | None, float | None]]) -> BalanceRow:
    known = [(pos, neg) for pos, neg in pairs if pos is not None and neg is not None]
    if not known:
        return BalanceRow(name, feature, 0, None, None, None, flagged=False)
    pos, neg = [float(one) for one, _ in known], [float(one) for _, one in known]
    smd = standardised_difference(pos, neg)
    different = fmean(pos) != fmean(neg) and len(known) > 1
    flagged = abs(smd) >= FLAG_FROM if smd is not None else different
    return BalanceRow(name, feature, len(known), fmean(pos), fmean(neg), smd, flagged)


def standardised_difference(pos: Sequence[float], neg: Sequence[float]) -> float | None:
    """Cohen's d with the mean of the two variances; None below two values, or where neither side varies.

    Means and variances are exact sums, so that the same values in another order differ by exactly 0.
    """
    if min(len(pos), len(neg)) < 2:
        return None
    spread = math.sqrt((variance(pos) + variance(neg)) / 2)
    return (fmean(pos) - fmean(neg)) / spread if spread else None


def _count_sentences(example: Example, side: Side) -> float:
    return len(_SENTENCE_END.findall(document(example, side).text))


def _topic_score(example: Example, side: Side) -> float | None:
    found = example.source.retrieval
    return found.score_pos_topic if side == "pos" else found.score_neg_topic


def _pool_rank(example: Example, side: Side) -> float | None:
    found = example.source.retrieval
    return found.rank_pos_in_pool if side == "pos" else found.rank_neg_in_pool


@cache
def _analyser() -> TermAnalyser:
    return TermAnalyser()


def _topic_overlap(example: Example, side: Side) -> float | None:
    topic = set(_analyser().terms(example.query.topic))
    held = topic & set(_analyser().terms(document(example, side).text))
    return len(held) / len(topic) if topic else None


TOPIC_SCORE = "BM25 score for the topic"
FEATURES: Mapping[str, Callable[[Example, Side], float | None]] = {
    "length in words": count_words,
    "sentences": _count_sentences,
    "negation words": count_cues,
    "topic terms held": _topic_overlap,
    TOPIC_SCORE: _topic_score,
    "rank in the pool": _pool_rank,
}
