"""Couples: two documents and two Y of one topic, each document violates one query and satisfies the other.

No prior over documents can win on a couple, since each of the two is right once and wrong once.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import EXPLICIT, OMISSION, Split
from constraintsuite.core.records.text import Document
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft, make_draft
from constraintsuite.suites.queries.evidence import Stances
from constraintsuite.suites.queries.records import ATTRIBUTE, Proposal
from constraintsuite.suites.reading.records import DocumentReading
from constraintsuite.suites.recipe import PairSettings

LATE_DENIAL = 0.5
"""Writers deny late. Couples in which the denial comes first are preferred, or the place of Y would give it away."""
WINDOW = 60
"""How many neighbours in length a document is compared with, in large topics."""


@dataclass(frozen=True, slots=True)
class DocumentLength:
    """How long a document is."""

    characters: int
    words: int


@dataclass(frozen=True)
class Matching:
    """What is known of the documents that may be put together."""

    documents: Mapping[str, Document]
    """Read when they are asked for, as the readings are: few of them become drafts."""
    readings: Mapping[str, DocumentReading]
    measures: Mapping[str, DocumentLength]
    people: Set[str]
    """Documents about a person."""
    clusters: Mapping[str, str]
    years: Mapping[str, int]
    splits: Mapping[str, Split]
    evidence: Mapping[str, Stances]
    """By proposal id."""
    topic_scores: Mapping[str, Mapping[str, float]]
    """BM25 score of each of these documents that was pooled, by topic."""
    best_scores: Mapping[str, float]
    """The highest score in each topic's pool."""
    pooled: Mapping[str, Set[str]]
    """Those of these documents that are in the pool of the topic or of the opposite query, by proposal id."""

    def ratio(self, a: str, b: str) -> float:
        """The longer document over the shorter, in words."""
        return length_ratio(self.measures[a].words, self.measures[b].words)


@dataclass(frozen=True)
class Couple:
    """Document `a` affirms the Y of `p` and satisfies `q`; `b` affirms that of `q` and satisfies `p`."""

    id: str
    p: Proposal
    q: Proposal
    a: str
    b: str
    denials: int
    """How many of the two satisfying documents deny their Y; the others are silent."""
    cost: float


def group_key(proposal: Proposal) -> tuple[str, str, Split]:
    """Proposals that can be coupled: one topic, one relation (attributes of a topic count as one), one split."""
    return proposal.topic, ATTRIBUTE if proposal.is_attribute else proposal.relation, proposal.split


def group_proposals(proposals: Iterable[Proposal]) -> dict[tuple[str, str, Split], list[Proposal]]:
    """Proposals that can be coupled, by their `group_key`."""
    groups: dict[tuple[str, str, Split], list[Proposal]] = defaultdict(list)
    for proposal in proposals:
        groups[group_key(proposal)].append(proposal)
    return groups


