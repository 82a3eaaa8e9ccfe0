"""Proposes attributes: nouns that some documents of a class affirm and others deny.

If somebody wrote "no Y" about one thing and "with Y" about another of the same class, Y is optional there, and a person may
want it or want it left out.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from constraintsuite.core.records.examples import Split
from constraintsuite.core.records.text import Span
from constraintsuite.suites.corpus.corpus import Numbering
from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.queries.evidence import Sides, YWords
from constraintsuite.suites.queries.records import ATTRIBUTE, Proposal, Topic, attribute_relation
from constraintsuite.suites.queries.topics import TopicTable, plural
from constraintsuite.suites.queries.wording import QueryWording, family_for, find_fault, make_proposal, word_query
from constraintsuite.suites.reading.document import is_plural
from constraintsuite.suites.reading.records import NounReading, NounsRead
from constraintsuite.suites.recipe import QuerySettings
from constraintsuite.text.base import Polarity
from constraintsuite.text.mentions import surface_forms
from constraintsuite.text.polarity import judge_mention

LONGER_WINS = 0.7
"""A noun gives way to a longer one that ends in it and has at least this share of its documents."""


@dataclass(slots=True)
class NounCount:
    """How the documents of a topic use one noun."""

    affirmed: array[int] = field(default_factory=lambda: array("I"))
    """The numbers of the documents, each once, in the order in which they were read."""
    denied: array[int] = field(default_factory=lambda: array("I"))
    links: Counter[str] = field(default_factory=Counter)
    plural: int = 0
    with_article: int = 0
    total: int = 0

    @property
    def documents(self) -> int:
        """How many documents affirm it, deny it or do both."""
        return len(np.union1d(self.affirmed, self.denied))


def denied_nouns(
    readings: Iterable[tuple[int, NounsRead]], topics: TopicTable, knowledge: Knowledge, at_least: int
) -> dict[Topic, set[str]]:
    """The nouns of each topic that enough documents deny; only these are counted, which saves memory."""
    denied: dict[Topic, Counter[str]] = defaultdict(Counter)
    for document, reading in readings:
        topic = topics.attribute_topic(document) if reading.scopes else None
        if topic is None:
            continue
        nouns = [n for n in reading.nouns if not _is_excluded(n, knowledge) and _judge(n, reading) == "negated"]
        denied[topic].update({name for noun in nouns for name in _names(noun)})
    return {topic: {name for name, count in found.items() if count >= at_least} for topic, found in denied.items()}


def _is_excluded(noun: NounReading, knowledge: Knowledge) -> bool:
    return noun.lemmas[-1] in knowledge.never or len(noun.lemmas[-1]) < 3


def _judge(noun: NounReading, reading: NounsRead) -> Polarity:
    return judge_mention(Span(noun.start, noun.end), reading.scopes).verdict


def _names(noun: NounReading) -> list[str]:
    """The noun alone, and with one and two of the words before it."""
    return [" ".join(noun.lemmas[-size:]) for size in range(1, len(noun.lemmas) + 1)]


def count_nouns(
    readings: Iterable[tuple[int, str, NounsRead]],
    topics: TopicTable,
    knowledge: Knowledge,
    wanted: Mapping[Topic, set[str]],
) -> dict[Topic, dict[str, NounCount]]:
    """Count the wanted nouns of each topic; a reading comes with the number and the text of its document."""
    counts: dict[Topic, dict[str, NounCount]] = defaultdict(lambda: defaultdict(NounCount))
    for document, text, reading in readings:
        topic = topics.attribute_topic(document)
        if topic is None:
            continue
        for noun in reading.nouns:
            names = [name for name in _names(noun) if name in wanted.get(topic, ())]
            if not names or _is_excluded(noun, knowledge):
                continue
            verdict = _judge(noun, reading)
            if verdict == "uncertain":
                continue
            before = text[max(0, noun.start - 3) : noun.start].lower()
            for name in names:
                count = counts[topic][name]
                documents = count.affirmed if verdict == "affirmed" else count.denied
                if not documents or documents[-1] != document:  # nouns of one document come one after the other
                    documents.append(document)
                count.total += 1
                count.plural += is_plural(noun, text)
                count.with_article += before.endswith((" a ", " an")) or before.strip() in {"a", "an"}
                if noun.link and verdict == "affirmed":
                    count.links[noun.link] += 1
    return counts


def select_attributes(
    counts: Mapping[Topic, Mapping[str, NounCount]], settings: QuerySettings
) -> dict[Topic, dict[str, NounCount]]:
    """The nouns of each topic that are affirmed and denied often enough; of "milk" and "coconut milk" only the one meant."""
    selected = {}
    for topic, nouns in counts.items():
        passing = {
            noun: count
            for noun, count in nouns.items()
            if len(count.affirmed) >= settings.min_affirming
            and len(count.denied) >= settings.min_denying
            and len(count.denied) >= settings.min_denying_share * count.documents
        }
        kept = {noun: count for noun, count in passing.items() if not _means_longer(noun, passing)}
        if kept:
            selected[topic] = kept
    return selected


def _means_longer(noun: str, passing: Mapping[str, NounCount]) -> bool:
    """Whether most documents with the noun have a longer one that ends in it: "coconut milk" for "milk"."""
    here = passing[noun].documents
    longer = (other for other in passing if other.endswith(f" {noun}"))
    return any(passing[other].documents >= LONGER_WINS * here for other in longer)


def attribute_words(noun: str, knowledge: Knowledge) -> YWords:
    """Singular and plural of the attribute; a satisfying document must not have narrower words, such as walnut for nut."""
    head = noun.rpartition(" ")[2]
    narrower = knowledge.kinds.get(noun, knowledge.kinds.get(head, ()) if " " not in noun else ())
    blocked = tuple(dict.fromkeys(form for word in narrower for form in surface_forms(word)))
    return YWords(surface_forms(noun), blocked)


def propose_attributes(
    selected: Mapping[Topic, Mapping[str, NounCount]],
    evidence: Mapping[str, Sides],
    topics: TopicTable,
    numbering: Numbering,
    splits: Mapping[str, Split],
    knowledge: Knowledge,
    settings: QuerySettings,
    rejects: Counter[str],
) -> Iterator[Proposal]:
    """One proposal for each topic and attribute; proposals for a class that no domain file knows are doubtful."""
    for topic in sorted(selected, key=lambda topic: topic.text):
        members, domain = topics.members(topic), topics.domain(topic)
        for noun, count in sorted(selected[topic].items()):
            key = attribute_key(noun)
            affirming = np.intersect1d(np.intersect1d(members, evidence[key].affirming), count.affirmed)
            denying = np.intersect1d(members, evidence[key].denying)
            if len(affirming) < settings.min_affirming or len(denying) < settings.min_denying:
                rejects["query:too_few_documents"] += 1
                continue
            link = count.links.most_common(1)[0][0] if count.links else "has"
            wording = _word_query(noun, count, topic, link, splits[key], knowledge)
            fault = find_fault(wording)
            if fault is not None:
                rejects[f"query:{fault}"] += 1
                continue
            yield make_proposal(
                (ATTRIBUTE, topic.text, noun),
                wording,
                attribute_words(noun, knowledge),
                relation=attribute_relation(domain, link),
                domain=domain,
                split=splits[key],
                status="build" if topic.kind else "doubtful",
                score=2.0 * len(denying) + len(affirming),
                affirming=numbering.names(affirming),
                denying=numbering.names(denying),
                topic_documents=len(members),
                partners=len(members) - len(affirming),
                reason="" if topic.kind else f"No domain file knows {topic.head!r} as a class; the corpus suggests it.",
            )


def _word_query(
    noun: str, count: NounCount, topic: Topic, link: str, split: Split, knowledge: Knowledge
) -> QueryWording:
    """The query with Y in the number in which the documents use it most."""
    families = knowledge.links[link].families
    family = family_for(families, f"{ATTRIBUTE}.{link}", split, f"{topic.text}|{noun}")
    if 2 * count.plural >= count.total:
        return word_query(family, link, topic.text, plural(noun))
    countable = 4 * count.with_article >= count.total - count.plural
    return word_query(family, link, topic.text, noun, countable_singular=countable)


def attribute_key(noun: str) -> str:
    """The key of an attribute in tables of Y."""
    return f"{ATTRIBUTE}\x1f{noun}"
