"""The topics of a corpus: classes that enough documents share, and the words that a searcher would use for them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from constraintsuite.suites.corpus.corpus import DocumentNumbers
from constraintsuite.suites.domain import Knowledge, Relation
from constraintsuite.suites.queries.records import Topic
from constraintsuite.suites.reading.records import ClassReading
from constraintsuite.suites.reading.signs import BY_SIGNS
from constraintsuite.suites.word_lists import query_words
from constraintsuite.text.inflection import get_inflections

DOMINANT = 0.6
_YEAR = re.compile(r"^(1[5-9]|20)\d\d$")


@dataclass(frozen=True, slots=True)
class ClassOfDocument:
    """What a document is: its class noun, kind, and the words that narrow it."""

    head: str
    kind: str
    nationality: str
    modifier: str
    year: int | None
    defined: bool
    """Whether a defining sentence says so, and not a mention such as "the film"."""


class TopicTable:
    """Which documents belong to which topic; documents are numbers, and those with the same classes share one entry."""

    def __init__(
        self,
        readings: Iterable[tuple[int, Sequence[ClassReading]]],
        heads: Collection[str],
        documents: int,
        knowledge: Knowledge,
        min_documents: int,
    ) -> None:
        """`heads` are the class nouns that count, `documents` is the number of documents."""
        self.knowledge = knowledge
        self._kinds, self._kind_of = _distinct_classes(readings, heads, documents, knowledge)
        counts = np.bincount(self._kind_of, minlength=len(self._kinds)).tolist()
        dominant = _dominant_modifiers(zip(self._kinds, counts, strict=True))
        by_text: dict[str, Topic] = {}
        sizes: Counter[str] = Counter()
        named = [
            {topic.text: topic for one in classes for topic in _topics(one, dominant, knowledge)}
            for classes in self._kinds
        ]
        for topics, count in zip(named, counts, strict=True):
            for text, topic in topics.items():
                by_text.setdefault(text, topic)
                sizes[text] += count
        self.sizes = {by_text[text]: size for text, size in sizes.items() if size >= min_documents}
        """The number of documents of each topic."""
        self._topics = [self._smallest_first(by_text[text] for text in topics) for topics in named]
        self._kinds_with: dict[Topic, list[int]] = defaultdict(list)
        for kind, topics_of_kind in enumerate(self._topics):
            for topic in topics_of_kind:
                self._kinds_with[topic].append(kind)
        self._attribute_topics = [self._largest_plain(topics) for topics in self._topics]

    def topics_of(self, document: int) -> tuple[Topic, ...]:
        """The topics of a document, the smallest first."""
        return self._topics[int(self._kind_of[document])]

    def is_first(self, topic: Topic, document: int) -> bool:
        """Whether the topic is what a document calls its subject first: an actor and writer is first of all an actor."""
        classes = self._kinds[int(self._kind_of[document])]
        first = classes[0] if classes else None
        return first is not None and (first.head == topic.head or first.kind == topic.kind == "film")

    def attribute_topic(self, document: int) -> Topic | None:
        """The topic to whose attributes a document contributes: its largest topic without nationality and decade."""
        return self._attribute_topics[int(self._kind_of[document])]

    def members(self, topic: Topic) -> DocumentNumbers:
        """The documents of a topic, in order."""
        within = np.zeros(len(self._topics), dtype=np.bool_)
        within[self._kinds_with.get(topic, [])] = True
        return np.flatnonzero(within[self._kind_of]).astype(np.uint32)

    def with_topic(self, fits: Callable[[Topic], bool] = lambda topic: True) -> npt.NDArray[np.bool_]:
        """For each document, whether it has a topic that fits."""
        within = np.array([any(fits(topic) for topic in topics) for topics in self._topics], dtype=np.bool_)
        return within[self._kind_of]

    def domain(self, topic: Topic) -> str:
        """The domain of a topic; `other` for a class that no domain file knows."""
        return self.knowledge.domain_of_kind.get(topic.kind, "other")

    def is_by_signs(self, topic: Topic) -> bool:
        """Whether signs may put a document on the topic, so that it need not have the topic's words."""
        definition = self.knowledge.classes.get(topic.kind)
        return definition is not None and bool(definition.signs) and topic.head == definition.heads[0]

    def _smallest_first(self, topics: Iterable[Topic]) -> tuple[Topic, ...]:
        large = [topic for topic in topics if topic in self.sizes]
        return tuple(sorted(large, key=lambda topic: (self.sizes[topic], topic.text)))

    def _largest_plain(self, topics: Sequence[Topic]) -> Topic | None:
        found = [topic for topic in topics if not topic.nationality and not topic.decade]
        return max(found, key=lambda topic: (self.sizes[topic], topic.text)) if found else None


def _distinct_classes(
    readings: Iterable[tuple[int, Sequence[ClassReading]]], heads: Collection[str], documents: int, knowledge: Knowledge
) -> tuple[list[tuple[ClassOfDocument, ...]], DocumentNumbers]:
    """The distinct combinations of classes, and which one each document has; the first is for documents without a class."""
    known: dict[tuple[ClassOfDocument, ...], int] = {(): 0}
    kind_of: DocumentNumbers = np.zeros(documents, dtype=np.uint32)
    for document, found in readings:
        kind_of[document] = known.setdefault(classes_of(found, heads, knowledge), len(known))
    return list(known), kind_of


def plural(noun: str) -> str:
    """The plural of a noun phrase: only its last word changes."""
    *rest, last = noun.split(" ")
    prefix, hyphen, core = last.rpartition("-")
    forms = get_inflections(core, "NNS")
    return " ".join([*rest, prefix + hyphen + (forms[0] if forms else core + "s")])


