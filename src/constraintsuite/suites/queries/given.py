"""Proposes queries from those that the user gives.

A query such as "campsites with showers" names a Y. It keeps its words, and its link word is negated in place for the query that
excludes Y; a query such as "campsites without showers" is asked as it is. For a query that names none, `slots.py` proposes nouns
that split its relevant documents; these are not built without approval.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.suites.corpus.corpus import DocumentNumbers
from constraintsuite.suites.domain import Knowledge, QueryPattern
from constraintsuite.suites.queries.evidence import Sides, YWords, collect_sides
from constraintsuite.suites.queries.left_out import attribute_words
from constraintsuite.suites.queries.records import Proposal, Topic, attribute_relation
from constraintsuite.suites.queries.slots import propose_slots
from constraintsuite.suites.queries.topics import TopicTable, plural
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.suites.queries.wording import QueryWording, find_slot_fault, make_proposal
from constraintsuite.suites.splits import AskedSplits
from constraintsuite.suites.word_lists import query_words
from constraintsuite.text.mentions import surface_forms
from constraintsuite.text.terms import TermAnalyser, words

_ANALYSER = TermAnalyser()
_ENDINGS = "?.! "
GIVEN_FIRST = 1000.0
"""Added to the score of a given query, so that it comes before all mined ones."""


def read_given(
    queries: Sequence[Query],
    qrels: Sequence[Qrel],
    view: CorpusView,
    splits: AskedSplits,
    knowledge: Knowledge,
    rejects: Counter[str],
) -> list[Proposal]:
    """Proposals for all given queries: those that name their Y, and candidates for the others."""
    if not queries:
        return []
    relevant = _read_judgments(qrels, view)
    asked = _collect_asked(queries, relevant, view, knowledge)
    proposals: list[Proposal] = []
    for place, query in enumerate(queries):
        if place in asked:
            found = list(_propose(query, asked[place], view, splits))
            proposals += found
            fault = find_slot_fault(asked[place].wording) or "does_not_split_documents"
            rejects.update([f"given:{fault}"] if not found else [])
        elif query.id in relevant:
            names = view.corpus.numbering.names(relevant[query.id])
            proposals += propose_slots(query, names, view.corpus.documents, view.corpus.scopes, splits.documents)
        else:
            rejects["given:no_y_named"] += 1
    return proposals


def _read_judgments(qrels: Sequence[Qrel], view: CorpusView) -> dict[str, DocumentNumbers]:
    """The relevant documents of each query; if its grades reach 2, grade 1 means "related" and does not count."""
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
    """A query that names its Y, the documents on its topic, and those that affirm and deny Y."""

    wording: QueryWording
    words: YWords
    link: str
    on_topic: DocumentNumbers
    sides: Sides


def _collect_asked(
    queries: Sequence[Query], relevant: Mapping[str, DocumentNumbers], view: CorpusView, knowledge: Knowledge
) -> dict[int, _Asked]:
    """The queries that name their Y, by place; two passes over the corpus serve all of them."""
    found = ((place, parse_query(query.text, knowledge)) for place, query in enumerate(queries))
    parsed = {place: one for place, one in found if one is not None}
    judged = {place: relevant[queries[place].id] for place in parsed if queries[place].id in relevant}
    on_topic = judged | find_on_topic({place: parsed[place].topic for place in parsed.keys() - judged.keys()}, view)
    wordings = {place: _word_query(queries[place], one) for place, one in parsed.items()}
    words_of = {str(place): _y_words(wording.y, knowledge) for place, wording in wordings.items()}
    wanted = np.zeros(len(view.corpus.numbering), dtype=np.bool_)
    for numbers in on_topic.values():
        wanted[numbers] = True
    sides = collect_sides(words_of, view.corpus.read(wanted))
    return {
        place: _Asked(wordings[place], words_of[str(place)], one.pattern.link, on_topic[place], sides[str(place)])
        for place, one in parsed.items()
    }


class ParsedQuery(NamedTuple):
    """A query that names an attribute, taken apart."""

    topic: str
    y: str
    pattern: QueryPattern
    excludes: bool
    """Whether it asks for the topic without Y."""


def parse_query(text: str, knowledge: Knowledge) -> ParsedQuery | None:
    """Topic, Y and pattern of a query that names an attribute; None if it does not, or excludes it in an unknown way."""
    plain = _plain(text)
    negative = bool(query_words()["negative"] & set(words(plain))) or "other than" in plain.lower()
    for pattern in knowledge.patterns:
        template = pattern.query if negative else pattern.opposite
        expression = re.escape(template).replace(r"\{topic\}", "(?P<topic>.+?)").replace(r"\{y\}", "(?P<y>.+)")
        match = re.fullmatch(expression, plain, re.IGNORECASE)
        if match and len(words(match["y"])) <= 4:
            return ParsedQuery(match["topic"], match["y"], pattern, negative)
    return None


def _propose(query: Query, asked: _Asked, view: CorpusView, splits: AskedSplits) -> Iterator[Proposal]:
    """The proposals of a query that names its Y, one for each split that has documents with Y and without it."""
    if find_slot_fault(asked.wording) is not None:
        return
    affirming = np.intersect1d(asked.sides.affirming, asked.on_topic, assume_unique=True)
    denying = np.intersect1d(asked.sides.denying, asked.on_topic, assume_unique=True)
    topics = (topic for number in asked.on_topic for topic in view.topics.topics_of(number))
    domain = next((view.topics.domain(topic) for topic in topics), "other")
    names = view.corpus.numbering.names
    for split, (affirmed, denied, on_topic) in splits.deal(query.text, affirming, denying, asked.on_topic):
        if len(on_topic) == len(affirmed):
            continue
        yield make_proposal(
            ("given", query.id, query.text, split),
            [asked.wording],
            asked.words,
            relation=attribute_relation(domain, asked.link),
            domain=domain,
            split=split,
            status="build",
            score=GIVEN_FIRST + len(denied) + len(affirmed),
            affirming=names(affirmed),
            denying=names(denied),
            topic_documents=len(asked.on_topic),
            partners=len(on_topic) - len(affirmed),
            query_id=query.id,
            on_topic=names(on_topic),
        )


def _word_query(query: Query, parsed: ParsedQuery) -> QueryWording:
    """The query in the words in which it was given, and with its link turned round; "no" takes the place of an article."""
    topic, y, pattern, excludes = parsed
    bare = _without_article(y)
    given = query.text.strip()
    ending = given[len(given.rstrip(_ENDINGS)) :]
    turned = (
        pattern.opposite.format(topic=topic, y=y)
        if excludes
        else pattern.query.format(topic=topic, y=bare if pattern.query.endswith("no {y}") else y)
    )
    return QueryWording(
        topic=topic,
        y=bare,
        opposite=turned + ending if excludes else given,
        query=given if excludes else turned + ending,
        template=pattern.query.replace("{topic} ", "").replace("{y}", "Y").upper().replace(" ", "_"),
        template_family="given",
        cue=pattern.cue,
    )


def _plain(query: str) -> str:
    """A query with single blanks and without its question mark."""
    return " ".join(query.split()).rstrip(_ENDINGS)


def _without_article(y: str) -> str:
    first, _, rest = y.partition(" ")
    return rest if rest and first in query_words()["articles"] else y


def _y_words(y: str, knowledge: Knowledge) -> YWords:
    """All forms of a given Y; narrower words are looked up by its singular."""
    forms = surface_forms(y)
    return YWords(forms, attribute_words(min(forms, key=len), knowledge).blocked)


def find_on_topic(topics: Mapping[int, str], view: CorpusView) -> dict[int, DocumentNumbers]:
    """The documents on each topic, under the same keys; texts are read once, and only if classes do not decide it.

    A topic that names a class has its documents, or those that also say the words before the class noun. Any other topic has
    the documents with all its terms.
    """
    found: dict[int, DocumentNumbers] = {}
    modifiers: dict[Topic, dict[int, str]] = defaultdict(dict)
    terms: dict[int, frozenset[str]] = {}
    for key, text in topics.items():
        topic, rest = _find_class(text.lower(), view.topics)
        if topic is None:
            terms[key] = frozenset(_ANALYSER.terms(text.lower()))
        elif rest:
            modifiers[topic][key] = rest
        else:
            found[key] = view.topics.members(topic)
    searched = {key: array("I") for key in topics.keys() - found.keys()}
    for key, number in _search_texts(modifiers, terms, view) if searched else ():
        searched[key].append(number)
    return found | {key: np.sort(np.array(numbers, dtype=np.uint32)) for key, numbers in searched.items()}


def _search_texts(
    modifiers: Mapping[Topic, Mapping[int, str]], terms: Mapping[int, frozenset[str]], view: CorpusView
) -> Iterator[tuple[int, int]]:
    """Key and number of each document that says the modifiers of its class, or has all terms of a topic."""
    keys_by_term: dict[str, list[int]] = defaultdict(list)  # each key under one of its terms only
    for key, wanted in terms.items():
        keys_by_term[min(wanted, default="")].append(key)
    all_terms = frozenset[str]().union(*terms.values())
    for number, line, _ in view.corpus.passages():
        classes = [topic for topic in view.topics.topics_of(number) if topic in modifiers]
        if not classes and not all_terms:
            continue
        document = line.parse(Document)
        for topic in classes:
            yield from ((key, number) for key, rest in modifiers[topic].items() if _says(document, rest, topic.head))
        if all_terms:
            present = all_terms.intersection(_ANALYSER.terms(f"{document.title} {document.text}"))
            keys = (key for term in present for key in keys_by_term.get(term, ()))
            yield from ((key, number) for key in keys if terms[key] <= present)


def _find_class(text: str, topics: TopicTable) -> tuple[Topic | None, str]:
    """The class that a topic names, the longest name first, and the words before it."""
    for topic in sorted(topics.sizes, key=lambda topic: -len(topic.text)):
        names = [topic.text.lower()]
        if not topic.nationality and not topic.decade:
            names += [f"{topic.modifier} {noun}".strip() for noun in (plural(topic.head), topic.head)]
        name = next((name for name in names if text == name or text.endswith(f" {name}")), None)
        if name is not None:
            return topic, text.removesuffix(name).strip()
    return None, ""


def _says(document: Document, modifiers: str, head: str) -> bool:
    """Whether a document calls its subject by these modifiers: "a small, shady campsite" for "small campsites"."""
    text = f"{document.title}. {document.text}".lower()
    core = re.escape(head)
    return all(re.search(rf"\b{re.escape(word)}\W+(?:\w+\W+){{0,2}}{core}", text) for word in words(modifiers))
