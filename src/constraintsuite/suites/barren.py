"""Approved proposals of which a build made nothing: which, and why as far as it is known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.records.examples import Example
from constraintsuite.store.jsonl import read_jsonl
from constraintsuite.suites.pairs.records import RejectedPair
from constraintsuite.suites.queries.outlook import lone, lone_in_words
from constraintsuite.suites.queries.records import Proposal

_OFF_TOPIC = ("satisfying_off_topic", "violating_off_topic", "topic_without_terms")


@dataclass(frozen=True, slots=True)
class Barren:
    """A proposal that a person approved, and no example is of."""

    proposal: Proposal
    reason: str
    """One word, as rejects are counted."""
    why: str
    """A sentence."""

    def in_words(self) -> str:
        """For the one who approved it."""
        return f"approved, but gave no example: {self.proposal.query!r} (topic {self.proposal.topic!r}): {self.why}"


def read_barren(proposals: Path, rejected: Path, examples: Sequence[Example]) -> list[Barren]:
    """The same from the files of a build: its proposals, and the pairs that its filters refused."""
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for one in read_jsonl(rejected, RejectedPair):
        reasons[one.draft.proposal][one.reason] += 1
    return find_barren(read_jsonl(proposals, Proposal), reasons, {example.proposal for example in examples})


def find_barren(
    proposals: Iterable[Proposal], rejected: Mapping[str, Mapping[str, int]], built: set[str]
) -> list[Barren]:
    """Accepted proposals that are not among those `built`; `rejected` counts their refused pairs by proposal and reason."""
    accepted = [one for one in proposals if one.status == "accepted"]
    alone = lone(accepted)
    return [
        Barren(one, *_why(one, rejected.get(one.id, {}), one.id in alone)) for one in accepted if one.id not in built
    ]


def _why(one: Proposal, rejected: Mapping[str, int], alone: bool) -> tuple[str, str]:
    pairs = sum(rejected.values())
    off_topic = sum(rejected.get(reason, 0) for reason in _OFF_TOPIC)
    if pairs and off_topic == pairs:
        return "off_topic", f"in each of its {pairs:,} pairs a document lacks the words of this topic. Was it reworded?"
    if pairs:
        ranked = sorted(rejected.items(), key=lambda item: (-item[1], item[0]))
        return "pairs_refused", f"all {pairs:,} pairs were refused: " + ", ".join(f"{name} {n:,}" for name, n in ranked)
    if alone:
        return "alone", lone_in_words(one)
    return "no_pair", (
        f"of {len(one.violating):,} documents that were mined for affirming Y and {len(one.satisfying):,} for denying it, no two could "
        f"be set against each other: they must say {' or '.join(map(repr, one.constraint.forms))} (was Y reworded?), be found by "
        "the topic or the query, be of like length, and lie in one split"
    )
