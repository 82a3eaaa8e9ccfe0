"""Proposals from queries that the user gives.

"campsites with showers" already names a Y: the link word is negated in place. A query that names none is answered with
candidates for a person: nouns that split its relevant documents. Nothing of the second kind is built unasked.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from constraintsuite.build.domain import Knowledge, QueryPattern
from constraintsuite.build.queries.attributes import attribute_words
from constraintsuite.build.queries.evidence import Stances, YWords, collect_evidence
from constraintsuite.build.queries.making import Finding, make_proposal
from constraintsuite.build.queries.records import Proposal, attribute_relation
from constraintsuite.build.queries.slots import propose_slots
from constraintsuite.build.queries.topics import TopicTable
from constraintsuite.build.queries.view import CorpusView
from constraintsuite.build.queries.wording import Question, refuse
from constraintsuite.build.queries.words import query_words
from constraintsuite.records.examples import SPLITS, Split
from constraintsuite.records.text import Document, Qrel, Query
from constraintsuite.text.mentions import surface_forms
from constraintsuite.text.terms import TermAnalyser, words

MIN_EACH = 1
GIVEN_FIRST = 1000.0
"""Added to the score of a given query, so that it stands before all that was mined."""


def read_given(
    queries: Sequence[Query],
    qrels: Sequence[Qrel],
    view: CorpusView,
    splits: Mapping[str, Split],
    knowledge: Knowledge,
    rejects: Counter[str],
) -> list[Proposal]:
    """Proposals for all given queries: those that name their Y, and candidates for the others."""
    if not queries:
        return []
    relevant = _relevant(qrels, view)
    proposals: list[Proposal] = []
    terms = _TermIndex(view.documents)
    for query in queries:
        parsed = parse_query(query.text, knowledge)
        if parsed is not None:
            on_topic = relevant[query.id] or set(_on_topic(parsed.topic, view.topics, terms))
            found = _named(query, parsed, on_topic, view, splits, knowledge)
            if isinstance(found, Proposal):
                proposals.append(found)
            else:
                rejects[f"given:{found}"] += 1
        elif relevant[query.id]:
            proposals += propose_slots(query, sorted(relevant[query.id]), view.documents, view.scopes, splits)
        else:
            rejects["given:no_y_named"] += 1
    return proposals


def _relevant(qrels: Sequence[Qrel], view: CorpusView) -> dict[str, set[str]]:
    """The documents on topic by judgment: where grades go to 2 and beyond, 1 means "related" and does not count."""
    highest: Counter[str] = Counter()
    for qrel in qrels:
        highest[qrel.query] = max(highest[qrel.query], qrel.grade)
    relevant: dict[str, set[str]] = defaultdict(set)
    for qrel in qrels:
        if qrel.grade >= min(2, max(1, highest[qrel.query])) and qrel.document in view.documents:
            relevant[qrel.query].add(qrel.document)
    return relevant


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
        expression = re.escape(pattern.base).replace(r"\{topic\}", "(?P<topic>.+?)").replace(r"\{y\}", "(?P<y>.+)")
        match = re.fullmatch(expression, plain, re.IGNORECASE)
        if match and len(words(match["y"])) <= 4:
            return ParsedQuery(match["topic"], match["y"], pattern)
    return None


class _TermIndex:
    """Which documents hold a stemmed term."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self.analyser = TermAnalyser()
        self.texts = documents
        self.documents: dict[str, set[str]] = defaultdict(set)
        for document in documents.values():
            for term in set(self.analyser.terms(f"{document.title} {document.text}")):
                self.documents[term].add(document.id)

    def says(self, document: str, modifiers: str, head: str) -> bool:
        """Whether a document calls its subject by these modifiers: "a small, shady campsite" for "small campsites"."""
        text = f"{self.texts[document].title}. {self.texts[document].text}".lower()
        core = re.escape(head)
        return all(re.search(rf"\b{re.escape(word)}\W+(?:\w+\W+){{0,2}}{core}", text) for word in words(modifiers))

    def with_all(self, text: str) -> set[str]:
        """Documents that hold every term of a text."""
        sets = [self.documents.get(term, set()) for term in set(self.analyser.terms(text))]
        return set.intersection(*sets) if sets else set()


def _on_topic(topic: str, topics: TopicTable, terms: _TermIndex) -> Iterator[str]:
    """The documents of the class that the topic names, if it names one and the rest of its words stand in them."""
    topic = topic.lower()
    for known, members in sorted(topics.members.items(), key=lambda item: -len(item[0].text)):
        names = (known.text.lower(), f"{known.modifier} {known.head}".strip(), known.head)
        name = next((name for name in names if topic == name or topic.endswith(f" {name}")), None)
        if name is not None:
            rest = topic.removesuffix(name).strip()
            yield from (d for d in members if not rest or terms.says(d, rest, known.head))
            return
    yield from terms.with_all(topic)


def _named(
    query: Query,
    parsed: ParsedQuery,
    on_topic: set[str],
    view: CorpusView,
    splits: Mapping[str, Split],
    knowledge: Knowledge,
) -> Proposal | str:
    """The proposal of a query that names its Y, or the reason there is none."""
    question = _question(query, parsed)
    reason = refuse(question)
    if reason is not None:
        return reason
    words_of_y = _y_words(question.y, knowledge)
    texts = (view.documents[d] for d in sorted(on_topic))
    found = collect_evidence({"y": words_of_y}, texts, view.scopes)["y"]
    others = len(on_topic) - len(found.affirming)
    if len(found.affirming) < MIN_EACH or others < MIN_EACH:
        return "does_not_split_documents"
    domain = next((view.topics.domain(t) for d in sorted(on_topic) for t in view.topics.topics.get(d, ())), "other")
    finding = Finding(
        relation=attribute_relation(domain, parsed.pattern.link),
        domain=domain,
        words=words_of_y,
        split=_majority(on_topic, found, splits),
        topic_documents=len(on_topic),
        affirming=found.affirming,
        denying=found.denying,
        partners=others,
    )
    score = GIVEN_FIRST + len(found.denying) + len(found.affirming)
    proposal = make_proposal(("given", query.id, query.text), question, finding, status="build", score=score)
    return replace(proposal, qid=query.id, on_topic=tuple(sorted(on_topic)))


def _question(query: Query, parsed: ParsedQuery) -> Question:
    """The query as it was given and with its link negated; "no" takes the article's place."""
    topic, y, pattern = parsed
    bare = _without_article(y)
    return Question(
        topic=topic,
        y=bare,
        base=_plain(query.text),
        neg=pattern.neg.format(topic=topic, y=bare if pattern.neg.endswith("no {y}") else y),
        template=pattern.neg.replace("{topic} ", "").replace("{y}", "Y").upper().replace(" ", "_"),
        template_family="given",
        marker=pattern.marker,
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


def _majority(on_topic: set[str], found: Stances, splits: Mapping[str, Split]) -> Split:
    counts = Counter(splits[document] for document in on_topic & found.affirming)
    return max(SPLITS, key=lambda split: counts[split])  # of equal ones the first
