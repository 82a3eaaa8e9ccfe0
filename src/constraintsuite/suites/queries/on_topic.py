"""The documents that a given query is about, where nobody judged them: those of a class, or those that hold its words."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.records.text import Document
from constraintsuite.suites.corpus.numbering import DocumentNumbers
from constraintsuite.suites.queries.records import Topic
from constraintsuite.suites.queries.topics import TopicTable
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.text.terms import TermAnalyser, words


def find_on_topic(topics: Mapping[int, str], view: CorpusView) -> dict[int, DocumentNumbers]:
    """The documents on each topic, under the same keys; all texts are read once, if they are needed at all."""
    named = {key: _named_class(topic.lower(), view.topics) for key, topic in topics.items()}
    whole = {one.topic for one in named.values() if one is not None and not one.rest}
    narrowed: dict[Topic, set[str]] = defaultdict(set)
    for one in named.values():
        if one is not None and one.rest:
            narrowed[one.topic].add(one.rest)
    loose = {topics[key].lower() for key, one in named.items() if one is None}
    members = {topic: view.topics.members(topic) for topic in whole}
    said, held = _search(narrowed, loose, view) if narrowed or loose else ({}, {})
    none: DocumentNumbers = np.empty(0, dtype=np.uint32)
    found = {}
    for key, class_named in named.items():
        if class_named is None:
            found[key] = held.get(topics[key].lower(), none)
        elif class_named.rest:
            found[key] = said.get((class_named.topic, class_named.rest), none)
        else:
            found[key] = members[class_named.topic]
    return found


@dataclass(frozen=True, slots=True)
class _NamedClass:
    topic: Topic
    rest: str
    """The words before the class noun, which the documents must say too."""


def _named_class(topic: str, topics: TopicTable) -> _NamedClass | None:
    """The class that a topic names, the longest name first."""
    for known in sorted(topics.sizes, key=lambda known: -len(known.text)):
        names = (known.text.lower(), f"{known.modifier} {known.head}".strip(), known.head)
        name = next((name for name in names if topic == name or topic.endswith(f" {name}")), None)
        if name is not None:
            return _NamedClass(known, topic.removesuffix(name).strip())
    return None


def _search(
    narrowed: Mapping[Topic, Iterable[str]], loose: Iterable[str], view: CorpusView
) -> tuple[dict[tuple[Topic, str], DocumentNumbers], dict[str, DocumentNumbers]]:
    """Documents of a class that say more words of it, and documents that hold all terms of a text."""
    analyser = TermAnalyser()
    terms_of = {text: frozenset(analyser.terms(text)) for text in loose}
    terms = frozenset[str]().union(*terms_of.values())
    said: dict[tuple[Topic, str], array[int]] = defaultdict(lambda: array("I"))
    held: dict[str, array[int]] = defaultdict(lambda: array("I"))
    for number, document, _ in view.corpus.passages():
        asked = [topic for topic in view.topics.topics_of(number) if topic in narrowed]
        if not asked and not terms:
            continue
        read = document.parse(Document)
        for topic in asked:
            for rest in narrowed[topic]:
                if _says(read, rest, topic.head):
                    said[topic, rest].append(number)
        if terms:
            for term in terms.intersection(analyser.terms(f"{read.title} {read.text}")):
                held[term].append(number)
    return (
        {key: np.sort(np.array(numbers, dtype=np.uint32)) for key, numbers in said.items()},
        {text: _with_all(terms, held) for text, terms in terms_of.items()},
    )


def _says(document: Document, modifiers: str, head: str) -> bool:
    """Whether a document calls its subject by these modifiers: "a small, shady campsite" for "small campsites"."""
    text = f"{document.title}. {document.text}".lower()
    core = re.escape(head)
    return all(re.search(rf"\b{re.escape(word)}\W+(?:\w+\W+){{0,2}}{core}", text) for word in words(modifiers))


def _with_all(terms: Iterable[str], held: Mapping[str, Sequence[int]]) -> DocumentNumbers:
    """Documents that hold every term; none where there is no term."""
    found: DocumentNumbers | None = None
    for term in terms:
        numbers = np.sort(np.array(held.get(term, ()), dtype=np.uint32))
        found = numbers if found is None else np.intersect1d(found, numbers, assume_unique=True)
    return np.empty(0, dtype=np.uint32) if found is None else found
