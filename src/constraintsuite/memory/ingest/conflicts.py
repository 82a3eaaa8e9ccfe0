"""Claims that disagree: in one document, or in two documents about the same rare name that are valid at one time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Literal, NamedTuple

from constraintsuite.memory.ingest.claims import Claim, ClaimStance, stem
from constraintsuite.memory.ingest.unit_reader import ReadDocument
from constraintsuite.memory.ingest.wordlists import word_lists
from constraintsuite.memory.records import Edge, Unit, parse_time, weighted_edge

Conflict = Literal["equal", "first_narrower", "second_narrower"]
_OPPOSED: frozenset[frozenset[ClaimStance]] = frozenset(
    frozenset(pair)
    for pair in (
        ("required", "barred"),
        ("allowed", "barred"),
        ("required", "optional"),
        ("true", "false"),
        ("required", "false"),
        ("true", "barred"),
    )
)
_EXTRA_WORDS = 3
_MOST_SHARING = 40
"""A name in more claims is a common word rather than a common subject."""
_BETWEEN_DOCUMENTS = 0.8
"""The confidence of a contradiction between documents, relative to one inside a document."""


class ClaimConflict(NamedTuple):
    """How two claims disagree: which one is narrower, with what confidence, and for what reason."""

    conflict: Conflict
    confidence: float
    because: str


def compare(first: Claim, second: Claim) -> ClaimConflict | None:
    """Return how two claims disagree; None if they agree or are about different things."""
    if (first.names - second.names and second.names - first.names) or not first.nouns & second.nouns:
        return None
    if first.subject and second.subject and not first.subject & second.subject:
        return None
    conflict = _narrower(first, second)
    if conflict is None:
        return None
    return _stance_conflict(first, second, conflict) or _value_conflict(first, second, conflict)


def _narrower(first: Claim, second: Claim) -> Conflict | None:
    """Say which claim is about less: about a part, or under a condition that the other does not have."""
    more, less = first.nouns - second.nouns, second.nouns - first.nouns
    if (more and less) or len(more | less) > _EXTRA_WORDS:
        return None
    one, other = ((claim.condition | claim.exception) - outcome_stems() for claim in (first, second))
    if one and other:
        if len(one & other) * 2 < len(one | other):
            return None  # both hold, each in its own case
    elif one or other:
        narrow: Conflict = "first_narrower" if one else "second_narrower"
        return None if (less and one) or (more and other) else narrow
    if more or less:
        return "first_narrower" if more else "second_narrower"
    return "equal"


def _stance_conflict(first: Claim, second: Claim, conflict: Conflict) -> ClaimConflict | None:
    acts = {claim.act for claim in (first, second)} - _stance_stems()
    if len(acts) > 1 or (acts and _stance_stems() & {first.act, second.act}):
        return None  # they are about different actions
    verbs, others = (claim.verbs - _stance_stems() for claim in (first, second))
    stances = frozenset((first.stance, second.stance))
    if stances in _OPPOSED:
        return ClaimConflict(conflict, 0.8, f"one is {first.stance}, the other {second.stance}")
    if conflict == "equal" and first.denied != second.denied and len(stances) == 1 and verbs & others:
        words = ", ".join(sorted(first.denied ^ second.denied))
        return ClaimConflict(conflict, 0.6, f"only one denies {words}")
    if stances == {"required", "allowed"} and conflict == "equal" and verbs & others and verbs == others:
        return ClaimConflict(conflict, 0.5, "one is required, the other only allowed")
    return None


def _value_conflict(first: Claim, second: Claim, conflict: Conflict) -> ClaimConflict | None:
    shared = first.nouns & second.nouns
    if not (first.verbs & second.verbs or not first.verbs or not second.verbs or len(shared) > 1):
        return None
    stances = frozenset((first.stance, second.stance))
    if stances in _OPPOSED or (conflict != "equal" and stances <= {"true", "false"}):
        return None  # the narrower of two facts is another fact, no exception
    units = {amount.unit for amount in first.amounts} & {amount.unit for amount in second.amounts}
    for unit in sorted(units):
        values = [{one.value for one in claim.amounts if one.unit == unit} for claim in (first, second)]
        if len(values[0]) == len(values[1]) == 1 and values[0] != values[1]:
            return ClaimConflict(conflict, 0.7, f"different numbers of the unit {unit!r}")
    if len(first.dates) == len(second.dates) == 1 and first.dates != second.dates:
        return ClaimConflict(conflict, 0.7, f"{first.dates[0]} and {second.dates[0]}")
    return None


@cache
def outcome_stems() -> frozenset[str]:
    """Return stems of words in a condition that only say how something ended."""
    return frozenset(map(stem, word_lists().outcomes))


@cache
def _stance_stems() -> frozenset[str]:
    return frozenset(map(stem, word_lists().stances)) | frozenset(map(stem, word_lists().barred_adjectives))


def contradictions_between(documents: Sequence[ReadDocument]) -> Mapping[str, list[Edge]]:
    """Return edges by the document that they leave: from the later of two documents (by id) to the earlier."""
    by_name: dict[str, list[tuple[Unit, Claim]]] = defaultdict(list)
    for document in documents:
        for unit, reading in zip(document.units, document.readings, strict=True):
            for claim in reading.claims:
                for name in claim.names & claim.subject:
                    by_name[name].append((unit, claim))
    found: dict[str, dict[tuple[str, str], Edge]] = defaultdict(dict)
    for name in sorted(by_name):
        if len(by_name[name]) <= _MOST_SHARING:
            for edge, document_id in _within(by_name[name], name):
                found[document_id].setdefault((edge.source, edge.target), edge)
    return {document: list(edges.values()) for document, edges in found.items()}


def _within(stated: Sequence[tuple[Unit, Claim]], name: str) -> Iterator[tuple[Edge, str]]:
    for (earlier, first), (later, second) in combinations(stated, 2):
        if earlier.document == later.document or not _overlap(earlier, later):
            continue
        found = compare(second, first)
        if found is not None and found.conflict == "equal":
            because = f"both about {name!r}: {found.because}"
            confidence = round(found.confidence * _BETWEEN_DOCUMENTS, 3)
            yield weighted_edge(later.id, earlier.id, "contradicts", confidence, because), later.document


def _overlap(first: Unit, second: Unit) -> bool:
    """Whether there is a time at which both are valid."""
    starts = [parse_time(one) for one in (first.valid_from, second.valid_from) if one is not None]
    ends = [parse_time(one) for one in (first.valid_to, second.valid_to) if one is not None]
    return not starts or not ends or max(starts) < min(ends)
