"""What a proposal in other words can still give: its topic and its Y are looked up in the documents that it was mined from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from constraintsuite.records.text import Document
from constraintsuite.suites.filters import topic_share
from constraintsuite.suites.pairs.couples import group_key
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
    words = _new_words(mined, now)
    if not words:
        return ProposalOutlook(mined.examples_expected)
    if documents is None:
        return ProposalOutlook(None, (*(one.unseen(now) for one in words), _NOT_HERE))
    held = {one: {name: one.in_document(documents[name]) for name in names_of(mined)} for one in words}
    notes = tuple(one.told(mined, found) for one, found in held.items())
    affirming = sum(all(found[name] for found in held.values()) for name in mined.violating)
    if not affirming and not any(_NOTHING in note for note in notes):
        notes = (*notes, f"No document that affirms Y does: {_NOTHING}.")
    return ProposalOutlook(min(affirming, mined.examples_expected), notes)


def lone(accepted: Iterable[Proposal]) -> frozenset[str]:
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


def lone_in_words(one: Proposal) -> str:
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


@dataclass(frozen=True, slots=True)
class _Topic:
    """A topic in other words."""

    text: str

    def in_document(self, document: Document) -> bool:
        return _on_topic(self.text, document.title, document.text)

    def told(self, mined: Proposal, found: Mapping[str, bool]) -> str:
        if not any(found.values()):
            return f"No document with the topic “{self.text}”: {_NOTHING}."
        return f"“{self.text}”: {_shares(mined, found, 'are on this topic')}."

    def unseen(self, now: Proposal) -> str:
        held = any(_on_topic(self.text, "", one.text) for one in now.evidence)
        return f"{'A' if held else 'No'} sentence quoted here holds the words of the topic “{self.text}”."


@dataclass(frozen=True, slots=True)
class _Y:
    """A Y in other words: documents that say the old one alone need not mean it."""

    text: str
    forms: tuple[str, ...]

    def in_document(self, document: Document) -> bool:
        return bool(find_forms(document.text, self.forms))

    def told(self, mined: Proposal, found: Mapping[str, bool]) -> str:
        if not any(found.values()):
            return f"None of its documents says “{self.text}”: {_NOTHING}."
        return f"“{self.text}” for “{mined.constraint.value}”: {_shares(mined, found, 'say so')}."

    def unseen(self, now: Proposal) -> str:
        held = any(find_forms(one.text, self.forms) for one in now.evidence)
        return f"{'A' if held else 'No'} sentence quoted here says “{self.text}”."


def _new_words(mined: Proposal, now: Proposal) -> list[_Topic | _Y]:
    """What is looked for in another way than when it was mined."""
    found: list[_Topic | _Y] = []
    if now.topic != mined.topic:
        found.append(_Topic(now.topic))
    if not set(mined.constraint.forms) <= set(now.constraint.forms):
        found.append(_Y(now.constraint.value, now.constraint.forms))
    return found


def _shares(mined: Proposal, found: Mapping[str, bool], what: str) -> str:
    """How many documents hold a word, by what they say of the Y that was mined."""
    affirming, denying = (sum(found[name] for name in names) for names in (mined.violating, mined.satisfying))
    told = f"of the documents that affirm Y {affirming:,} of {len(mined.violating):,} {what}"
    return f"{told}, of those that deny it {denying:,} of {len(mined.satisfying):,}" if mined.satisfying else told


@lru_cache(maxsize=16_384)
def _on_topic(topic: str, title: str, text: str) -> bool:
    share = topic_share(topic, title, text)
    return share is not None and share >= FilterSettings().min_topic_overlap
