"""Proposals from attributes: things that some documents of a class have and others say they lack.

That somebody wrote "no Y" of one thing and "with Y" of another of the same class is the proof that Y is optional there,
and that a person might want it, or want it left out.
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
from constraintsuite.suites.queries.wording import (
    MinedValue,
    QueryWording,
    family_for,
    make_proposal,
    refuse,
    word_question,
)
from constraintsuite.suites.reading.document import is_plural
from constraintsuite.suites.reading.records import NounReading, NounsRead
from constraintsuite.suites.recipe import QuerySettings
from constraintsuite.text.base import Polarity
from constraintsuite.text.mentions import surface_forms
from constraintsuite.text.polarity import judge_mention

LONGER_WINS = 0.7


@dataclass(slots=True)
class NounCount:
    """How the documents of a topic use one noun."""

    affirmed: array[int] = field(default_factory=lambda: array("I"))
    """Numbers of documents, each once, in the order in which they were read."""
    denied: array[int] = field(default_factory=lambda: array("I"))
    links: Counter[str] = field(default_factory=Counter)
    plural: int = 0
    with_article: int = 0
    total: int = 0

    @property
    def documents(self) -> int:
        """How many documents affirm or deny it; some do both."""
        return len(np.union1d(self.affirmed, self.denied))


def denied_nouns(
    readings: Iterable[tuple[int, NounsRead]], topics: TopicTable, knowledge: Knowledge, at_least: int
) -> dict[Topic, set[str]]:
    """The nouns that enough documents of a topic deny: only these need counting, which keeps large corpora in memory."""
    denied: dict[Topic, Counter[str]] = defaultdict(Counter)
    for document, reading in readings:
        topic = topics.attribute_topic(document) if reading.scopes else None
        if topic is None:
            continue
        nouns = [n for n in reading.nouns if not _never(n, knowledge) and _verdict(n, reading) == "negated"]
        denied[topic].update({name for noun in nouns for name in _names(noun)})
    return {topic: {name for name, count in found.items() if count >= at_least} for topic, found in denied.items()}


def _never(noun: NounReading, knowledge: Knowledge) -> bool:
    return noun.lemmas[-1] in knowledge.never or len(noun.lemmas[-1]) < 3


def _verdict(noun: NounReading, reading: NounsRead) -> Polarity:
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
    """The wanted nouns by topic, with the documents that affirm and deny them; a reading comes with its number and text."""
    counts: dict[Topic, dict[str, NounCount]] = defaultdict(lambda: defaultdict(NounCount))
    for document, text, reading in readings:
        topic = topics.attribute_topic(document)
        if topic is None:
            continue
        for noun in reading.nouns:
            names = [name for name in _names(noun) if name in wanted.get(topic, ())]
            if not names or _never(noun, knowledge):
                continue
            verdict = _verdict(noun, reading)
            if verdict == "uncertain":
                continue
            before = text[max(0, noun.start - 3) : noun.start].lower()
            for name in names:
                count = counts[topic][name]
                _add(document, count.affirmed if verdict == "affirmed" else count.denied)
                count.total += 1
                count.plural += is_plural(noun, text)
                count.with_article += before.endswith((" a ", " an")) or before.strip() in {"a", "an"}
                if noun.link and verdict == "affirmed":
                    count.links[noun.link] += 1
    return counts


def _add(document: int, documents: array[int]) -> None:
    """Documents come one after the other, so that one that is there already is the last."""
    if not documents or documents[-1] != document:
        documents.append(document)


def select_attributes(
    counts: Mapping[Topic, Mapping[str, NounCount]], settings: QuerySettings
) -> dict[Topic, dict[str, NounCount]]:
    """The nouns of each topic that are affirmed and denied often enough; of "milk" and "coconut milk" the one that is meant."""
    selected = {}
    for topic, nouns in counts.items():
        passing = {
            noun: count
            for noun, count in nouns.items()
            if len(count.affirmed) >= settings.min_affirming
            and len(count.denied) >= settings.min_denying
            and len(count.denied) >= settings.min_denying_share * count.documents
        }
        kept = {noun: count for noun, count in passing.items() if not _stands_for_longer(noun, passing)}
        if kept:
            selected[topic] = kept
    return selected


def _stands_for_longer(noun: str, passing: Mapping[str, NounCount]) -> bool:
    here = passing[noun].documents
    longer = (other for other in passing if other.endswith(f" {noun}"))
    return any(passing[other].documents >= LONGER_WINS * here for other in longer)


def attribute_words(noun: str, knowledge: Knowledge) -> YWords:
    """Singular and plural of the attribute; narrower words (walnut for nut) are blocked in a satisfier."""
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
    """One proposal for each topic and attribute."""
    for topic in sorted(selected, key=lambda topic: topic.text):
        members = topics.members(topic)
        for noun, count in sorted(selected[topic].items()):
            key = attribute_key(noun)
            affirming = np.intersect1d(np.intersect1d(members, evidence[key].affirming), count.affirmed)
            denying = np.intersect1d(members, evidence[key].denying)
            if len(affirming) < settings.min_affirming or len(denying) < settings.min_denying:
                rejects["query:too_few_documents"] += 1
                continue
            link = count.links.most_common(1)[0][0] if count.links else "has"
            question = _question(noun, count, topic, link, splits[key], knowledge)
            reason = refuse(question)
            if reason is not None:
                rejects[f"query:{reason}"] += 1
                continue
            finding = MinedValue(
                relation=attribute_relation(topics.domain(topic), link),
                domain=topics.domain(topic),
                words=attribute_words(noun, knowledge),
                split=splits[key],
                topic_documents=len(members),
                affirming=numbering.names(affirming),
                denying=numbering.names(denying),
                partners=len(members) - len(affirming),
                is_attribute=True,
            )
            yield _proposal(noun, topic, question, finding)


def _question(noun: str, count: NounCount, topic: Topic, link: str, split: Split, knowledge: Knowledge) -> QueryWording:
    choice = f"{topic.text}|{noun}"
    family = family_for(knowledge.links[link].families, f"{ATTRIBUTE}.{link}", split, choice)
    y, countable = _display(noun, count)
    return word_question(family, link, topic.text, y, countable_singular=countable)


def _display(noun: str, count: NounCount) -> tuple[str, bool]:
    """Y as a searcher would write it, and whether it takes an article."""
    if 2 * count.plural >= count.total:
        return plural(noun), False
    return noun, 4 * count.with_article >= count.total - count.plural


def _proposal(noun: str, topic: Topic, question: QueryWording, finding: MinedValue) -> Proposal:
    """Built unasked only where a domain file knows the class."""
    return make_proposal(
        (ATTRIBUTE, topic.text, noun),
        question,
        finding,
        status="build" if topic.kind else "doubtful",
        score=2.0 * len(finding.denying) + len(finding.affirming),
        reason="" if topic.kind else f"No domain file knows {topic.head!r} as a class; the corpus suggests it.",
    )


def attribute_key(noun: str) -> str:
    """The name of an attribute in tables."""
    return f"{ATTRIBUTE}\x1f{noun}"
