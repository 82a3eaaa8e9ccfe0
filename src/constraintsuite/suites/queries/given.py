"""Proposals from queries that the user gives.

"campsites with showers" already names a Y: the link word is negated in place. A query that names none is answered with
candidates for a person: nouns that split its relevant documents. Nothing of the second kind is built unasked.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from constraintsuite.core.records.examples import SPLITS
from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.suites.corpus.corpus import DocumentNumbers
from constraintsuite.suites.domain import Knowledge, QueryPattern
from constraintsuite.suites.queries.attributes import attribute_words
from constraintsuite.suites.queries.evidence import Sides, YWords, collect_sides
from constraintsuite.suites.queries.records import Proposal, Topic, attribute_relation
from constraintsuite.suites.queries.slots import propose_slots
from constraintsuite.suites.queries.topics import TopicTable, query_words
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.suites.queries.wording import MinedValue, QueryWording, make_proposal, refuse
from constraintsuite.suites.splits import Splits
from constraintsuite.text.mentions import surface_forms
from constraintsuite.text.terms import TermAnalyser, words

MIN_EACH = 1
GIVEN_FIRST = 1000.0
"""Added to the score of a given query, so that it stands before all that was mined."""


def read_given(
    queries: Sequence[Query],
    qrels: Sequence[Qrel],
    view: CorpusView,
    splits: Splits,
    knowledge: Knowledge,
    rejects: Counter[str],
) -> list[Proposal]:
    """Proposals for all given queries: those that name their Y, and candidates for the others."""
    if not queries:
        return []
    relevant = _relevant(qrels, view)
    asked = _ask_all(queries, relevant, view, knowledge)
    proposals: list[Proposal] = []
    for place, query in enumerate(queries):
        if place in asked:
            found = _named(query, asked[place], view, splits)
            if isinstance(found, Proposal):
                proposals.append(found)
            else:
                rejects[f"given:{found}"] += 1
        elif query.id in relevant:
            names = view.corpus.numbering.names(relevant[query.id])
            proposals += propose_slots(query, names, view.corpus.documents, view.corpus.scopes, splits)
        else:
            rejects["given:no_y_named"] += 1
    return proposals


def _relevant(qrels: Sequence[Qrel], view: CorpusView) -> dict[str, DocumentNumbers]:
    """The documents on topic by judgment: where grades go to 2 and beyond, 1 means "related" and does not count."""
    highest: Counter[str] = Counter()
    for qrel in qrels:
        highest[qrel.query] = max(highest[qrel.query], qrel.grade)
    relevant: dict[str, set[int]] = defaultdict(set)
    for qrel in qrels:
        if qrel.grade >= min(2, max(1, highest[qrel.query])):
            number = view.corpus.numbering.of(qrel.document)
            if number is not None and view.read[number]:
                relevant[qrel.query].add(number)
    return {query: np.array(sorted(numbers), dtype=np.uint32) for query, numbers in relevant.items()}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query that names its Y, with the documents on its topic and what they say."""

    question: QueryWording
    words: YWords
    link: str
    on_topic: DocumentNumbers
    sides: Sides


def _ask_all(
    queries: Sequence[Query], relevant: Mapping[str, DocumentNumbers], view: CorpusView, knowledge: Knowledge
) -> dict[int, _Asked]:
    """By place among the queries; one pass over the corpus finds what is on topic, another what it says, for all of them."""
    found = ((place, parse_query(query.text, knowledge)) for place, query in enumerate(queries))
    parsed = {place: one for place, one in found if one is not None}
    judged = {place: relevant[queries[place].id] for place in parsed if queries[place].id in relevant}
    on_topic = judged | find_on_topic({place: parsed[place].topic for place in parsed.keys() - judged.keys()}, view)
    questions = {place: _question(queries[place], one) for place, one in parsed.items()}
    words_of = {str(place): _y_words(question.y, knowledge) for place, question in questions.items()}
    wanted = np.zeros(len(view.corpus.numbering), dtype=np.bool_)
    for numbers in on_topic.values():
        wanted[numbers] = True
    sides = collect_sides(words_of, view.corpus.scoped(wanted))
    return {
        place: _Asked(questions[place], words_of[str(place)], one.pattern.link, on_topic[place], sides[str(place)])
        for place, one in parsed.items()
    }


class ParsedQuery(NamedTuple):
    """A query that names an attribute."""

    topic: str
    y: str
    pattern: QueryPattern


def parse_query(text: str, knowledge: Knowledge) -> ParsedQuery | None:
    """Topic, Y and pattern of a query that names an attribute; None if it does not."""
    plain = _plain(text)
    if query_words().negative & set(words(plain)) or "other than" in plain.lower():
        return None  # it leaves something out already
    for pattern in knowledge.patterns:
        expression = re.escape(pattern.opposite).replace(r"\{topic\}", "(?P<topic>.+?)").replace(r"\{y\}", "(?P<y>.+)")
        match = re.fullmatch(expression, plain, re.IGNORECASE)
        if match and len(words(match["y"])) <= 4:
            return ParsedQuery(match["topic"], match["y"], pattern)
    return None


def _named(query: Query, asked: _Asked, view: CorpusView, splits: Splits) -> Proposal | str:
    """The proposal of a query that names its Y, or the reason there is none."""
    reason = refuse(asked.question)
    if reason is not None:
        return reason
    affirming = np.intersect1d(asked.sides.affirming, asked.on_topic, assume_unique=True)
    denying = np.intersect1d(asked.sides.denying, asked.on_topic, assume_unique=True)
    others = len(asked.on_topic) - len(affirming)
    if len(affirming) < MIN_EACH or others < MIN_EACH:
        return "does_not_split_documents"
    topics = (topic for number in asked.on_topic for topic in view.topics.topics_of(number))
    domain = next((view.topics.domain(topic) for topic in topics), "other")
    names = view.corpus.numbering.names
    counts = splits.count(affirming)
    finding = MinedValue(
        relation=attribute_relation(domain, asked.link),
        domain=domain,
        words=asked.words,
        split=max(SPLITS, key=lambda split: counts[split]),  # of equal ones the first
        topic_documents=len(asked.on_topic),
        affirming=names(affirming),
        denying=names(denying),
        partners=others,
        is_attribute=True,
    )
    score = GIVEN_FIRST + len(denying) + len(affirming)
    proposal = make_proposal(("given", query.id, query.text), asked.question, finding, status="build", score=score)
    return replace(proposal, query_id=query.id, on_topic=names(asked.on_topic))


def _question(query: Query, parsed: ParsedQuery) -> QueryWording:
    """The query as it was given and with its link negated; "no" takes the article's place."""
    topic, y, pattern = parsed
    bare = _without_article(y)
    return QueryWording(
        topic=topic,
        y=bare,
        opposite=_plain(query.text),
        query=pattern.query.format(topic=topic, y=bare if pattern.query.endswith("no {y}") else y),
        template=pattern.query.replace("{topic} ", "").replace("{y}", "Y").upper().replace(" ", "_"),
        template_family="given",
        cue=pattern.cue,
    )


def _plain(query: str) -> str:
    """A query with single blanks and without its question mark."""
    return " ".join(query.split()).rstrip("?.! ")


def _without_article(y: str) -> str:
    first, _, rest = y.partition(" ")
    return rest if rest and first in query_words().articles else y


def _y_words(y: str, knowledge: Knowledge) -> YWords:
    """All forms of Y as it was given; what is narrower is looked up by its singular."""
    forms = surface_forms(y)
    return YWords(forms, attribute_words(min(forms, key=len), knowledge).blocked)


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
