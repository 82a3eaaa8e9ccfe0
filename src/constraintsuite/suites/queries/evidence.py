"""Finds out in one pass over the texts which documents affirm and which deny each Y."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from constraintsuite.core.records.text import Document, Span
from constraintsuite.suites.corpus.corpus import DocumentNumbers
from constraintsuite.suites.queries.firmness import is_firm_affirmation, is_firm_denial, is_negative
from constraintsuite.suites.queries.surroundings import surroundings_of
from constraintsuite.suites.reading.records import NounsRead
from constraintsuite.text.mentions import MentionFinder, fold
from constraintsuite.text.polarity import judge_document, judge_mentions
from constraintsuite.text.terms import words

DocumentStance = Literal["affirming", "denying", "unclear"]


@dataclass(frozen=True, slots=True)
class YWords:
    """The forms of a Y that are judged in a text, and words whose mere presence keeps a document from satisfying."""

    forms: tuple[str, ...]
    blocked: tuple[str, ...]
    is_attribute: bool = True
    """Whether only firm statements count; what is stated in a defining sentence is firm."""


@dataclass(frozen=True, slots=True)
class YMentions:
    """The mentions of one Y in a document."""

    first: int
    """How many words the document has before the first one."""
    count: int
    forms: int
    """How many different forms of Y there are, such as "pool" and "swimming pool"."""


@dataclass(slots=True)
class Stances:
    """The documents by what they say of one Y; all others do not mention it."""

    affirming: set[str] = field(default_factory=set)
    denying: set[str] = field(default_factory=set)
    unclear: set[str] = field(default_factory=set)
    mentions: dict[str, YMentions] = field(default_factory=dict)
    """Where and how often each document mentions Y."""

    def is_silent(self, document: str) -> bool:
        """Whether a document does not mention Y at all."""
        return document not in self.affirming and document not in self.denying and document not in self.unclear


@dataclass(frozen=True, slots=True)
class Sides:
    """The numbers of the documents that affirm and that deny one Y, in order."""

    affirming: DocumentNumbers
    denying: DocumentNumbers


def collect_evidence(
    entries: Mapping[str, YWords], documents: Iterable[tuple[Document, NounsRead]]
) -> dict[str, Stances]:
    """For each Y the documents that affirm it, that deny it, and that mention it in another way."""
    judge = _Judge(entries)
    found = {key: Stances() for key in entries}
    for document, reading in documents:
        for finding in judge.read(document, reading):
            stances = found[finding.key]
            getattr(stances, finding.stance).add(document.id)
            if finding.mentions is not None:
                stances.mentions[document.id] = finding.mentions
    return found


def collect_sides(
    entries: Mapping[str, YWords], documents: Iterable[tuple[int, Document, NounsRead]]
) -> dict[str, Sides]:
    """For each Y the numbers of the documents that affirm it and that deny it: four bytes each, for all of a corpus."""
    judge = _Judge(entries)
    found: dict[tuple[DocumentStance, str], array[int]] = defaultdict(lambda: array("I"))
    for number, document, reading in documents:
        for finding in judge.read(document, reading):
            if finding.stance != "unclear":
                found[finding.stance, finding.key].append(number)

    def ordered(stance: DocumentStance, key: str) -> DocumentNumbers:
        return np.sort(np.array(found.get((stance, key), ()), dtype=np.uint32))

    return {key: Sides(ordered("affirming", key), ordered("denying", key)) for key in entries}


class _Finding(NamedTuple):
    """What one document says of one Y; `mentions` is None if only other words show Y."""

    key: str
    stance: DocumentStance
    mentions: YMentions | None


class _Judge:
    """Reads documents one after the other for all Y."""

    def __init__(self, entries: Mapping[str, YWords]) -> None:
        self._entries = entries
        self._forms = MentionFinder({key: y.forms for key, y in entries.items()})
        self._blocked = MentionFinder({key: y.blocked for key, y in entries.items()})

    def read(self, document: Document, reading: NounsRead) -> Iterator[_Finding]:
        spans = defaultdict(list)
        for mention in self._forms.find(document.text):
            spans[mention.key].append(mention.span)
        in_title = {mention.key for mention in self._forms.find(document.title)} if document.title else set[str]()
        shown = in_title | {mention.key for mention in self._blocked.find(f"{document.title}\n{document.text}")}
        for key, mentions in spans.items():
            stance = self._stance(key, document, mentions, reading)
            if stance == "affirming" and key in in_title and is_negative(document.title):
                stance = "unclear"
            if stance == "denying" and key in shown:
                stance = "unclear"
            forms = {fold(mention.of(document.text)) for mention in mentions}
            before = len(words(document.text[: mentions[0].start]))
            yield _Finding(key, stance, YMentions(before, len(mentions), len(forms)))
        for key in shown - spans.keys():
            yield _Finding(key, "unclear", None)

    def _stance(self, key: str, document: Document, mentions: Sequence[Span], reading: NounsRead) -> DocumentStance:
        """What the mentions say together; if one of them is not firm, nothing is sure."""
        verdict = judge_document(judge_mentions(mentions, reading.scopes))
        if verdict not in ("affirms", "negates"):
            return "unclear"
        if self._entries[key].is_attribute:
            is_firm = is_firm_affirmation if verdict == "affirms" else is_firm_denial
            if not all(is_firm(surroundings_of(document.text, mention, reading.nouns)) for mention in mentions):
                return "unclear"
        return "affirming" if verdict == "affirms" else "denying"
