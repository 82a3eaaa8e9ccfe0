"""Pairs of natural texts on the two sides of a question."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import EXPLICIT
from constraintsuite.suites.pairs.collect import collect_matching
from constraintsuite.suites.pairs.matching import Matching
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft, make_draft
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import PairSettings, Recipe

NEAREST = 60
"""As many documents of each side are compared, those nearest to the border."""
DISTANCE_COST = 0.03
"""What each step away from the border costs, in the logarithm of a length ratio."""


def side_drafts(
    proposals: Sequence[Proposal], job: Job[Recipe], rejects: Counter[str], side_of: Callable[[Constraint], str]
) -> Iterator[PairDraft]:
    """Drafts for two-sided questions, as many for each side; a seeded coin decides which of them a pair may be asked for."""
    matching = collect_matching(job, proposals, {})
    used: Counter[tuple[str, str]] = Counter()
    questions: dict[tuple[str, str, frozenset[str]], list[Proposal]] = defaultdict(list)
    for proposal in sorted(proposals, key=lambda one: (one.relation, one.topic_documents, one.id)):
        asked = frozenset((proposal.query, proposal.opposite or ""))
        questions[proposal.relation, proposal.split, asked].append(proposal)
    for sides in questions.values():
        yield from _draft(sides, matching, job.recipe.pairs, used, rejects, side_of)


def _draft(
    sides: Sequence[Proposal],
    matching: Matching,
    settings: PairSettings,
    used: Counter[tuple[str, str]],
    rejects: Counter[str],
    side_of: Callable[[Constraint], str],
) -> Iterator[PairDraft]:
    """Pairs for the sides of one question by turns, as many for each: else the texts alone could tell which is asked for."""
    waiting = [iter(sorted(_possible(proposal, matching, settings, rejects))) for proposal in sides]
    for _ in range(settings.max_uses_per_y):
        turn: list[PairDraft] = []
        own: Counter[tuple[str, str]] = Counter()
        for proposal, pairs in zip(sides, waiting, strict=True):
            for cost, satisfying, violating in pairs:
                documents = [(proposal.relation, satisfying), (proposal.relation, violating)]
                if all(used[one] + own[one] < settings.max_uses_per_document for one in documents):
                    own.update(documents)
                    texts = (DraftDocument(one, matching.documents[one].text) for one in (satisfying, violating))
                    turn.append(make_draft(EXPLICIT, proposal, *texts, cost=cost, side=side_of(proposal.constraint)))
                    break
        if len(turn) < len(sides):
            return
        used.update(own)
        yield from turn


def _possible(
    proposal: Proposal, matching: Matching, settings: PairSettings, rejects: Counter[str]
) -> Iterator[tuple[float, str, str]]:
    """Cost, satisfying and violating document of each pair that the coin gives to this side of the question."""
    sides = [
        list(islice((one for one in documents if _is_usable(one, proposal, matching)), NEAREST))
        for documents in (proposal.satisfying, proposal.violating)
    ]
    for i, satisfying in enumerate(sides[0]):
        for j, violating in enumerate(sides[1]):
            first, second = sorted((satisfying, violating))
            if stable_hash(proposal.relation, first, second) % 2 != (satisfying == first):
                continue
            if matching.are_duplicates(satisfying, violating):
                rejects["side:near_duplicates"] += 1
                continue
            ratio = matching.length_ratio(satisfying, violating)
            if ratio > settings.max_length_ratio:
                rejects["side:length_ratio"] += 1
                continue
            yield round(math.log(ratio) + DISTANCE_COST * (i + j), 6), satisfying, violating


def _is_usable(document: str, proposal: Proposal, matching: Matching) -> bool:
    return matching.splits.get(document) == proposal.split and document in matching.pooled[proposal.id]
