"""Couples: two documents and two Y of one topic. Each document violates one query and satisfies the other.

No preference for one of the documents can win on a couple, since each of the two is right once and wrong once.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Split
from constraintsuite.suites.pairs.matching import Matching, natural_draft
from constraintsuite.suites.pairs.records import PairDraft
from constraintsuite.suites.queries.records import ATTRIBUTE, Proposal
from constraintsuite.suites.recipe import PairSettings

WINDOW = 60
"""Each document is compared with this many documents of similar length."""


@dataclass(frozen=True)
class Couple:
    """Document `a` affirms the Y of `p` and satisfies `q`; `b` affirms the Y of `q` and satisfies `p`."""

    id: str
    p: Proposal
    q: Proposal
    a: str
    b: str
    denials: int
    """How many of the two satisfying documents deny their Y; the others do not mention it."""
    cost: float


def group_key(proposal: Proposal) -> tuple[str, str, Split]:
    """Proposals with the same key can be coupled: one topic, one relation (all attributes count as one), one split."""
    return proposal.topic, ATTRIBUTE if proposal.is_attribute else proposal.relation, proposal.split


def group_proposals(proposals: Iterable[Proposal]) -> dict[tuple[str, str, Split], list[Proposal]]:
    """The proposals by their `group_key`."""
    groups: dict[tuple[str, str, Split], list[Proposal]] = defaultdict(list)
    for proposal in proposals:
        groups[group_key(proposal)].append(proposal)
    return groups


def find_couples(
    proposals: Sequence[Proposal], matching: Matching, settings: PairSettings, rejects: Counter[str], *, explicit: bool
) -> Iterator[Couple]:
    """Couples of all groups, small topics first, best matched first; the uses of each Y and each document are capped.

    With `explicit`, both satisfying documents deny their Y; otherwise neither mentions it. A couple with one of each would be
    split over two slices.
    """
    groups = group_proposals(proposals)
    uses: Counter[tuple[str, str]] = Counter()
    taken: set[tuple[str, str]] = set()
    for key in sorted(groups, key=lambda key: (groups[key][0].topic_documents, key)):
        if explicit and not any(proposal.satisfying for proposal in groups[key]):
            continue
        found = _candidates(groups[key], matching, settings, rejects, wanted=2 if explicit else 0)
        for couple in sorted(found, key=lambda couple: (couple.cost, couple.id)):
            pair = (min(couple.a, couple.b), max(couple.a, couple.b))
            ys = [(f"y:{key[0]}", couple.p.id), (f"y:{key[0]}", couple.q.id)]
            documents = [(f"d:{key[1]}", couple.a), (f"d:{key[1]}", couple.b)]
            spent = any(uses[use] >= settings.max_uses_per_y for use in ys)
            if spent or pair in taken or any(uses[use] >= settings.max_uses_per_document for use in documents):
                continue
            taken.add(pair)
            uses.update([*ys, *documents])
            yield couple


def _candidates(
    group: Sequence[Proposal], matching: Matching, settings: PairSettings, rejects: Counter[str], wanted: int
) -> Iterator[Couple]:
    """Couples of a group with `wanted` denials."""
    items = [(p, d) for p in group for d in p.violating if matching.splits.get(d) == p.split]
    items.sort(key=lambda item: (matching.measures[item[1]].characters, item[1], item[0].id))
    for i, (p, a) in enumerate(items):
        for q, b in items[i + 1 : i + 1 + WINDOW]:
            if p.constraint.value == q.constraint.value or a == b:
                continue
            reason = _find_fault(p, a, q, b, matching, settings)
            if reason is not None:
                rejects[f"couple:{reason}"] += 1
                continue
            denials = (b in matching.evidence[p.id].denying) + (a in matching.evidence[q.id].denying)
            if denials != wanted:
                continue
            if denials and matching.delay(b, a, p) + matching.delay(a, b, q) > 0:
                rejects["couple:denials_late"] += 1
                continue
            identity = f"c{stable_hash(p.id, a, q.id, b):016x}"
            yield Couple(identity, p, q, a, b, denials, _cost(p, a, b, matching))


def _find_fault(p: Proposal, a: str, q: Proposal, b: str, matching: Matching, settings: PairSettings) -> str | None:
    if not _satisfies(b, p, matching) or not _satisfies(a, q, matching):
        return "holds_the_other_y"
    if a not in matching.evidence[p.id].affirming or b not in matching.evidence[q.id].affirming:
        return "does_not_affirm"
    if matching.are_duplicates(a, b):
        return "near_duplicates"
    if matching.length_ratio(a, b) > settings.max_length_ratio:
        return "length_ratio"
    years = matching.years.get(a), matching.years.get(b)
    if years[0] is not None and years[1] is not None and abs(years[0] - years[1]) > settings.max_year_distance:
        return "years_apart"
    if not {a, b} <= matching.pooled[p.id] or not {a, b} <= matching.pooled[q.id]:
        return "not_in_pool"
    return None


def _satisfies(document: str, proposal: Proposal, matching: Matching) -> bool:
    evidence = matching.evidence[proposal.id]
    return document in evidence.denying or evidence.is_silent(document)


def _cost(p: Proposal, a: str, b: str, matching: Matching) -> float:
    scores = matching.topic_scores.get(p.topic, {})
    distance = abs(scores.get(a, 0.0) - scores.get(b, 0.0)) / matching.best_scores.get(p.topic, 1.0)
    return round(math.log(matching.length_ratio(a, b)) + distance, 6)


def natural_drafts(couples: Iterable[Couple], matching: Matching) -> Iterator[PairDraft]:
    """Two drafts for each couple, with its texts unchanged."""
    for couple in couples:
        yield natural_draft(couple.p, couple.b, couple.a, matching, cost=couple.cost, couple=couple.id)
        yield natural_draft(couple.q, couple.a, couple.b, matching, cost=couple.cost, couple=couple.id)
