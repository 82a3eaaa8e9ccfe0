"""Finds out in one pass over the texts which documents affirm and which deny each Y."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from constraintsuite.core.records.text import Document
from constraintsuite.suites.corpus.corpus import DocumentNumbers
from constraintsuite.suites.queries.partial import is_denied_in_part, is_taken_back
from constraintsuite.text.base import Scope
from constraintsuite.text.mentions import MentionFinder, fold
from constraintsuite.text.polarity import judge_document, judge_mentions
from constraintsuite.text.terms import words

DocumentStance = Literal["affirming", "denying", "unclear"]


@dataclass(frozen=True, slots=True)
class YWords:
    """The forms of a Y that are judged in a text, and words whose mere presence keeps a document from satisfying."""

    forms: tuple[str, ...]
    blocked: tuple[str, ...]


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
    entries: Mapping[str, YWords], documents: Iterable[tuple[Document, Sequence[Scope]]]
) -> dict[str, Stances]:
    """For each Y the documents that affirm it, that deny it, and that mention it in another way."""
    judge = _Judge(entries)
    found = {key: Stances() for key in entries}
    for document, scopes in documents:
        for finding in judge.read(document, scopes):
            stances = found[finding.key]
            getattr(stances, finding.stance).add(document.id)
            if finding.mentions is not None:
                stances.mentions[document.id] = finding.mentions
    return found


def collect_sides(
    entries: Mapping[str, YWords], documents: Iterable[tuple[int, Document, Sequence[Scope]]]
) -> dict[str, Sides]:
    """For each Y the numbers of the documents that affirm it and that deny it: four bytes each, for all of a corpus."""
    judge = _Judge(entries)
    found: dict[tuple[DocumentStance, str], array[int]] = defaultdict(lambda: array("I"))
    for number, document, scopes in documents:
        for finding in judge.read(document, scopes):
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
        self._forms = MentionFinder({key: y.forms for key, y in entries.items()})
        self._blocked = MentionFinder({key: y.blocked for key, y in entries.items()})

    def read(self, document: Document, scopes: Sequence[Scope]) -> Iterator[_Finding]:
        spans = defaultdict(list)
        for mention in self._forms.find(document.text):
            spans[mention.key].append(mention.span)
        shown_otherwise = {mention.key for mention in self._blocked.find(f"{document.title}\n{document.text}")}
        if document.title:
            shown_otherwise |= {mention.key for mention in self._forms.find(document.title)}
        for key, mentions in spans.items():
            verdict = judge_document(judge_mentions(mentions, scopes))
            stance: DocumentStance = "unclear"
            if verdict == "affirms" and not any(is_taken_back(document.text, mention) for mention in mentions):
                stance = "affirming"
            in_part = any(is_denied_in_part(document.text, mention) for mention in mentions)
            if verdict == "negates" and key not in shown_otherwise and not in_part:
                stance = "denying"
            forms = {fold(mention.of(document.text)) for mention in mentions}
            before = len(words(document.text[: mentions[0].start]))
            yield _Finding(key, stance, YMentions(before, len(mentions), len(forms)))
        for key in shown_otherwise - spans.keys():
            yield _Finding(key, "unclear", None)
