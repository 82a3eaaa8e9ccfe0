"""Proposals, drafts and examples for the tests of the construction, through the real records, with all that matters in sight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from constraintsuite.core.records.constraints import Evidence
from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    Example,
    ExampleDocument,
    ExampleSource,
    PoolPlace,
    Retrieval,
    Spans,
    Split,
)
from constraintsuite.core.records.text import Document
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.domain import Knowledge, load_knowledge
from constraintsuite.suites.pairs.matching import Matching, measure
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft
from constraintsuite.suites.queries.class_counts import ClassCounts
from constraintsuite.suites.queries.evidence import YWords, collect_evidence
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.topics import TopicTable
from constraintsuite.suites.reading.document import read_document
from constraintsuite.suites.reading.records import ClassReading, DocumentReading, NounsRead
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
    counts = ClassCounts()
    for classes in documents:
        counts.add(classes)
    counting = counts.established(knowledge())
    return TopicTable(enumerate(documents), counting, len(documents), knowledge(), min_documents)


def make_proposal(
    y: str,
    *,
    topic: str = "campsites",
    relation: str = "travel.has",
    satisfying: Sequence[str] = (),
    violating: Sequence[str] = (),
    on_topic: Sequence[str] = (),
    forms: tuple[str, ...] | None = None,
    kinds: tuple[str, ...] = (),
    split: Split = "train",
    topic_documents: int = 10,
) -> Proposal:
    """A proposal to leave `y` out; its id is its Y."""
    return Proposal(
        id=f"p-{y}",
        status="build",
        topic=topic,
        constraint=Exclude(value=y, cue="without", forms=surface_forms(y) if forms is None else forms, kinds=kinds),
        query=f"{topic} without {y}",
        opposite=f"{topic} with {y}",
        relation=relation,
        domain="travel",
        template="WITHOUT_Y",
        template_family="has.WITHOUT_Y",
        split=split,
        score=1.0,
        topic_documents=topic_documents,
        satisfying=tuple(satisfying),
        violating=tuple(violating),
        examples_expected=2,
        is_attribute=relation not in knowledge().relations,
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
        {p.id: YWords(p.constraint.forms, p.constraint.kinds, p.is_attribute) for p in proposals},
        (
            (Document(name, text), NounsRead(name, readings[name].scopes, readings[name].nouns))
            for name, text in texts.items()
        ),
    )
    return Matching(
        documents={name: Document(name, text) for name, text in texts.items()},
        readings=readings,
        measures={name: measure(text, readings[name].scopes) for name, text in texts.items()},
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
    slice: str = "omission",
    relation: str = "travel.has",
    couple: str = "",
    cost: float = 0.0,
    split: Split = "train",
    satisfying: str = "A campsite by the river.",
    violating: str = "A campsite with showers.",
    edit: str = "",
    changed: tuple[Spans, Spans] = ((), ()),
) -> PairDraft:
    """A draft whose proposal and documents are its own; couples share what their name says. An edit is of the first text."""
    own = couple or str(number)
    return PairDraft(
        slice,
        f"p{number}",
        relation,
        split,
        couple,
        DraftDocument(f"{own}-a", satisfying, edit, changed[0]),
        DraftDocument(f"{own}-b", violating, changed=changed[1]),
        cost,
    )


def make_example(
    number: int = 1,
    *,
    slice: str = "explicit",
    split: Split = "test",
    difficulty: str = "medium",
    satisfying: tuple[str, str, str] = ("d1", "Quiet Oak", "A campsite by the river without showers."),
    violating: tuple[str, str, str] = ("d2", "Red Barn", "A campsite on the hill with showers."),
    query: str = "campsites without showers",
    opposite: str | None = "campsites with showers",
    y: str = "showers",
) -> Example:
    """An example from two documents, each given as id, title and text; the violating one is past the pool's end."""
    evidence = tuple(
        Evidence(role, text.index(y), text.index(y) + len(y), verdict, "test")
        for role, text, verdict in (("satisfying", satisfying[2], "negated"), ("violating", violating[2], "affirmed"))
        if y in text
    )
    return Example(
        id=f"exclude_{slice}_tiny_{number:06d}",
        slice=slice,
        constraint=Exclude(value=y, cue="without", forms=(y,), evidence=evidence),
        query=query,
        opposite=opposite,
        topic="campsites",
        restated=None,
        documents=(
            ExampleDocument("satisfying", *satisfying, satisfying[0], {"topic": PoolPlace(1, 2.5)}),
            ExampleDocument("violating", *violating, violating[0], {"topic": PoolPlace(None)}),
        ),
        preferences=(QUERY_PREFERENCE,) if opposite is None else (QUERY_PREFERENCE, OPPOSITE_PREFERENCE),
        source=ExampleSource("tiny", "", Retrieval("bm25", "tiny", 200)),
        split=split,
        couple="",
        clusters=(satisfying[0], violating[0]),
        domain="travel",
        relation="travel.has",
        template="WITHOUT_Y",
        template_family="has.WITHOUT_Y",
        tags={"difficulty": difficulty, "overlap": "low", "length": "short", "explicitness": "explicit"},
        analyser="rules",
    )