def plural_of_value(relation: Relation, y: str) -> str:
    """The plural noun for a value of a relation: westerns, war movies, goalkeepers."""
    return relation.nouns.get(y) or relation.noun_otherwise.format(y=y) or plural(y)


def classes_of(
    found: Sequence[ClassReading], heads: Collection[str], knowledge: Knowledge
) -> tuple[ClassOfDocument, ...]:
    """The classes of a document, as far as its class nouns are in `heads`."""
    counting = [reading for reading in found if reading.head in heads]
    known = [reading for reading in counting if reading.strength != BY_SIGNS]
    shown = [reading for reading in counting if reading.strength == BY_SIGNS]
    said = _said_classes(known)
    return tuple(dict.fromkeys(_class_of(reading, knowledge) for reading in (*said, *shown)))


def _said_classes(known: Sequence[ClassReading]) -> Sequence[ClassReading]:
    """The strongest of the phrases that say what a document is."""
    if not known:
        return ()
    best = known[0].strength
    strongest = [reading for reading in known if reading.strength == best]
    if best == 3:
        sentence = [r for r in strongest if r.start < strongest[0].end + 80]
        people = [r for r in sentence if r.kind == "person"]
        return people or sentence[:1]  # if one of several coordinated heads is a person, the document is about a person
    if len({reading.head for reading in strongest}) > 1 and best == 0:
        return ()
    return strongest[:1]


def _class_of(reading: ClassReading, knowledge: Knowledge) -> ClassOfDocument:
    words = [word for word in reading.modifiers if word not in {"-", ",", "and"}]
    years = [int(word) for word in words if _YEAR.match(word)]
    phrase = " ".join(word for word in words if not word.isdigit() and word.lower() not in query_words()["decoration"])
    nationality = _single(
        phrase,
        _values(knowledge, "work_nationality", reading.kind) + _values(knowledge, "person_nationality", reading.kind),
    )
    modifier = _single(phrase.lower(), _values(knowledge, "genre", reading.kind))
    if not modifier and reading.kind not in query_words()["genred_kinds"]:
        modifier = _compound(reading)
    return ClassOfDocument(
        reading.head, reading.kind, nationality, modifier, years[0] if years else None, reading.strength >= 2
    )


def _values(knowledge: Knowledge, relation: str, kind: str) -> tuple[str, ...]:
    found = knowledge.relations.get(relation)
    return found.values if found is not None and kind in found.kinds else ()


def _single(phrase: str, values: Iterable[str]) -> str:
    """The value that is in the phrase; empty if none or several are."""
    hits = [v for v in dict.fromkeys(values) if re.search(rf"(?<![\w-]){re.escape(v)}(?![\w-])", phrase)]
    longest = [hit for hit in hits if not any(hit != other and hit in other for other in hits)]
    return longest[0] if len(longest) == 1 else ""


def _compound(reading: ClassReading) -> str:
    """The word before the class noun, if it narrows the class: "web" in "a web framework"."""
    if not reading.modifiers:
        return ""
    words = list(reading.modifiers)
    text = words[-1]
    while len(words) > 2 and words[-2] == "-":
        text = f"{words[-3]}-{text}"
        words = words[:-2]
    return text.lower() if text.islower() and text not in query_words()["decoration"] else ""


def _dominant_modifiers(classes: Iterable[tuple[tuple[ClassOfDocument, ...], int]]) -> dict[str, str]:
    """The modifier of class nouns that usually have the same one: in some corpora every "app" is a note-taking app."""
    modifiers: dict[str, Counter[str]] = defaultdict(Counter)
    for found, count in classes:
        for one in found:
            if one.defined and one.kind not in query_words()["genred_kinds"]:
                modifiers[one.head][one.modifier] += count
    dominant = {}
    for head, counts in modifiers.items():
        modifier, count = counts.most_common(1)[0]
        if modifier and count >= DOMINANT * counts.total():
            dominant[head] = modifier
    return dominant


def _topics(one: ClassOfDocument, dominant: Mapping[str, str], knowledge: Knowledge) -> tuple[Topic, ...]:
    """The topics of a class, from the most specific to the most general."""
    noun = _plural_of(one, knowledge)
    usual = dominant.get(one.head, "")
    if usual and one.modifier in ("", usual):
        return (Topic(f"{usual} {noun}", one.head, one.kind, "", usual),)
    head = one.head if one.kind != "film" else "film"
    dated = one.year is not None and one.kind in query_words()["genred_kinds"]
    decade = f"{one.year // 10}0s" if one.year is not None and dated else ""
    topics = []
    for parts in product(*(dict.fromkeys((part, "")) for part in (decade, one.nationality, one.modifier))):
        when, nationality, modifier = parts
        words = (when, nationality, _with_modifier(modifier, noun, one.kind, knowledge))
        topics.append(Topic(" ".join(filter(None, words)), head, one.kind, nationality, modifier, when))
    return tuple(topics)


def _with_modifier(modifier: str, noun: str, kind: str, knowledge: Knowledge) -> str:
    """The class noun with its modifier, or the one noun for both: lentil soups, war films, comedies."""
    genres = knowledge.relations.get("genre")
    own = genres.nouns.get(modifier) if genres is not None and kind in genres.kinds else None
    return own or f"{modifier} {noun}".strip()


def _plural_of(one: ClassOfDocument, knowledge: Knowledge) -> str:
    definition = knowledge.classes.get(one.kind)
    return definition.plural if definition is not None and definition.plural else plural(one.head)
