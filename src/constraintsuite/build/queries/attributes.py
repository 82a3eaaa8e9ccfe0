"""Proposals from attributes: things that some documents of a class have and others say they lack.

That somebody wrote "no Y" of one thing and "with Y" of another of the same class is the proof that Y is optional there,
and that a person might want it, or want it left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from constraintsuite.build.domain import Knowledge
from constraintsuite.build.queries.evidence import Evidence, YWords
from constraintsuite.build.queries.records import Proposal, Topic
from constraintsuite.build.queries.topics import TopicTable, plural
from constraintsuite.build.queries.wording import family_for, fill, refuse
from constraintsuite.build.reading.records import DocumentReading, NounReading
from constraintsuite.build.recipe import QuerySettings
from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import Split
from constraintsuite.records.text import Document, Span
from constraintsuite.text.mentions import surface_forms
from constraintsuite.text.polarity import judge_mention

RELATION = "attribute"
LONGER_WINS = 0.7


@dataclass(slots=True)
class NounCount:
    """How the documents of a topic use one noun."""

    affirmed: set[str] = field(default_factory=set)
    denied: set[str] = field(default_factory=set)
    links: Counter[str] = field(default_factory=Counter)
    plural: int = 0
    with_article: int = 0
    total: int = 0


def denied_nouns(
    readings: Iterable[DocumentReading], topics: TopicTable, knowledge: Knowledge, at_least: int
) -> dict[Topic, set[str]]:
    """The nouns that enough documents of a topic deny: only these need counting, which keeps large corpora in memory."""
    denied: dict[Topic, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for reading in readings:
        topic = attribute_topic(reading.id, topics) if reading.scopes else None
        if topic is None:
            continue
        for noun in reading.nouns:
            if (
                _never(noun, knowledge)
                or judge_mention(Span(noun.start, noun.end), reading.scopes).verdict != "negated"
            ):
                continue
            for name in _names(noun):
                denied[topic][name].add(reading.id)
    return {topic: {name for name, ids in found.items() if len(ids) >= at_least} for topic, found in denied.items()}


def _never(noun: NounReading, knowledge: Knowledge) -> bool:
    return noun.lemmas[-1] in knowledge.never or len(noun.lemmas[-1]) < 3


def _names(noun: NounReading) -> list[str]:
    """The noun alone, and with one and two of the words before it."""
    return [" ".join(noun.lemmas[-size:]) for size in range(1, len(noun.lemmas) + 1)]


def count_nouns(
    readings: Iterable[DocumentReading],
    documents: Mapping[str, Document],
    topics: TopicTable,
    knowledge: Knowledge,
    wanted: Mapping[Topic, set[str]],
) -> dict[Topic, dict[str, NounCount]]:
    """The wanted nouns by topic, with the documents that affirm and deny them."""
    counts: dict[Topic, dict[str, NounCount]] = defaultdict(lambda: defaultdict(NounCount))
    for reading in readings:
        topic = attribute_topic(reading.id, topics)
        if topic is None:
            continue
        text = documents[reading.id].text
        for noun in reading.nouns:
            names = [name for name in _names(noun) if name in wanted.get(topic, ())]
            if not names or _never(noun, knowledge):
                continue
            verdict = judge_mention(Span(noun.start, noun.end), reading.scopes).verdict
            if verdict == "uncertain":
                continue
            surface = text[noun.start : noun.end].lower()
            before = text[max(0, noun.start - 3) : noun.start].lower()
            for name in names:
                count = counts[topic][name]
                (count.affirmed if verdict == "affirmed" else count.denied).add(reading.id)
                count.total += 1
                count.plural += not surface.endswith(noun.lemmas[-1])
                count.with_article += before.endswith((" a ", " an")) or before.strip() in {"a", "an"}
                if noun.link and verdict == "affirmed":
                    count.links[noun.link] += 1
    return counts


def attribute_topic(document: str, topics: TopicTable) -> Topic | None:
    """The topic whose attributes a document takes part in: the largest that still narrows the class, else the class."""
    found = [topic for topic in topics.topics.get(document, ()) if not topic.nationality]
    return max(found, key=lambda topic: (len(topics.members[topic]), topic.text)) if found else None


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
            and len(count.denied) >= settings.min_denying_share * len(count.affirmed | count.denied)
        }
        kept = {noun: count for noun, count in passing.items() if not _stands_for_longer(noun, passing)}
        if kept:
            selected[topic] = kept
    return selected


def _stands_for_longer(noun: str, passing: Mapping[str, NounCount]) -> bool:
    here = len(passing[noun].affirmed | passing[noun].denied)
    longer = (other for other in passing if other.endswith(f" {noun}"))
    return any(len(passing[other].affirmed | passing[other].denied) >= LONGER_WINS * here for other in longer)


def attribute_words(noun: str, knowledge: Knowledge) -> YWords:
    """Singular and plural of the attribute; narrower words (walnut for nut) are blocked in a satisfier."""
    head = noun.rpartition(" ")[2]
    narrower = knowledge.kinds.get(noun, knowledge.kinds.get(head, ()) if " " not in noun else ())
    blocked = tuple(dict.fromkeys(form for word in narrower for form in surface_forms(word)))
    return YWords(surface_forms(noun), blocked)


def propose_attributes(
    selected: Mapping[Topic, Mapping[str, NounCount]],
    evidence: Mapping[str, Evidence],
    topics: TopicTable,
    splits: Mapping[str, Split],
    knowledge: Knowledge,
    settings: QuerySettings,
    rejects: Counter[str],
) -> Iterator[Proposal]:
    """One proposal for each topic and attribute."""
    for topic in sorted(selected, key=lambda topic: topic.text):
        members = set(topics.members[topic])
        for noun, count in sorted(selected[topic].items()):
            found = evidence[attribute_key(noun)]
            affirming, denying = members & found.affirming & count.affirmed, members & found.denying
            if len(affirming) < settings.min_affirming or len(denying) < settings.min_denying:
                rejects["query:too_few_documents"] += 1
                continue
            link = count.links.most_common(1)[0][0] if count.links else "has"
            split = splits[attribute_key(noun)]
            family = family_for(knowledge.links[link].families, f"{RELATION}.{link}", split, f"{topic.text}|{noun}")
            y, countable = _display(noun, count)
            base = fill(family.base, topic.text, y, countable_singular=countable)
            neg = fill(family.neg, topic.text, y, countable_singular=countable)
            reason = refuse(topic.text, y, base, neg)
            if reason is not None:
                rejects[f"query:{reason}"] += 1
                continue
            words = attribute_words(noun, knowledge)
            yield Proposal(
                id=f"p{stable_hash(RELATION, topic.text, noun):016x}",
                status="build" if topic.kind else "doubtful",
                topic=topic.text,
                y=y,
                relation=f"{topics.domain(topic)}.{link}",
                domain=topics.domain(topic),
                base=base,
                neg=neg,
                template=family.name,
                template_family=f"{link}.{family.name}",
                marker=family.marker,
                forms=words.forms,
                blocked=words.blocked,
                split=split,
                score=2.0 * len(denying) + len(affirming),
                topic_documents=len(members),
                affirming=tuple(sorted(affirming)),
                denying=tuple(sorted(denying)),
                examples_expected=min(len(affirming), len(members) - len(affirming), 6),
                reason="" if topic.kind else f"No domain file knows {topic.head!r} as a class; the corpus suggests it.",
            )


def _display(noun: str, count: NounCount) -> tuple[str, bool]:
    """Y as a searcher would write it, and whether it takes an article."""
    if 2 * count.plural >= count.total:
        return plural(noun), False
    return noun, 4 * count.with_article >= count.total - count.plural


def attribute_key(noun: str) -> str:
    """The name of an attribute in tables."""
    return f"{RELATION}\x1f{noun}"
