"""Counts what the documents of each topic affirm and deny: listed attributes in all their forms, and any other noun."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from constraintsuite.core.records.text import Document, Span
from constraintsuite.suites.domain import AttributeLinks, Knowledge
from constraintsuite.suites.queries.firmness import is_about_whole, is_compound, says_need, says_permission
from constraintsuite.suites.queries.left_out import ListedAttributes, listed_attributes
from constraintsuite.suites.queries.records import Topic
from constraintsuite.suites.queries.surroundings import Surroundings, surroundings_of
from constraintsuite.suites.queries.topics import TopicTable
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.suites.reading.document import is_plural
from constraintsuite.suites.reading.records import NounReading, NounsRead
from constraintsuite.suites.recipe import QuerySettings
from constraintsuite.text.base import Polarity
from constraintsuite.text.polarity import judge_mention
from constraintsuite.text.terms import words

FREE = "-free"
"""The link of "nut-free" and "free of nuts"."""
MOST_NAMES = 50_000
"""Names of one topic in memory; above it, names of a single document are forgotten."""


@dataclass(slots=True)
class NounCount:
    """How the documents of a topic use one noun."""

    affirmed: array[int] = field(default_factory=lambda: array("I"))
    """The numbers of the documents, each once, in the order in which they were read."""
    denied: array[int] = field(default_factory=lambda: array("I"))
    links: Counter[str] = field(default_factory=Counter)
    """Words that say how a thing has it."""
    plural: int = 0
    with_article: int = 0
    total: int = 0

    @property
    def documents(self) -> int:
        """How many documents affirm it, deny it or do both."""
        return len(np.union1d(self.affirmed, self.denied))


class NamedMention(NamedTuple):
    """A mention of an attribute under its name."""

    name: str
    start: int
    end: int
    link: str
    plural: bool
    verdict: Polarity


def read_mentions(
    document: Document, reading: NounsRead, listed: ListedAttributes, knowledge: Knowledge
) -> Iterator[NamedMention]:
    """The attributes that a document mentions: listed ones by their forms, others by their nouns."""
    text = document.text
    links = {noun.end: noun.link for noun in reading.nouns}
    for mention in listed.finder.find(text):
        start, end = mention.span.start, mention.span.end
        verdict = judge_mention(mention.span, reading.scopes).verdict
        place = surroundings_of(text, mention.span, reading.nouns)
        if not _is_said(verdict, place, document.title, listed, knowledge.links_of(listed.by_noun[mention.key].links)):
            verdict = "uncertain"
        yield NamedMention(mention.key, start, end, _free(text, start, end) or links.get(end, ""), False, verdict)
    for noun in reading.nouns:
        if noun.lemmas[-1] in knowledge.never or len(noun.lemmas[-1]) < 3:
            continue
        verdict = judge_mention(Span(noun.start, noun.end), reading.scopes).verdict
        link = _free(text, noun.start, noun.end) or noun.link
        for name in _names(noun):
            if not listed.covers(name):
                yield NamedMention(name, noun.start, noun.end, link, is_plural(noun, text), verdict)


def _is_said(
    verdict: Polarity, place: Surroundings, title: str, listed: ListedAttributes, links: Sequence[AttributeLinks]
) -> bool:
    """Whether a statement is one in the sense of the links: the cook's dog is no permission, and no need is no absence."""
    kind = listed.definition
    must_be_whole = (
        kind is not None and kind.in_parts and (verdict == "negated" or any(link.of_whole for link in links))
    )
    if kind is not None and must_be_whole and not is_about_whole(place, title, kind.subjects):
        return False
    if verdict == "affirmed":
        said = {*words(place.clause)}.intersection(word for link in links for word in (*link.words, *link.after))
        if all(link.must_be_said for link in links) and not said and not says_permission(place):
            return False
        return not (any(link.compounds_differ for link in links) and is_compound(place))
    return any(link.need_is_use for link in links) or not says_need(place)


def _names(noun: NounReading) -> list[str]:
    """The noun alone, and with one and two of the words before it."""
    return [" ".join(noun.lemmas[-size:]) for size in range(1, len(noun.lemmas) + 1)]


def _free(text: str, start: int, end: int) -> str:
    """The link of "nut-free", "free of nuts" and "free from nuts"; empty for others."""
    before = text[max(0, start - 10) : start].lower()
    is_free = text[end : end + 5].lower() == FREE or before.endswith((" free of ", " free from "))
    return FREE if is_free else ""


def frequent_names(
    readings: Iterable[tuple[int, Document, NounsRead]], topics: TopicTable, knowledge: Knowledge, at_least: int
) -> dict[Topic, set[str]]:
    """The names of each topic that enough documents mention; only these are counted, which saves memory."""
    mentioned: dict[Topic, Counter[str]] = defaultdict(Counter)
    for number, document, reading in readings:
        topic = topics.attribute_topic(number)
        if topic is None:
            continue
        listed = listed_attributes(topic, knowledge)
        counter = mentioned[topic]
        counter.update({mention.name for mention in read_mentions(document, reading, listed, knowledge)})
        if len(counter) > MOST_NAMES:
            mentioned[topic] = Counter({name: count for name, count in counter.items() if count > 1})
    return {topic: {name for name, count in found.items() if count >= at_least} for topic, found in mentioned.items()}


def count_nouns(
    readings: Iterable[tuple[int, Document, NounsRead]],
    topics: TopicTable,
    knowledge: Knowledge,
    wanted: Mapping[Topic, set[str]],
) -> dict[Topic, dict[str, NounCount]]:
    """Count the wanted names of each topic; a reading comes with the number of its document and with the document."""
    counts: dict[Topic, dict[str, NounCount]] = defaultdict(lambda: defaultdict(NounCount))
    for number, document, reading in readings:
        topic = topics.attribute_topic(number)
        if topic is None:
            continue
        for mention in read_mentions(document, reading, listed_attributes(topic, knowledge), knowledge):
            if mention.name not in wanted.get(topic, ()) or mention.verdict == "uncertain":
                continue
            count = counts[topic][mention.name]
            documents = count.affirmed if mention.verdict == "affirmed" else count.denied
            if not documents or documents[-1] != number:  # mentions of one document come one after the other
                documents.append(number)
            before = document.text[max(0, mention.start - 3) : mention.start].lower()
            count.total += 1
            count.plural += mention.plural
            count.with_article += before.endswith((" a ", " an")) or before.strip() in {"a", "an"}
            if mention.link:
                count.links[mention.link] += 1
    return counts


def count_topic_nouns(
    view: CorpusView, knowledge: Knowledge, settings: QuerySettings
) -> dict[Topic, dict[str, NounCount]]:
    """How the documents of each topic use its nouns. Documents are read twice: only nouns of enough documents are counted."""
    on_topic = view.topics.with_topic()
    wanted = frequent_names(view.corpus.read(on_topic), view.topics, knowledge, settings.min_affirming)
    return count_nouns(view.corpus.read(on_topic), view.topics, knowledge, wanted)
