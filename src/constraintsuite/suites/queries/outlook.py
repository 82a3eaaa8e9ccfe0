"""What a proposal in other words can still give: its topic and its Y are looked up in the documents that it was mined from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.suites.filters import topic_share
from constraintsuite.suites.pairs.couples import group_key
from constraintsuite.suites.pairs.records import RejectedPair
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import FilterSettings
from constraintsuite.text.mentions import find_forms

Documents = Mapping[str, Document]
"""By id; those that a proposal names."""
_NOTHING = "this would give no examples"
_NOT_HERE = (
    "The documents are not in this folder, so how many examples there would be is not known; with a suite of the same corpus "
    "beside it, they are looked up."
)


@dataclass(frozen=True, slots=True)
class ProposalOutlook:
    """How many examples to expect, before filters."""

    examples: int | None
    """None where nobody can say without the documents."""
    notes: tuple[str, ...] = ()
    """What was looked up, and found or not."""


def look_up(mined: Proposal, now: Proposal, documents: Documents | None) -> ProposalOutlook:
    """What a proposal gives in the words that it has now; `documents` are None where they are not at hand.

    A document counts if it says Y as a build will look for it, and holds as many of the topic's terms as its filter asks for.
    """
    checks = list(_new_words(mined, now))
    if not checks:
        return ProposalOutlook(mined.examples_expected)
    if documents is None:
        quoted = [Document("", one.text) for one in now.evidence]
        seen = [
            f"{'A' if any(map(check.holds, quoted)) else 'No'} sentence quoted here {check.quoted}" for check in checks
        ]
        return ProposalOutlook(None, (*seen, _NOT_HERE))
    held = [{name: check.holds(documents[name]) for name in names_of(mined)} for check in checks]
    notes = [
        f"{check.found}: {_shares(mined, found, check.what)}."
        if any(found.values())
        else f"{check.missing}: {_NOTHING}."
        for check, found in zip(checks, held, strict=True)
    ]
    affirming = sum(all(found[name] for found in held) for name in mined.violating)
    if not affirming and not any(_NOTHING in note for note in notes):
        notes.append(f"No document that affirms Y does: {_NOTHING}.")
    return ProposalOutlook(min(affirming, mined.examples_expected), tuple(notes))


def without_counterpart(accepted: Iterable[Proposal]) -> frozenset[str]:
    """Ids of accepted proposals against whose documents nothing can be set, so that a build makes nothing of them.

    No document denies Y, and no other accepted proposal on just this topic asks for another Y, so that there are no couples.
    """
    accepted = list(accepted)
    asked: dict[object, set[str]] = defaultdict(set)
    for one in accepted:
        asked[group_key(one)].add(one.constraint.value)
    return frozenset(
        one.id
        for one in accepted
        if not (one.satisfying or one.on_topic or one.is_attribute) and len(asked[group_key(one)]) == 1
    )


def explain_missing(one: Proposal) -> str:
    """Why there is nothing to be had."""
    return (
        f"Nothing to set against it: no document denies “{one.constraint.value}”, and no other accepted proposal asks for “{one.topic}” "
        "with another Y."
    )


def names_of(proposal: Proposal) -> tuple[str, ...]:
    """The documents that a look needs."""
    return (*proposal.violating, *proposal.satisfying)


def is_corpus_of(proposal: Proposal, documents: Documents) -> bool:
    """Whether these are the documents that a proposal was mined from: all are there, and say what is quoted of them."""
    quoted = ((one.document, one.text) for one in proposal.evidence)
    return all(name in documents for name in names_of(proposal)) and all(
        name in documents and text in documents[name].text for name, text in quoted
    )


class _NewWords(NamedTuple):
    """Something that is looked for in another way than when it was mined, and how that is told."""

    holds: Callable[[Document], bool]
    found: str
    what: str
    missing: str
    quoted: str


def _new_words(mined: Proposal, now: Proposal) -> Iterator[_NewWords]:
    """The topic and the Y, where they are others; documents that say the old Y alone need not mean the new one."""
    topic, y, forms = f"“{now.topic}”", f"“{now.constraint.value}”", now.constraint.forms
    if now.topic != mined.topic:
        yield _NewWords(
            lambda document: _on_topic(now.topic, document.title, document.text),
            topic,
            "are on this topic",
            f"No document with the topic {topic}",
            f"holds the words of the topic {topic}.",
        )
    if not set(mined.constraint.forms) <= set(forms):
        yield _NewWords(
            lambda document: bool(find_forms(document.text, forms)),
            f"{y} for “{mined.constraint.value}”",
            "say so",
            f"None of its documents says {y}",
            f"says {y}.",
        )


def _shares(mined: Proposal, found: Mapping[str, bool], what: str) -> str:
    """How many documents hold a word, by what they say of the Y that was mined."""
    affirming, denying = (sum(found[name] for name in names) for names in (mined.violating, mined.satisfying))
    told = f"of the documents that affirm Y {affirming:,} of {len(mined.violating):,} {what}"
    return f"{told}, of those that deny it {denying:,} of {len(mined.satisfying):,}" if mined.satisfying else told


@lru_cache(maxsize=16_384)
def _on_topic(topic: str, title: str, text: str) -> bool:
    share = topic_share(topic, title, text)
    return share is not None and share >= FilterSettings().min_topic_overlap


_OFF_TOPIC = ("satisfying_off_topic", "violating_off_topic", "topic_without_terms")


@dataclass(frozen=True, slots=True)
class UnusedProposal:
    """A proposal that a person approved, and no example is of."""

    proposal: Proposal
    reason: str
    """One word, as rejects are counted."""
    why: str
    """A sentence."""

    def in_words(self) -> str:
        """For the one who approved it."""
        return f"approved, but gave no example: {self.proposal.query!r} (topic {self.proposal.topic!r}): {self.why}"


def read_unused(proposals: Path, rejected: Path, examples: Sequence[Example]) -> list[UnusedProposal]:
    """The same from the files of a build: its proposals, and the pairs that its filters refused."""
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for one in read_jsonl(rejected, RejectedPair):
        reasons[one.draft.proposal][one.reason] += 1
    return find_unused(read_jsonl(proposals, Proposal), reasons, {example.proposal for example in examples})


def find_unused(
    proposals: Iterable[Proposal], rejected: Mapping[str, Mapping[str, int]], built: set[str]
) -> list[UnusedProposal]:
    """Accepted proposals that are not among those `built`; `rejected` counts their refused pairs by proposal and reason."""
    accepted = [one for one in proposals if one.status == "accepted"]
    alone = without_counterpart(accepted)
    return [
        UnusedProposal(one, *_why(one, rejected.get(one.id, {}), one.id in alone))
        for one in accepted
        if one.id not in built
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
        return "alone", explain_missing(one)
    return "no_pair", (
        f"of {len(one.violating):,} documents that were mined for affirming Y and {len(one.satisfying):,} for denying it, no two could "
        f"be set against each other: they must say {' or '.join(map(repr, one.constraint.forms))} (was Y reworded?), be found by "
        "the topic or the query, be of like length, and lie in one split"
    )
