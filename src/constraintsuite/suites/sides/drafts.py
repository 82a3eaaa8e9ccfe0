"""Pairs of natural texts on the two sides of a question."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import EXPLICIT, SATISFYING, VIOLATING
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
    roles = _Roles(job.recipe.pairs.max_uses_per_document)
    questions: dict[tuple[str, str, frozenset[str]], list[Proposal]] = defaultdict(list)
    for proposal in sorted(proposals, key=lambda one: (one.relation, one.topic_documents, one.id)):
        asked = frozenset((proposal.query, proposal.opposite))
        questions[proposal.relation, proposal.split, asked].append(proposal)
    for sides in questions.values():
        for proposal, cost, *pair in _take_turns(sides, matching, job.recipe.pairs, roles, rejects):
            texts = (DraftDocument(one, matching.documents[one].text) for one in pair)
            yield make_draft(EXPLICIT, proposal, *texts, cost=cost, side=side_of(proposal.constraint))


def _take_turns(
    sides: Sequence[Proposal], matching: Matching, settings: PairSettings, roles: _Roles, rejects: Counter[str]
) -> Iterator[tuple[Proposal, float, str, str]]:
    """Pairs of one question with their cost: the best for each side in turn, until a side has no more.

    If one side were asked for more often than the other, its documents alone would tell who is right.
    """
    queues = [(one, sorted(possible_pairs(one, matching, settings, rejects, _coin(one.relation)))) for one in sides]
    for _ in range(settings.max_uses_per_y):
        for proposal, queue in queues:
            found = next((one for one in queue if roles.are_free(proposal.relation, *one[1:])), None)
            if found is None:
                return
            queue.remove(found)
            roles.take(proposal.relation, *found[1:])
            yield proposal, *found


def _coin(relation: str) -> Callable[[str, str], bool]:
    """Gives each pair of documents to one of the two sides of a question."""

    def is_asked(satisfying: str, violating: str) -> bool:
        first, second = sorted((satisfying, violating))
        return stable_hash(relation, first, second) % 2 == (satisfying == first)

    return is_asked


class _Roles:
    """How often each document is satisfying and violating in the pairs of a relation.

    A document that is used again takes the role that it had less often, for the same reason.
    """

    def __init__(self, most: int) -> None:
        """Each document is used `most` times at the most."""
        self._most = most
        self._used: dict[str, Counter[tuple[str, str]]] = {SATISFYING: Counter(), VIOLATING: Counter()}

    def are_free(self, relation: str, satisfying: str, violating: str) -> bool:
        """Whether both documents may take these roles."""
        return self._is_free(SATISFYING, VIOLATING, (relation, satisfying)) and self._is_free(
            VIOLATING, SATISFYING, (relation, violating)
        )

    def take(self, relation: str, satisfying: str, violating: str) -> None:
        """Note that both documents took these roles once more."""
        self._used[SATISFYING][relation, satisfying] += 1
        self._used[VIOLATING][relation, violating] += 1

    def _is_free(self, role: str, other: str, document: tuple[str, str]) -> bool:
        own, others = self._used[role][document], self._used[other][document]
        return own <= others and own + others < self._most


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
