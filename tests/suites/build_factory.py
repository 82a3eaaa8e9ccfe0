"""Proposals, drafts and examples for the tests of the construction, through the real records, with all that matters in sight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

from constraintsuite.records.examples import (
    Constraint,
    DocumentPair,
    Edit,
    Example,
    ExampleDocument,
    ExampleQuery,
    Labels,
    Provenance,
    Retrieval,
    Slice,
    Split,
    Tags,
)
from constraintsuite.records.text import Document
from constraintsuite.suites.domain import Knowledge, load_knowledge
from constraintsuite.suites.pairs.couples import Matching, measure
from constraintsuite.suites.pairs.records import Draft
from constraintsuite.suites.queries.evidence import YWords, collect_evidence
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.topics import TopicTable, defining_heads, established
from constraintsuite.suites.reading.document import read_document
from constraintsuite.suites.reading.records import ClassReading, DocumentReading
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import surface_forms


@cache
def knowledge() -> Knowledge:
    """The bundled domain files, read once."""
    return load_knowledge()


def read_all(texts: Mapping[str, str], titles: Mapping[str, str] | None = None) -> dict[str, DocumentReading]:
    """What the analyser `rules` makes of each text."""
    analyses = get_analyser("rules").analyse(texts.values())
    return {
        name: read_document(Document(name, texts[name], (titles or {}).get(name, "")), analysis, knowledge())
        for name, analysis in zip(texts, analyses, strict=True)
    }


def make_topics(documents: Sequence[tuple[ClassReading, ...]], min_documents: int) -> TopicTable:
    """The topics of documents that are said to be these things; a document is its place."""
    heads = Counter(head for classes in documents for head in defining_heads(classes))
    counting = established(heads, knowledge())
    return TopicTable(enumerate(documents), counting, len(documents), knowledge(), min_documents)


def make_proposal(
    y: str,
    *,
    topic: str = "campsites",
    relation: str = "travel.has",
    affirming: Sequence[str] = (),
    denying: Sequence[str] = (),
    on_topic: Sequence[str] = (),
    forms: tuple[str, ...] | None = None,
    blocked: tuple[str, ...] = (),
    split: Split = "train",
    topic_documents: int = 10,
) -> Proposal:
    """A proposal to leave `y` out; its id is its Y."""
    return Proposal(
        id=f"p-{y}",
        status="build",
        topic=topic,
        y=y,
        relation=relation,
        domain="travel",
        base=f"{topic} with {y}",
        neg=f"{topic} without {y}",
        template="WITHOUT_Y",
        template_family="has.WITHOUT_Y",
        marker="without",
        forms=surface_forms(y) if forms is None else forms,
        blocked=blocked,
        split=split,
        score=1.0,
        topic_documents=topic_documents,
        affirming=tuple(affirming),
        denying=tuple(denying),
        examples_expected=2,
        on_topic=tuple(on_topic),
    )


def make_matching(
    texts: Mapping[str, str],
    proposals: Sequence[Proposal],
    *,
    clusters: Mapping[str, str] | None = None,
    years: Mapping[str, int] | None = None,
    splits: Mapping[str, Split] | None = None,
    pooled: Sequence[str] | None = None,
    scores: Mapping[str, float] | None = None,
) -> Matching:
    """What is known of `texts`: the evidence is read from them, and unless said otherwise all are in every pool."""
    readings = read_all(texts)
    evidence = collect_evidence(
        {p.id: YWords(p.forms, p.blocked) for p in proposals},
        ((Document(name, text), readings[name].scopes) for name, text in texts.items()),
    )
    return Matching(
        documents={name: Document(name, text) for name, text in texts.items()},
        measures={name: measure(text) for name, text in texts.items()},
        clusters=clusters or {},
        years=years or {},
        splits=splits or dict.fromkeys(texts, "train"),
        evidence=evidence,
        topic_scores={p.topic: scores or {} for p in proposals},
        best_scores={p.topic: max((scores or {}).values(), default=1.0) or 1.0 for p in proposals},
        pooled={p.id: frozenset(texts if pooled is None else pooled) for p in proposals},
    )


def make_draft(
    number: int,
    *,
    slice: Slice = "negation_omission",
    relation: str = "travel.has",
    couple: str = "",
    cost: float = 0.0,
    split: Split = "train",
    pos: str = "A campsite by the river.",
    neg: str = "A campsite with showers.",
    edit: Edit | None = None,
) -> Draft:
    """A draft whose proposal and documents are its own; couples share what their name says."""
    own = couple or str(number)
    return Draft(slice, f"p{number}", relation, split, couple, f"{own}-a", f"{own}-b", pos, neg, cost, edit)


def make_example(
    number: int = 1,
    *,
    suite: Slice = "negation_explicit",
    split: Split = "test",
    difficulty: Literal["easy", "medium", "hard"] = "medium",
    pos: tuple[str, str, str] = ("d1", "Quiet Oak", "A campsite by the river without showers."),
    neg: tuple[str, str, str] = ("d2", "Red Barn", "A campsite on the hill with showers."),
    base: str = "campsites with showers",
    negated: str = "campsites without showers",
    y: str = "showers",
) -> Example:
    """An example from two documents, each given as id, title and text."""
    return Example(
        id=f"{suite}_tiny_{number:06d}",
        suite=suite,
        source=Provenance("tiny", "", pos[0], neg[0], Retrieval("bm25", "tiny", 200, 1, None, 2.5)),
        query=ExampleQuery(base, negated, "WITHOUT_Y", "campsites", "has.WITHOUT_Y"),
        constraint=Constraint("exclude", y, "without", (y,)),
        docs=DocumentPair(ExampleDocument(*pos), ExampleDocument(*neg)),
        labels=Labels(),
        tags=Tags(difficulty, True, True, True, "low", "short", "explicit"),
        domain="travel",
        relation="travel.has",
        split=split,
        couple="",
        clusters=(pos[0], neg[0]),
        analyser="rules",
    )
