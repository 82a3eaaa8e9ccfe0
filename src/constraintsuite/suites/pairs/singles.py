"""Pairs outside couples: each document that denies Y is compared with documents that affirm it.

Writers deny late, and often in texts with other denials. Where several documents affirm Y, the ones are chosen with which
shortcuts such as "the text that names Y later" are right as often as wrong, so that balancing leaves out little.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import EXPLICIT, Split
from constraintsuite.suites.pairs.leans import NEUTRAL, Lean, add
from constraintsuite.suites.pairs.matching import Matching, natural_draft, silent_slice
from constraintsuite.suites.pairs.records import PairDraft
from constraintsuite.suites.queries.records import ATTRIBUTE, Proposal
from constraintsuite.suites.recipe import PairSettings

WINDOW = 60
"""Each document is compared with this many documents of similar length."""
ROUNDS = 5
"""How often every choice is reconsidered, at most."""

Group = tuple[Split, str, str]
"""Pairs that are balanced together: a split, a slice, and a stated relation (all attributes count as one)."""


class PossiblePair(NamedTuple):
    """A document that affirms Y, for a document that satisfies the constraint."""

    proposal: Proposal
    satisfying: str
    violating: str
    lean: Lean
    cost: float


Choices = Sequence[PossiblePair]
"""The possible pairs of one satisfying document and one Y."""


def single_drafts(
    proposals: Sequence[Proposal], used: Sequence[PairDraft], matching: Matching, settings: PairSettings
) -> Iterator[PairDraft]:
    """Pairs outside the couples `used`, for documents that deny Y and for topics with a single Y."""
    by_id = {proposal.id: proposal for proposal in proposals}
    surplus: dict[Group, Lean] = defaultdict(lambda: NEUTRAL)
    for draft in used:
        proposal = by_id[draft.proposal]
        group = _group(proposal, draft.slice)
        surplus[group] = add(surplus[group], matching.lean(draft.satisfying.source, draft.violating.source, proposal))
    found: dict[Group, list[Choices]] = defaultdict(list)
    coupled = {(draft.proposal, draft.satisfying.source) for draft in used}
    uses = Counter(draft.proposal for draft in used)
    for proposal in proposals:
        for name, choices in _find_choices(proposal, matching, settings, is_coupled=bool(uses[proposal.id])):
            if choices and (proposal.id, choices[0].satisfying) not in coupled:
                found[_group(proposal, name)].append(choices)
    for group in sorted(found):
        chooser = _Chooser(surplus[group], uses, settings)
        turns = settings.max_uses_per_denial if group[1] == EXPLICIT else 1
        for pair in chooser.choose(found[group], turns):
            yield natural_draft(pair.proposal, pair.satisfying, pair.violating, matching, cost=pair.cost)


def _group(proposal: Proposal, name: str) -> Group:
    return proposal.split, name, ATTRIBUTE if proposal.is_attribute else proposal.relation


def _find_choices(
    proposal: Proposal, matching: Matching, settings: PairSettings, *, is_coupled: bool
) -> Iterator[tuple[str, Choices]]:
    """The choices of each satisfying document with its slice; silent ones only for a Y that is in no couple."""
    evidence, pooled = matching.evidence[proposal.id], matching.pooled[proposal.id]

    def usable(documents: Iterable[str]) -> Iterator[str]:
        return (one for one in documents if matching.splits.get(one) == proposal.split and one in pooled)

    affirming = sorted(
        (matching.measures[one].words, one) for one in usable(proposal.violating) if one in evidence.affirming
    )
    for document in usable(proposal.satisfying):
        if document in evidence.denying:
            yield EXPLICIT, _pair(proposal, document, affirming, matching, settings)
    if not is_coupled and (settings.open_omission or not proposal.is_attribute):
        silent = (document for document in usable(proposal.on_topic) if evidence.is_silent(document))
        for document in islice(silent, 2 * settings.max_uses_per_y):
            yield silent_slice(proposal), _pair(proposal, document, affirming, matching, settings)


def _pair(
    proposal: Proposal,
    satisfying: str,
    affirming: Sequence[tuple[int, str]],
    matching: Matching,
    settings: PairSettings,
) -> Choices:
    """The documents of similar length that mention Y as often, nearest first."""
    length = matching.measures[satisfying].words
    first = bisect_left(affirming, (math.ceil(length / settings.max_length_ratio), ""))
    last = bisect_right(affirming, (math.floor(length * settings.max_length_ratio), "\U0010ffff"))
    near = sorted(affirming[first:last], key=lambda one: (abs(one[0] - length), one[1]))
    return [
        PossiblePair(
            proposal,
            satisfying,
            document,
            matching.lean(satisfying, document, proposal),
            round(math.log(matching.length_ratio(document, satisfying)), 6),
        )
        for _, document in islice(near, WINDOW)
        if document != satisfying
        and not matching.are_duplicates(document, satisfying)
        and matching.mention_equally_often(document, satisfying, proposal)
    ]


class _Chooser:
    """Chooses the pairs of one group, and remembers how far shortcuts are from balance."""

    def __init__(self, surplus: Lean, uses: Mapping[str, int], settings: PairSettings) -> None:
        """`surplus` is the sum of the leans of the pairs that the group has already; `uses` are the uses of each proposal."""
        self._surplus = surplus
        self._settings = settings
        self._uses: Counter[tuple[str, ...]] = Counter({(proposal,): count for proposal, count in uses.items()})
        self._chosen: list[tuple[PossiblePair, Choices]] = []

    def choose(self, all_choices: Iterable[Choices], turns: int) -> Sequence[PossiblePair]:
        """First a pair for every document, beginning where there is least to choose from; in later turns more that do no harm."""
        ordered = sorted(all_choices, key=lambda choices: (len({one.lean for one in choices}), _order(choices[0])))
        for turn in range(turns):
            for choices in ordered:
                best = min((one for one in choices if self._is_free(one)), key=self._rank, default=None)
                if best is not None and (turn == 0 or self._distance(best.lean) <= self._distance()):
                    self._take(best, choices)
            self._reconsider()
        return [pair for pair, _ in self._chosen]

    def _reconsider(self) -> None:
        """Exchange pairs for others of the same document while this brings shortcuts nearer to balance."""
        for _ in range(ROUNDS):
            before = self._distance()
            for _ in range(len(self._chosen)):
                pair, choices = self._chosen.pop(0)
                self._count(pair, -1)
                self._take(min((one for one in choices if self._is_free(one)), key=self._rank), choices)
            if self._distance() >= before:
                break

    def _is_free(self, pair: PossiblePair) -> bool:
        proposal = pair.proposal.id
        return (
            self._uses[(proposal,)] < self._settings.max_uses_per_y
            and self._uses[proposal, pair.violating] < self._settings.max_uses_per_document
            and not self._uses[proposal, pair.violating, pair.satisfying]
        )

    def _rank(self, pair: PossiblePair) -> tuple[int, int, float, str]:
        return self._distance(pair.lean), self._uses[pair.proposal.id, pair.violating], pair.cost, pair.violating

    def _distance(self, lean: Lean = NEUTRAL) -> int:
        """How far all shortcuts are from balance, after a pair with this lean."""
        return sum(map(abs, add(self._surplus, lean)))

    def _take(self, pair: PossiblePair, choices: Choices) -> None:
        self._chosen.append((pair, choices))
        self._count(pair, 1)

    def _count(self, pair: PossiblePair, change: int) -> None:
        self._surplus = add(self._surplus, pair.lean, change)
        proposal = pair.proposal.id
        for use in ((proposal,), (proposal, pair.violating), (proposal, pair.violating, pair.satisfying)):
            self._uses[use] += change


def _order(pair: PossiblePair) -> int:
    return stable_hash(pair.proposal.id, pair.satisfying)
