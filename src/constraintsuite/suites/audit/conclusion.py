"""What follows from an audit: warnings, and one sentence that says whether to trust the suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from constraintsuite.core.records.figures import say
from constraintsuite.core.records.scores import Interval
from constraintsuite.suites.audit.results import (
    ALL_MAIN,
    NO_INTERACTION,
    QUERY_BLIND,
    QUERY_ONLY,
    TEMPLATE,
    AuditRow,
    Conclusion,
    OverlapRow,
)
from constraintsuite.suites.audit.target import CHANCE, FIRST, count_needed, is_clear_miss
from constraintsuite.suites.constraints.base import load_solver

_CLASSIFIERS = {
    QUERY_BLIND: "the text preferred by a classifier that was trained on the documents alone",
    QUERY_ONLY: "the query preferred to its opposite by a classifier that was trained on the queries alone",
    NO_INTERACTION: "the text preferred by two classifiers together, one trained on the queries alone and one on the documents alone",
    TEMPLATE: "the text preferred by the solvers that were right for other queries of the same pattern",
}
CONTAMINATED = 0.01
"""The share of texts that occur elsewhere from which on a suite is called contaminated."""
SHARED = 0.1
"""The share of texts with words of train from which on a warning is given."""


def name_pick(solver: str) -> str:
    """What a solver or classifier picks, such as "the text with fewer words"."""
    return _CLASSIFIERS.get(solver) or load_solver(solver).description


def name_slice(part: str) -> str:
    """Where something was found, as the beginning of a sentence."""
    return "Over all main slices" if part == ALL_MAIN else f"In {part}"


def conclude(rows: Sequence[AuditRow], overlaps: Sequence[OverlapRow]) -> Conclusion:
    """Trust the suite, do not trust it because of the worst finding, or get more examples."""
    misses = _clear_misses(rows)
    if misses:
        worst = max(misses, key=lambda row: (row.solver != TEMPLATE, _distance(row)))  # a plain rule says more
        found = _lower_first(_describe(worst))
        others = len(misses) - 1
        also = f"; {others:,} other {'figure is' if others == 1 else 'figures are'} as clearly off" if others else ""
        return Conclusion("do_not_trust", f"Do not trust it: {found}{also}.")
    contaminated = [row for row in overlaps if _is_contaminated(row)]
    if contaminated:
        most = max(contaminated, key=lambda row: row.share.value or 0.0)
        return Conclusion(
            "do_not_trust",
            f"Do not trust it for systems that have learnt from {most.elsewhere}: {say(most.share, 'share')} of its "
            f"{most.kind} occur there.",
        )
    doubts = [row for row in rows if row.verdict == "too_few" or not row.accuracy.n]
    if doubts or not rows:
        return _ask_for_more(doubts)
    narrow = sum(row.verdict == "not_met" and row.solver != QUERY_ONLY for row in rows)
    miss = "misses" if narrow == 1 else "miss"
    but = f"; {narrow:,} of {len(rows):,} figures {miss} the target narrowly" if narrow else ""
    return Conclusion("trust", f"Trust it: no solver that does not understand the query wins{but}.")


def _ask_for_more(doubts: Sequence[AuditRow]) -> Conclusion:
    if not doubts:
        return Conclusion("get_more", f"Get more examples: there are none, and about {FIRST:,} are needed.", FIRST)
    most = max(doubts, key=lambda row: (row.slice != ALL_MAIN, count_needed(row)))
    where, needed = "the suite" if most.slice == ALL_MAIN else most.slice, count_needed(most)
    return Conclusion(
        "get_more",
        f"Get more examples: `{most.solver}` can be tried on {most.accuracy.n:,} of {where}, and about {needed:,} are needed to "
        "tell it from chance.",
        needed,
    )


def warn(rows: Sequence[AuditRow], overlaps: Sequence[OverlapRow]) -> Iterator[str]:
    """A sentence for each solver that clearly wins, for classifiers that could not be trained, and for texts found elsewhere."""
    misses = _clear_misses(rows)
    for row in rows:
        if row in misses:
            yield f"{_describe(row)}."
        elif row.solver == QUERY_BLIND and row.verdict == "undefined":
            yield f"{name_slice(row.slice)}, there are too few unrelated examples to train a query-blind classifier."
    for overlap in overlaps:
        if _is_contaminated(overlap):
            yield (
                f"Contaminated: {say(overlap.share, 'share')} of the {overlap.kind} occur in {overlap.elsewhere} "
                f"({overlap.size} words in a row, or the whole text)."
            )
        elif overlap.part != ALL_MAIN and (overlap.share.value or 0.0) > SHARED:
            yield (
                f"{say(overlap.share, 'share')} of the {overlap.kind} in {overlap.part} share {overlap.size} words in a row, "
                f"or all words, with {overlap.kind} in {overlap.elsewhere}."
            )


def _clear_misses(rows: Sequence[AuditRow]) -> list[AuditRow]:
    """The rows that clearly miss the target, those of all slices together only if no single slice does.

    `query_only` picks no document: what it can win is the figure of `no_interaction`.
    """
    found = [row for row in rows if row.solver != QUERY_ONLY and is_clear_miss(row, len(rows))]
    return [row for row in found if row.slice != ALL_MAIN] or found


def _describe(row: AuditRow) -> str:
    where = name_slice(row.slice)
    if row.paired is not None:
        return f"{where}, picking {name_pick(row.solver)} (`{row.solver}`) wins {say(row.paired, 'share')} of the pairs"
    share = row.accuracy
    if (share.value or 0.0) >= CHANCE:
        return f"{where}, picking {name_pick(row.solver)} (`{row.solver}`) is right in {say(share, 'share')}"
    return f"{where}, avoiding {name_pick(row.solver)} (`{row.solver}`) is right in {say(_reversed(share), 'share')}"


def _reversed(share: Interval) -> Interval:
    """The share of the opposite choice."""
    value, low, high = (None if one is None else 1 - one for one in (share.value, share.high, share.low))
    return Interval(value, low, high, share.n)


def _distance(row: AuditRow) -> float:
    return abs((row.accuracy.value or 0.0) - CHANCE)


def _is_contaminated(row: OverlapRow) -> bool:
    return row.part == ALL_MAIN and (row.share.value or 0.0) > CONTAMINATED


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
