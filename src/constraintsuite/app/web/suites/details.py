"""One example in full: its marks, what differs between its documents, its neighbours, and why it is in the suite."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from pydantic import ValidationError

from constraintsuite.app.pages.marks import MarkedDocument, Segment, cut, evidence_of, excerpt, marks_of, query_marks
from constraintsuite.app.web.suites.search import SuiteIndex
from constraintsuite.app.web.suites.text_marks import DiffSegment, read_scopes, scope_marks, word_diff
from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import MINPAIRS, OMISSION, QUERY_ROLES, Example, ExampleDocument, QueryRole
from constraintsuite.core.records.figures import CellValue, ColumnKind, percent
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.core.store.jsonl import encode
from constraintsuite.suites.filters import topic_share
from constraintsuite.suites.pairs.couples import length_ratio
from constraintsuite.suites.recipe import FilterSettings, PairSettings
from constraintsuite.text.base import Scope
from constraintsuite.text.neardup import jaccard
from constraintsuite.text.terms import words

LONGEST = 20_000
"""Characters; of a longer text only the neighbourhood of the marks is shown, of longer JSON only its address."""
_PLACE: tuple[tuple[str, ColumnKind], ...] = (("rank", "count"), ("score", "number"))


@dataclass(frozen=True)
class Detail:
    """All that a suite knows of an example."""

    example: Example
    query: tuple[Segment, ...]
    queries: tuple[DiffSegment, ...]
    """The opposite and the query as one text."""
    more: tuple[tuple[str, str], ...]
    """What the type of the constraint adds to it: names and values."""
    documents: tuple[MarkedDocument, ...]
    scoped: bool
    """Whether scopes are marked."""
    scopes: str
    """Where the marked scopes come from, or why there are none."""
    changes: tuple[DiffSegment, ...]
    """The violating document and the satisfying one as one text; empty where they are two."""
    evidence: Table
    ranks: Table | None
    passed: Table | None
    related: tuple[tuple[Example, str], ...]
    """Other examples that belong to this one, and why."""
    raw: str


def describe_example(index: SuiteIndex, example: Example) -> Detail:
    """An example of a suite with its marks, its neighbours and its reasons."""
    texts = [document.text for document in example.documents]
    read = read_scopes(example.analyser, texts)
    scopes: Sequence[Sequence[Scope] | None] = read.scopes or [None] * len(texts)
    return Detail(
        example,
        cut(example.query, query_marks(example)),
        word_diff(example.opposite, example.query) if example.opposite else (),
        tuple(describe_type_fields(example.constraint)) if example.constraint else (),
        tuple(_document(example, one, found) for one, found in zip(example.documents, scopes, strict=True)),
        read.scopes is not None,
        read.note,
        word_diff(example.violating.text, example.satisfying.text),
        _evidence(example),
        _ranks(example),
        why_passed(example, index.suite.artifact.manifest.settings),
        tuple(_related(index, example)),
        raw_json(example),
    )


def raw_json(example: Example) -> str:
    """As it stands in its file, with line breaks."""
    return json.dumps(json.loads(encode(example)), indent=2, ensure_ascii=False)


def _document(example: Example, document: ExampleDocument, scopes: Sequence[Scope] | None) -> MarkedDocument:
    marks = marks_of(example, document.role)
    if scopes is not None:  # the analyser knows which of several equal words is the cue
        marks = [mark for mark in marks if mark.kind != "cue"] + scope_marks(scopes)
    segments = cut(document.text, marks)
    return MarkedDocument(document, excerpt(segments) if len(document.text) > LONGEST else segments)


def _evidence(example: Example) -> Table:
    columns = (Column("evidence"), Column("document"), Column("value"), Column("cue"), Column("rule"))
    rows = tuple(
        (example.document(one.document).text[one.start : one.end], one.document, one.value, one.cue or "–", one.rule)
        for one in evidence_of(example)
    )
    return Table("evidence", "Each place that decides whether a document meets the constraint.", columns, rows)


def _ranks(example: Example) -> Table | None:
    """None where no candidates were searched for."""
    found = example.source.retrieval
    if found is None:
        return None
    pools = [role for role in QUERY_ROLES if any(role in document.pools for document in example.documents)]
    columns = (
        Column("document"),
        *(Column(f"{what} for the {pool}", kind) for pool in pools for what, kind in _PLACE),
    )
    rows: tuple[tuple[CellValue, ...], ...] = tuple(
        (document.role, *(value for pool in pools for value in _place(document, pool)))
        for document in example.documents
    )
    caption = (
        f"Where the documents stood among the first {found.k_pool:,} that {found.method} found for a query. A dash: not "
        "among them."
    )
    return Table("ranks", caption, columns, rows)


def _place(document: ExampleDocument, pool: QueryRole) -> tuple[int | None, float | None]:
    place = document.pools.get(pool)
    return (None, None) if place is None else (place.rank, place.score)


def _related(index: SuiteIndex, example: Example) -> Iterator[tuple[Example, str]]:
    if example.control is not None and example.control.original in index.places:
        yield index.get(example.control.original), "what this control was made from"
    for other in index.examples:
        edited_alike = other.is_edited == example.is_edited  # natural texts and edited ones are couples apart
        if other.id == example.id:
            continue
        if example.couple and other.couple == example.couple and edited_alike:
            yield other, "couple: the same two documents with the roles exchanged"
        elif other.control is not None and other.control.original == example.id:
            yield other, f"control: {other.control.kind.replace('_', ' ')}"


def describe_type_fields(constraint: Constraint) -> Iterator[tuple[str, str]]:
    """Name and value of each field that the type of a constraint adds, where it holds anything."""
    shared = {field.name for field in fields(Constraint)}
    for field in fields(constraint):
        if field.name not in shared and (value := _in_words(getattr(constraint, field.name))):
            yield field.name.replace("_", " "), value


def _in_words(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, Mapping):
        parts = {name: _in_words(part) for name, part in value.items()}
        return "; ".join(f"{name}: {words}" for name, words in parts.items() if words)
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


_COLUMNS = (Column("filter"), Column("asks"), Column("satisfying document"), Column("violating document"))


def why_passed(example: Example, settings: Mapping[str, Any]) -> Table | None:
    """One row per filter; None for what no filter has seen: imported pairs, and controls, which are made of what passed."""
    if example.control is not None:
        return None
    try:
        filters = FilterSettings.model_validate(settings["filters"])
        pairs = PairSettings.model_validate(settings["pairs"])
    except (KeyError, ValidationError):
        return None
    rows = tuple(_rows(example, filters, pairs))
    return Table("why_it_passed", "What the recipe asked, and what this example has.", _COLUMNS, rows)


def _rows(example: Example, filters: FilterSettings, pairs: PairSettings) -> Iterator[tuple[str, ...]]:
    documents = (example.satisfying, example.violating)
    if example.slice == OMISSION:
        asked = "the satisfying document has no evidence, and none in the violating one meets the constraint"
    else:
        asked = "all evidence in the satisfying document meets the constraint, and none in the violating one"
    if example.constraint is not None:
        yield "verdicts", asked, *(_evidence_passing(example.constraint, document.role) for document in documents)
    first, second = (len(document.text.split()) for document in documents)
    asked = f"the longer is at most {pairs.max_length_ratio:g} times the shorter: {length_ratio(first, second):.2f}"
    yield "length", asked, f"{first:,} words", f"{second:,} words"
    asked = f"holds at least {percent(filters.min_topic_overlap)} of the words of the topic"
    shares = [topic_share(example.topic or "", document.title, document.text) for document in documents]
    yield "topic", asked, *("–" if share is None else percent(share) for share in shares)
    if example.slice == MINPAIRS:
        asked = "the two texts differ; a minimal pair may be as alike as it can be"
    else:
        asked = f"at most {percent(filters.max_pair_similarity)} of all words stand in both"
    alike = jaccard(*(set(words(document.text)) for document in documents))
    yield "similarity", asked, f"{percent(alike)} in both", f"{percent(alike)} in both"
    if example.is_edited:
        yield "wording", "the edit leaves no fault behind", *map(_edited, documents)


def _evidence_passing(constraint: Constraint, role: str) -> str:
    """What was read in a document, and in how many places."""
    found = [one.value for one in constraint.evidence if one.document == role]
    return f"{' and '.join(dict.fromkeys(found))}, {_places(len(found))}" if found else "no evidence"


def _edited(document: ExampleDocument) -> str:
    where = f"differs in {_places(len(document.changed))}" if document.changed else "differs nowhere"
    return f"edited, {where}" if document.edit else f"not edited, {where}"


def _places(count: int) -> str:
    return f"{count} {'place' if count == 1 else 'places'}"
