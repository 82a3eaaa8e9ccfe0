"""Proposals from queries that the user gives.

"campsites with showers" already names a Y: the link word is negated in place. A query that names none is answered with
candidates for a person: nouns that split its relevant documents. Nothing of the second kind is built unasked.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from constraintsuite.records.examples import SPLITS
from constraintsuite.records.text import Qrel, Query
from constraintsuite.suites.corpus.numbering import DocumentNumbers
from constraintsuite.suites.domain import Knowledge, QueryPattern
from constraintsuite.suites.queries.attributes import attribute_words
from constraintsuite.suites.queries.evidence import Sides, YWords, collect_sides
from constraintsuite.suites.queries.making import MinedValue, make_proposal
from constraintsuite.suites.queries.on_topic import find_on_topic
from constraintsuite.suites.queries.records import Proposal, attribute_relation
from constraintsuite.suites.queries.slots import propose_slots
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.suites.queries.wording import QueryWording, refuse
from constraintsuite.suites.queries.words import query_words
from constraintsuite.suites.splits import Splits
from constraintsuite.text.mentions import surface_forms
from constraintsuite.text.terms import words

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