def find_couples(
    proposals: Sequence[Proposal], matching: Matching, settings: PairSettings, rejects: Counter[str], *, explicit: bool
) -> Iterator[Couple]:
    """Couples of all groups, small (specific) topics first, best matched first; uses of each Y and document are capped.

    `explicit`: couples in which both satisfying documents deny their Y; otherwise those in which both are silent. A couple with one of
    each would leave half of itself in another slice.
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
            reason = _unfit(p, a, q, b, matching, settings)
            if reason is not None:
                rejects[f"couple:{reason}"] += 1
                continue
            denials = (b in matching.evidence[p.id].denying) + (a in matching.evidence[q.id].denying)
            if denials != wanted:
                continue
            identity = f"c{stable_hash(p.id, a, q.id, b):016x}"
            late = (_first(b, p, matching) > _first(a, p, matching)) + (_first(a, q, matching) > _first(b, q, matching))
            cost = _cost(p, a, b, matching) + (LATE_DENIAL * late if denials else 0.0)
            yield Couple(identity, p, q, a, b, denials, round(cost, 6))


def _unfit(p: Proposal, a: str, q: Proposal, b: str, matching: Matching, settings: PairSettings) -> str | None:
    if not _satisfies(b, p, matching) or not _satisfies(a, q, matching):
        return "holds_the_other_y"
    if a not in matching.evidence[p.id].affirming or b not in matching.evidence[q.id].affirming:
        return "does_not_affirm"
    if matching.clusters.get(a, a) == matching.clusters.get(b, b):
        return "near_duplicates"
    if matching.ratio(a, b) > settings.max_length_ratio:
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
    return round(math.log(matching.ratio(a, b)) + distance, 6)


def _first(document: str, proposal: Proposal, matching: Matching) -> float:
    """Where Y is first mentioned, as a share of the text; 1 if it is not."""
    return matching.evidence[proposal.id].first.get(document, 1.0)


def measure(text: str) -> DocumentLength:
    """The length of a text."""
    return DocumentLength(len(text), len(text.split()))


def length_ratio(first_words: int, second_words: int) -> float:
    """The longer text over the shorter."""
    return max(first_words, second_words) / max(1, min(first_words, second_words))


def natural_drafts(couples: Iterable[Couple], matching: Matching) -> Iterator[PairDraft]:
    """The couple's texts as they stand: ExplicitMention where the satisfying document denies Y, Omission where it is silent."""
    for couple in couples:
        for proposal, satisfying, violating in ((couple.p, couple.b, couple.a), (couple.q, couple.a, couple.b)):
            denies = satisfying in matching.evidence[proposal.id].denying
            name = EXPLICIT if denies else OMISSION
            yield _draft(name, proposal, satisfying, violating, couple.id, couple.cost, matching)


def single_drafts(
    proposals: Sequence[Proposal], used: Iterable[PairDraft], matching: Matching, settings: PairSettings
) -> Iterator[PairDraft]:
    """Pairs outside couples, for documents that deny Y and for topics with a single Y; each has its opposite query."""
    pairs = {(draft.proposal, draft.satisfying.source) for draft in used}
    counts = Counter(draft.proposal for draft in used)
    for proposal in proposals:
        evidence = matching.evidence[proposal.id]
        breaking = [d for d in proposal.violating if _usable(d, proposal, matching) and d in evidence.affirming]
        deniers = [d for d in proposal.satisfying if _usable(d, proposal, matching) and d in evidence.denying]
        silent = (
            [d for d in proposal.on_topic if _usable(d, proposal, matching) and evidence.is_silent(d)]
            if not counts[proposal.id]
            else []
        )
        uses: Counter[str] = Counter()
        for satisfying in [*deniers, *silent]:
            if (proposal.id, satisfying) in pairs or counts[proposal.id] >= settings.max_uses_per_y:
                continue
            fits = [
                v
                for v in breaking
                if matching.ratio(v, satisfying) <= settings.max_length_ratio
                and matching.clusters.get(v, v) != matching.clusters.get(satisfying, satisfying)
                and uses[v] < settings.max_uses_per_document
            ]
            if not fits:
                continue
            violating = min(fits, key=lambda v: (uses[v], matching.ratio(v, satisfying), v))
            uses[violating] += 1
            counts[proposal.id] += 1
            name = EXPLICIT if satisfying in evidence.denying else OMISSION
            cost = math.log(matching.ratio(violating, satisfying))
            yield _draft(name, proposal, satisfying, violating, "", round(cost, 6), matching)


def _usable(document: str, proposal: Proposal, matching: Matching) -> bool:
    return matching.splits.get(document) == proposal.split and document in matching.pooled[proposal.id]


def _draft(
    name: str, proposal: Proposal, satisfying: str, violating: str, couple: str, cost: float, matching: Matching
) -> PairDraft:
    texts = (DraftDocument(document, matching.documents[document].text) for document in (satisfying, violating))
    return make_draft(name, proposal, *texts, cost=cost, couple=couple)
