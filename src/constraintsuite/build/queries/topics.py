"""Topics of a corpus: classes that enough documents share, with the words a searcher would use for them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lemminflect import getInflection

from constraintsuite.build.domain import Knowledge
from constraintsuite.build.queries.records import Topic
from constraintsuite.build.queries.words import query_words
from constraintsuite.build.reading.records import ClassReading

DOMINANT = 0.6
MIN_DEFINING = 5
_YEAR = re.compile(r"^(1[5-9]|20)\d\d$")


@dataclass(frozen=True)
class ClassOfDocument:
    """What a document is: its class noun, kind, and the words that narrow it."""

    head: str
    kind: str
    nationality: str
    modifier: str
    year: int | None
    defined: bool
    """Whether a defining sentence says so, rather than a passing "the ..."."""


class TopicTable:
    """Which documents belong to which topic."""

    def __init__(
        self, readings: Mapping[str, tuple[ClassReading, ...]], knowledge: Knowledge, min_documents: int
    ) -> None:
        self.knowledge = knowledge
        heads = _established(readings.values(), knowledge)
        self.classes: dict[str, tuple[ClassOfDocument, ...]] = {}
        for document, found in readings.items():
            classes = _classes_of(found, heads, knowledge)
            if classes:
                self.classes[document] = classes
        dominant = _dominant_modifiers(self.classes)
        by_text: dict[str, Topic] = {}
        members: dict[str, list[str]] = defaultdict(list)
        for document, classes in self.classes.items():
            named = {topic.text: topic for one in classes for topic in _topics(one, dominant, knowledge)}
            for text, topic in named.items():
                by_text.setdefault(text, topic)
                members[text].append(document)
        self.members = {by_text[text]: tuple(sorted(ids)) for text, ids in members.items() if len(ids) >= min_documents}
        topics: dict[str, list[Topic]] = defaultdict(list)
        for topic in sorted(self.members, key=lambda topic: (len(self.members[topic]), topic.text)):
            for document in self.members[topic]:
                topics[document].append(topic)
        self.topics = {document: tuple(found) for document, found in topics.items()}
        """The topics of each document, the smallest first."""

    def domain(self, topic: Topic) -> str:
        """The domain of a topic's kind; `other` for a class that the corpus taught us."""
        return self.knowledge.domain_of_kind.get(topic.kind, "other")


def plural(noun: str) -> str:
    """The plural of a noun phrase: only its last word changes."""
    *rest, last = noun.split(" ")
    prefix, hyphen, core = last.rpartition("-")
    forms = getInflection(core, "NNS")
    return " ".join([*rest, prefix + hyphen + (forms[0] if forms else core + "s")])


def _established(readings: Iterable[tuple[ClassReading, ...]], knowledge: Knowledge) -> set[str]:
    """Class nouns that several documents define themselves by; known ones need fewer."""
    counts: Counter[str] = Counter()
    for found in readings:
        counts.update({reading.head for reading in found if reading.strength >= 2})
    return {head for head, count in counts.items() if count >= (3 if head in knowledge.heads else MIN_DEFINING)}


def _classes_of(found: tuple[ClassReading, ...], heads: set[str], knowledge: Knowledge) -> tuple[ClassOfDocument, ...]:
    known = [reading for reading in found if reading.head in heads]
    if not known:
        return ()
    best = known[0].strength
    strongest = [reading for reading in known if reading.strength == best]
    if best == 3:
        sentence = [r for r in strongest if r.start < strongest[0].end + 80]
        people = [r for r in sentence if r.kind == "person"]
        chosen = people or sentence[:1]  # any person among coordinated heads makes it a person
    elif len({reading.head for reading in strongest}) > 1 and best == 0:
        return ()
    else:
        chosen = strongest[:1]
    return tuple(dict.fromkeys(_class_of(reading, knowledge) for reading in chosen))


def _class_of(reading: ClassReading, knowledge: Knowledge) -> ClassOfDocument:
    words = [word for word in reading.modifiers if word not in {"-", ",", "and"}]
    years = [int(word) for word in words if _YEAR.match(word)]
    phrase = " ".join(word for word in words if not word.isdigit() and word.lower() not in query_words().decoration)
    nationality = _single(
        phrase,
        _values(knowledge, "work_nationality", reading.kind) + _values(knowledge, "person_nationality", reading.kind),
    )
    genre = _single(phrase.lower(), _values(knowledge, "genre", reading.kind))
    modifier = genre
    if not modifier and reading.kind not in query_words().genred_kinds:
        modifier = _compound(reading)
    return ClassOfDocument(
        reading.head, reading.kind, nationality, modifier, years[0] if years else None, reading.strength >= 2
    )


def _values(knowledge: Knowledge, relation: str, kind: str) -> tuple[str, ...]:
    found = knowledge.relations.get(relation)
    return found.values if found is not None and kind in found.kinds else ()


def _single(phrase: str, values: Iterable[str]) -> str:
    """The one value that stands in the phrase; empty where none or several do."""
    hits = [v for v in dict.fromkeys(values) if re.search(rf"(?<![\w-]){re.escape(v)}(?![\w-])", phrase)]
    longest = [hit for hit in hits if not any(hit != other and hit in other for other in hits)]
    return longest[0] if len(longest) == 1 else ""


def _compound(reading: ClassReading) -> str:
    """The word right before the class noun, if it narrows the class: "web" in "a web framework"."""
    if not reading.modifiers:
        return ""
    words = list(reading.modifiers)
    text = words[-1]
    while len(words) > 2 and words[-2] == "-":
        text = f"{words[-3]}-{text}"
        words = words[:-2]
    return text.lower() if text.islower() and text not in query_words().decoration else ""


def _dominant_modifiers(classes: Mapping[str, tuple[ClassOfDocument, ...]]) -> dict[str, str]:
    """Class nouns that nearly always come with one modifier: an "app" here is a note-taking app."""
    modifiers: dict[str, Counter[str]] = defaultdict(Counter)
    for found in classes.values():
        for one in found:
            if one.defined and one.kind not in query_words().genred_kinds:
                modifiers[one.head][one.modifier] += 1
    dominant = {}
    for head, counts in modifiers.items():
        modifier, count = counts.most_common(1)[0]
        if modifier and count >= DOMINANT * counts.total():
            dominant[head] = modifier
    return dominant


def _topics(one: ClassOfDocument, dominant: Mapping[str, str], knowledge: Knowledge) -> tuple[Topic, ...]:
    """From the most specific to the most general."""
    noun = _plural_of(one, knowledge)
    usual = dominant.get(one.head, "")
    if usual and one.modifier in ("", usual):
        return (Topic(f"{usual} {noun}", one.head, one.kind, "", usual),)
    combinations = ((one.nationality, one.modifier), ("", one.modifier), (one.nationality, ""), ("", ""))
    topics = []
    for nationality, modifier in dict.fromkeys(combinations):
        text = " ".join(part for part in (nationality, modifier, noun) if part)
        topics.append(Topic(text, one.head if one.kind != "film" else "film", one.kind, nationality, modifier))
    return tuple(topics)


def _plural_of(one: ClassOfDocument, knowledge: Knowledge) -> str:
    definition = knowledge.classes.get(one.kind)
    return definition.plural if definition is not None and definition.plural else plural(one.head)
