"""MinPairs by sentence negation, both ways: "with showers" to "without showers", and a written "no showers" to "showers".

Both ways, because a suite in which the edited text always obeys could be won by spotting the edit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources

import yaml
from pydantic import BaseModel, ConfigDict

from constraintsuite.build.pairs.couples import Matching
from constraintsuite.build.pairs.records import Draft
from constraintsuite.build.queries.records import Proposal
from constraintsuite.build.reading.records import DocumentReading
from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import Edit
from constraintsuite.records.text import Span
from constraintsuite.text.mentions import find_forms

_PHRASE_ENDS = re.compile(r"\.|$")


class FlipRule(BaseModel):
    """Words before Y, and what they become; Y itself stays."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    before: str
    becomes: str
    number: str = "any"


@cache
def load_rules(direction: str) -> tuple[FlipRule, ...]:
    """The rules that negate (`deny`) or affirm (`affirm`) what stands before Y."""
    text = (resources.files("constraintsuite.build.pairs") / "flips.yaml").read_text(encoding="utf-8")
    return tuple(FlipRule.model_validate(rule) for rule in yaml.safe_load(text)[direction])


def flip_drafts(
    proposals: Sequence[Proposal], readings: Mapping[str, DocumentReading], matching: Matching
) -> Iterator[Draft]:
    """At most one flip for each document and Y, where Y stands once and ends its phrase."""
    for proposal in proposals:
        evidence = matching.evidence[proposal.id]
        for documents, direction in (
            (evidence.affirming & set(proposal.affirming), "deny"),
            (evidence.denying & set(proposal.denying), "affirm"),
        ):
            for document in sorted(documents):
                if matching.splits.get(document) == proposal.split:
                    draft = _flip(document, proposal, direction, readings[document], matching)
                    if draft is not None:
                        yield draft


def _flip(
    document: str, proposal: Proposal, direction: str, reading: DocumentReading, matching: Matching
) -> Draft | None:
    text = matching.texts[document]
    mentions = find_forms(text, proposal.forms)
    if len(mentions) != 1 or not _bare_and_final(mentions[0], reading, text):
        return None
    if direction == "deny" and _has_cue(mentions[0], reading):
        return None
    noun = next(noun for noun in reading.nouns if noun.start == mentions[0].start)
    plural_y = not mentions[0].of(text).lower().endswith(noun.lemmas[-1])
    for rule in load_rules(direction):
        if (rule.number == "plural" and not plural_y) or (rule.number == "singular" and plural_y):
            continue
        match = re.search(rf"(?<![\w-]){rule.before}$", text[: mentions[0].start])
        if match is None:
            continue
        becomes = match.expand(rule.becomes)
        edited = text[: match.start()] + becomes + text[mentions[0].start :]
        new_span = (match.start(), match.start() + len(becomes))
        old_span = (match.start(), match.end())
        pos_is_edited = direction == "deny"
        return Draft(
            slice="negation_minpairs",
            proposal=proposal.id,
            relation=proposal.relation,
            split=proposal.split,
            couple="",
            pos=document,
            neg=document,
            pos_text=edited if pos_is_edited else text,
            neg_text=text if pos_is_edited else edited,
            cost=stable_hash("flip", document, proposal.id) % 1000 / 1000,
            edit=Edit(
                operator=f"flip_{direction}:{rule.name}",
                document="pos" if pos_is_edited else "neg",
                spans_pos=(new_span if pos_is_edited else old_span,),
                spans_neg=(old_span if pos_is_edited else new_span,),
                token_count_preserved=len(edited.split()) == len(text.split()),
            ),
        )
    return None


def _has_cue(span: Span, reading: DocumentReading) -> bool:
    """Whether the sentence already negates or doubts something: "has no plugins but no tags" is no sentence."""
    start, end = next((s, e) for s, e in reading.sentences if s <= span.start < e)
    return any(start <= scope.cue_start < end for scope in reading.scopes)


def _bare_and_final(span: Span, reading: DocumentReading, text: str) -> bool:
    """Y is a bare noun and the phrase ends with it: a tail ("showers in summer") would narrow what is denied."""
    bare = any(noun.start == span.start and noun.end == span.end for noun in reading.nouns)
    return bare and _PHRASE_ENDS.match(text[span.end :]) is not None
