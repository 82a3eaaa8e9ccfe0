"""How many examples a proposal can give after a person reworded it, and why an approved proposal gave none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from constraintsuite.core.records.text import Document
from constraintsuite.suites.filters import topic_share
from constraintsuite.suites.pairs.couples import group_key
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import FilterSettings
from constraintsuite.text.mentions import find_forms

Documents = Mapping[str, Document]
"""The documents that a proposal names, by id."""
_NOTHING = "this would give no examples"
_NOT_HERE = (
    "The documents are not in this folder, so the number of examples is not known. Put a suite of the same corpus next to it "
    "to look them up."
)


@dataclass(frozen=True, slots=True)
class ProposalOutlook:
    """How many examples to expect before filters; `examples` is None if that is unknown without the documents."""

    examples: int | None
    notes: tuple[str, ...] = ()
    """Sentences about what was searched for and found."""


def look_up(mined: Proposal, now: Proposal, documents: Documents | None) -> ProposalOutlook:
    """Search the documents for the words that a person gave a mined proposal, and estimate the examples that are left.

    A document counts if a build would find Y in it, and if it has enough of the topic's terms for the filter. `documents` is
    None if they are not available.
    """
    checks = list(_changed_words(mined, now))
    if not checks:
        return ProposalOutlook(mined.examples_expected)
    if documents is None:
        quoted = [Document("", snippet.text) for snippet in now.evidence]
        notes = [
            f"{'A' if any(map(check.holds, quoted)) else 'No'} sentence quoted here {check.quoted}" for check in checks
        ]
        return ProposalOutlook(None, (*notes, _NOT_HERE))
    matches = [{name: check.holds(documents[name]) for name in names_of(mined)} for check in checks]
    notes = [
        f"{check.found}: {_count_matches(mined, found, check.verb)}."
        if any(found.values())
        else f"{check.missing}: {_NOTHING}."
        for check, found in zip(checks, matches, strict=True)
    ]
    affirming = sum(all(found[name] for found in matches) for name in mined.violating)
    if not affirming and not any(_NOTHING in note for note in notes):
        notes.append(f"No document that affirms Y does: {_NOTHING}.")
    return ProposalOutlook(min(affirming, mined.examples_expected), tuple(notes))


def without_counterpart(proposals: Iterable[Proposal]) -> frozenset[str]:
    """Ids of the proposals to build from which a build can make no pair.

    No document denies Y, so there are no single pairs; and no other proposal that is built has another Y on the same topic, so
    there are no couples.
    """
    built = [proposal for proposal in proposals if proposal.is_buildable]
    asked: dict[object, set[str]] = defaultdict(set)
    for proposal in built:
        asked[group_key(proposal)].add(proposal.constraint.value)
    return frozenset(
        proposal.id
        for proposal in built
        if not (proposal.satisfying or proposal.on_topic or proposal.is_attribute)
        and len(asked[group_key(proposal)]) == 1
    )


def explain_missing(proposal: Proposal) -> str:
    """Why a proposal `without_counterpart` gives no examples."""
    return (
        f"Nothing to set against it: no document denies “{proposal.constraint.value}”, and no other proposal that is built "
        f"asks for “{proposal.topic}” with another Y."
    )


def names_of(proposal: Proposal) -> tuple[str, ...]:
    """The documents that `look_up` needs."""
    return (*proposal.violating, *proposal.satisfying)


def is_corpus_of(proposal: Proposal, documents: Documents) -> bool:
    """Whether a proposal was mined from these documents: all that it names are there, and its quotations are in them."""
    return all(name in documents for name in names_of(proposal)) and all(
        one.document in documents and one.text in documents[one.document].text for one in proposal.evidence
    )


class _WordCheck(NamedTuple):
    """Whether a document has the new words, and the parts of the notes about them."""

    holds: Callable[[Document], bool]
    found: str
    verb: str
    missing: str
    quoted: str


def _changed_words(mined: Proposal, now: Proposal) -> Iterator[_WordCheck]:
    """A check of the topic and one of Y, if a person changed them."""
    topic, y, forms = f"“{now.topic}”", f"“{now.constraint.value}”", now.constraint.forms
    if now.topic != mined.topic:
        yield _WordCheck(
            lambda document: _is_on_topic(now.topic, document.title, document.text),
            topic,
            "are on this topic",
            f"No document with the topic {topic}",
            f"holds the words of the topic {topic}.",
        )
    if not set(mined.constraint.forms) <= set(forms):
        yield _WordCheck(
            lambda document: bool(find_forms(document.text, forms)),
            f"{y} for “{mined.constraint.value}”",
            "say so",
            f"None of its documents says {y}",
            f"says {y}.",
        )


def _count_matches(mined: Proposal, found: Mapping[str, bool], verb: str) -> str:
    """How many of the documents that affirm and that deny the mined Y have the new words."""
    affirming, denying = (sum(found[name] for name in names) for names in (mined.violating, mined.satisfying))
    counted = f"of the documents that affirm Y {affirming:,} of {len(mined.violating):,} {verb}"
    return f"{counted}, of those that deny it {denying:,} of {len(mined.satisfying):,}" if mined.satisfying else counted


@lru_cache(maxsize=16_384)
def _is_on_topic(topic: str, title: str, text: str) -> bool:
    share = topic_share(topic, title, text)
    return share is not None and share >= FilterSettings().min_topic_overlap


EXCLUDE = "exclude"
_OFF_TOPIC = ("satisfying_off_topic", "violating_off_topic", "topic_without_terms")


@dataclass(frozen=True, slots=True)
class UnusedProposal:
    """A proposal that a person approved and that gave no example; `reason` is for counts, `why` for people."""

    proposal: Proposal
    reason: str
    why: str

    def in_words(self) -> str:
        """The message for the person who approved it."""
        return f"approved, but gave no example: {self.proposal.query!r} (topic {self.proposal.topic!r}): {self.why}"


def find_unused(
    proposals: Iterable[Proposal], rejected: Mapping[str, Mapping[str, int]], built: set[str]
) -> list[UnusedProposal]:
    """The accepted proposals that are not `built`; `rejected` counts rejected pairs by proposal and reason."""
    proposals = list(proposals)
    alone = without_counterpart(proposals)
    return [
        UnusedProposal(proposal, *_explain(proposal, rejected.get(proposal.id, {}), proposal.id in alone))
        for proposal in proposals
        if proposal.status == "accepted" and proposal.id not in built
    ]


def _explain(proposal: Proposal, rejected: Mapping[str, int], alone: bool) -> tuple[str, str]:
    pairs = sum(rejected.values())
    off_topic = sum(rejected.get(reason, 0) for reason in _OFF_TOPIC)
    if pairs and off_topic == pairs:
        return "off_topic", f"in each of its {pairs:,} pairs a document lacks the words of this topic. Was it reworded?"
    if pairs:
        ranked = sorted(rejected.items(), key=lambda item: (-item[1], item[0]))
        return "pairs_refused", f"all {pairs:,} pairs were refused: " + ", ".join(f"{name} {n:,}" for name, n in ranked)
    if alone:
        return "alone", explain_missing(proposal)
    if proposal.constraint.type != EXCLUDE:
        return "no_pair", (
            f"of {len(proposal.satisfying):,} documents that obey it and {len(proposal.violating):,} that break it, no two could be set "
            "against each other: they must be found by the topic or the query, be of similar length, in one split, and not yet be used "
            "as often as is allowed; a coin decides which of the two sides a pair is for"
        )
    forms = " or ".join(map(repr, proposal.constraint.forms))
    return "no_pair", (
        f"of {len(proposal.violating):,} documents that were mined for affirming Y and {len(proposal.satisfying):,} for denying it, no two "
        f"could be set against each other: they must say {forms} (was Y reworded?), be found by the topic or the query, be of "
        "similar length, and are in one split"
    )
