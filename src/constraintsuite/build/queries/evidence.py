"""What every document says of every Y, in one pass over the texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from constraintsuite.records.text import Document
from constraintsuite.text.base import Scope
from constraintsuite.text.mentions import MentionFinder
from constraintsuite.text.polarity import judge_document, judge_mentions


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


def collect_evidence(
    entries: Mapping[str, YWords], documents: Iterable[Document], scopes: Mapping[str, Sequence[Scope]]
) -> dict[str, Stances]:
    """For each Y the documents that affirm it, deny it, or speak of it in another way."""
    forms = MentionFinder({key: words.forms for key, words in entries.items()})
    blocked = MentionFinder({key: words.blocked for key, words in entries.items()})
    found = {key: Stances() for key in entries}
    for document in documents:
        spans = defaultdict(list)
        for mention in forms.find(document.text):
            spans[mention.key].append(mention.span)
        hidden = {mention.key for mention in blocked.find(f"{document.title}\n{document.text}")}
        titled = {mention.key for mention in forms.find(document.title)} if document.title else set()
        for key, mentions in spans.items():
            verdict = judge_document(judge_mentions(mentions, scopes[document.id]))
            _file(found[key], document.id, verdict, shows_otherwise=key in hidden or key in titled)
            found[key].first[document.id] = mentions[0].start / len(document.text)
        for key in (hidden | titled) - spans.keys():
            found[key].unclear.add(document.id)
    return found


def _file(stances: Stances, document: str, verdict: str, *, shows_otherwise: bool) -> None:
    if verdict == "affirms":
        stances.affirming.add(document)
    elif verdict == "negates" and not shows_otherwise:
        stances.denying.add(document)
    else:
        stances.unclear.add(document)
