"""Pairs of natural texts on the two sides of a question."""

from __future__ import annotations

import math
from collections import Counter
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
    """Drafts for two-sided questions; a seeded coin decides which of the two sides the query of a pair asks for."""
    matching = collect_matching(job, proposals, {})
    used: Counter[tuple[str, str]] = Counter()
    for proposal in sorted(proposals, key=lambda one: (one.relation, one.topic_documents, one.id)):
        yield from _draft(proposal, matching, job.recipe.pairs, used, rejects, side_of(proposal.constraint))


def _draft(
    proposal: Proposal,
    matching: Matching,
    settings: PairSettings,
    used: Counter[tuple[str, str]],
    rejects: Counter[str],
    side: str,
) -> Iterator[PairDraft]:
    found = 0

    def is_asked(satisfying: str, violating: str) -> bool:
        """Whether the coin gives a pair to this side of the question."""
        first, second = sorted((satisfying, violating))
        return stable_hash(proposal.relation, first, second) % 2 == (satisfying == first)

    for cost, satisfying, violating in sorted(possible_pairs(proposal, matching, settings, rejects, is_asked)):
        documents = [(proposal.relation, satisfying), (proposal.relation, violating)]
        if found == settings.max_uses_per_y:
            return
        if any(used[one] >= settings.max_uses_per_document for one in documents):
            continue
        used.update(documents)
        found += 1
        texts = (DraftDocument(one, matching.documents[one].text) for one in (satisfying, violating))
        yield make_draft(EXPLICIT, proposal, *texts, cost=cost, side=side)


def possible_pairs(
    proposal: Proposal,
    matching: Matching,
    settings: PairSettings,
    rejects: Counter[str],
    is_asked: Callable[[str, str], bool] = lambda satisfying, violating: True,
) -> Iterator[tuple[float, str, str]]:
    """Cost, satisfying and violating document of each pair of texts of similar length, out of those that are asked for."""
    sides = [
        list(islice((one for one in documents if _is_usable(one, proposal, matching)), NEAREST))
        for documents in (proposal.satisfying, proposal.violating)
    ]
    for i, satisfying in enumerate(sides[0]):
        for j, violating in enumerate(sides[1]):
            if not is_asked(satisfying, violating):
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
