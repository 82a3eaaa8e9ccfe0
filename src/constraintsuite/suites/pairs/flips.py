"""MinPairs by sentence negation, both ways: "with showers" to "without showers", and a written "no showers" to "showers".

Both ways, because a suite in which the edited text always obeys could be won by spotting the edit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from pydantic import BaseModel

from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import MINPAIRS
from constraintsuite.store.yaml_files import read_package_yaml
from constraintsuite.suites.pairs.couples import Matching
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft, make_draft
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.reading.document import bare_noun, is_plural
from constraintsuite.suites.reading.records import DocumentReading, NounReading
from constraintsuite.text.mentions import find_forms

FlipDirection = Literal["deny", "affirm"]
_PHRASE_ENDS = re.compile(r"\.|$")


class FlipRule(BaseModel, frozen=True, extra="forbid"):
    """Words before Y, and what they become; Y itself stays."""

    name: str
    before: str
    becomes: str
    number: Literal["any", "singular", "plural"] = "any"

    def suits(self, *, plural: bool) -> bool:
        """Whether the rule is for a Y in this number."""
        return self.number in ("any", "plural" if plural else "singular")


class FlipRules(BaseModel, frozen=True, extra="forbid"):
    """The file `flips.yaml`."""

    deny: tuple[FlipRule, ...]
    affirm: tuple[FlipRule, ...]


@cache
def load_rules(direction: FlipDirection) -> tuple[FlipRule, ...]:
    """The rules that negate (`deny`) or affirm (`affirm`) what stands before Y."""
    rules = FlipRules.model_validate(read_package_yaml("constraintsuite.suites.pairs", "flips.yaml"))
    return rules.deny if direction == "deny" else rules.affirm


def flip_drafts(
    attributes: Sequence[Proposal], readings: Mapping[str, DocumentReading], matching: Matching
) -> Iterator[PairDraft]:
    """At most one flip for each document and Y, where Y stands once and ends its phrase."""
    for proposal in attributes:
        evidence = matching.evidence[proposal.id]
        turns: tuple[tuple[FlipDirection, set[str]], ...] = (
            ("deny", evidence.affirming & set(proposal.violating)),
            ("affirm", evidence.denying & set(proposal.satisfying)),
        )
        for direction, documents in turns:
            for document in sorted(documents):
                if matching.splits.get(document) == proposal.split:
                    text = matching.documents[document].text
                    flipped = _flip(text, proposal, direction, readings[document])
                    if flipped is not None:
                        yield _draft(document, text, proposal, direction, flipped)


class Flipped(NamedTuple):
    """A text that was turned round, and the words that changed, before and after."""

    rule: str
    text: str
    old: tuple[int, int]
    new: tuple[int, int]


def _flip(text: str, proposal: Proposal, direction: FlipDirection, reading: DocumentReading) -> Flipped | None:
    """The text by the first rule whose words stand right before Y; None where turning it round is not safe."""
    mentions = find_forms(text, proposal.constraint.forms)
    noun = bare_noun(mentions[0], reading.nouns) if len(mentions) == 1 else None
    # A tail ("showers in summer") would narrow what is denied: the phrase must end with Y.
    if noun is None or _PHRASE_ENDS.match(text[noun.end :]) is None:
        return None
    if direction == "deny" and _has_cue(noun, reading):
        return None
    plural = is_plural(noun, text)
    for rule in load_rules(direction):
        match = re.search(rf"(?<![\w-]){rule.before}$", text[: noun.start]) if rule.suits(plural=plural) else None
        if match is not None:
            words = match.expand(rule.becomes)
            edited = text[: match.start()] + words + text[noun.start :]
            return Flipped(rule.name, edited, match.span(), (match.start(), match.start() + len(words)))
    return None


def _has_cue(noun: NounReading, reading: DocumentReading) -> bool:
    """Whether the sentence already negates or doubts something: "has no plugins but no tags" is no sentence."""
    start, end = next((s, e) for s, e in reading.sentences if s <= noun.start < e)
    return any(start <= scope.cue_start < end for scope in reading.scopes)


def _draft(document: str, text: str, proposal: Proposal, direction: FlipDirection, flipped: Flipped) -> PairDraft:
    """The text as it stands against the flipped one; denied, the flipped one is the satisfying document."""
    original = DraftDocument(document, text, changed=(flipped.old,))
    edited = DraftDocument(document, flipped.text, f"flip_{direction}:{flipped.rule}", (flipped.new,))
    satisfying, violating = (edited, original) if direction == "deny" else (original, edited)
    cost = stable_hash("flip", document, proposal.id) % 1000 / 1000
    return make_draft(MINPAIRS, proposal, satisfying, violating, cost=cost)
