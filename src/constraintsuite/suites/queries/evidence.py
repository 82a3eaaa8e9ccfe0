"""What every document says of every Y, in one pass over the texts."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from constraintsuite.core.records.text import Document
from constraintsuite.suites.corpus.corpus import DocumentNumbers
from constraintsuite.text.base import Scope
from constraintsuite.text.mentions import MentionFinder
from constraintsuite.text.polarity import judge_document, judge_mentions

DocumentStance = Literal["affirming", "denying", "unclear"]


@dataclass(frozen=True, slots=True)
class YWords:
    """How a Y shows in a text: the forms that are judged, and words whose mere presence disqualifies a satisfier."""

    forms: tuple[str, ...]
    blocked: tuple[str, ...]


@dataclass(slots=True)
class Stances:
    """The documents by what they say of one Y; all others do not mention it."""

    affirming: set[str] = field(default_factory=set)
    denying: set[str] = field(default_factory=set)
    unclear: set[str] = field(default_factory=set)
    first: dict[str, float] = field(default_factory=dict)
    """Where each document first mentions Y, as a share of its text."""

    def silent(self, document: str) -> bool:
        """Whether a document does not speak of Y at all."""
        return document not in self.affirming and document not in self.denying and document not in self.unclear


@dataclass(frozen=True, slots=True)
class Sides:
    """The documents that affirm and that deny one Y, by number and in order."""

    affirming: DocumentNumbers
    denying: DocumentNumbers


def collect_evidence(
    entries: Mapping[str, YWords], documents: Iterable[tuple[Document, Sequence[Scope]]]
) -> dict[str, Stances]:
    """For each Y the documents that affirm it, deny it, or speak of it in another way."""
    judge = _Judge(entries)
    found = {key: Stances() for key in entries}
    for document, scopes in documents:
        for said in judge.judge(document, scopes):
            getattr(found[said.key], said.stance).add(document.id)
            if said.first is not None:
                found[said.key].first[document.id] = said.first
    return found


def collect_sides(
    entries: Mapping[str, YWords], documents: Iterable[tuple[int, Document, Sequence[Scope]]]
) -> dict[str, Sides]:
    """For each Y the documents that affirm it and that deny it: four bytes each."""
    judge = _Judge(entries)
    found: dict[DocumentStance, dict[str, array[int]]] = {"affirming": {}, "denying": {}, "unclear": {}}
    for number, document, scopes in documents:
        for said in judge.judge(document, scopes):
            if said.stance != "unclear":
                found[said.stance].setdefault(said.key, array("I")).append(number)
    return {key: Sides(_ordered(found["affirming"].get(key)), _ordered(found["denying"].get(key))) for key in entries}


def _ordered(numbers: array[int] | None) -> DocumentNumbers:
    return np.sort(np.array(numbers or (), dtype=np.uint32))


class _Said(NamedTuple):
    """What one document says of one Y."""

    key: str
    stance: DocumentStance
    first: float | None
    """Where it first mentions Y, as a share of its text; None where only other words show Y."""


class _Judge:
    """Judges documents one after the other."""

    def __init__(self, entries: Mapping[str, YWords]) -> None:
        self._forms = MentionFinder({key: words.forms for key, words in entries.items()})
        self._blocked = MentionFinder({key: words.blocked for key, words in entries.items()})

    def judge(self, document: Document, scopes: Sequence[Scope]) -> Iterator[_Said]:
        spans = defaultdict(list)
        for mention in self._forms.find(document.text):
            spans[mention.key].append(mention.span)
        hidden = {mention.key for mention in self._blocked.find(f"{document.title}\n{document.text}")}
        titled = {mention.key for mention in self._forms.find(document.title)} if document.title else set()
        for key, mentions in spans.items():
            verdict = judge_document(judge_mentions(mentions, scopes))
            stance = _stance(verdict, shows_otherwise=key in hidden or key in titled)
            yield _Said(key, stance, mentions[0].start / len(document.text))
        for key in (hidden | titled) - spans.keys():
            yield _Said(key, "unclear", None)


def _stance(verdict: str, *, shows_otherwise: bool) -> DocumentStance:
    if verdict == "affirms":
        return "affirming"
    return "denying" if verdict == "negates" and not shows_otherwise else "unclear"
