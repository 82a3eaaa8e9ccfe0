"""The page of one example: its marks, the difference of its documents, related examples, and why it is in the suite."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from threading import Lock
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from constraintsuite.app.pages.marks import (
    MarkedDocument,
    Segment,
    TextMark,
    cut,
    describe_evidence,
    evidence_of,
    excerpt,
    marks_of,
    query_marks,
)
from constraintsuite.app.web.suites.search import SuiteIndex
from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import MINPAIRS, OMISSIONS, QUERY_ROLES, Example, ExampleDocument, QueryRole
from constraintsuite.core.records.figures import CellValue, ColumnKind, percent
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.core.store.jsonl import encode
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.filters import topic_share
from constraintsuite.suites.pairs.matching import length_ratio
from constraintsuite.suites.recipe import FilterSettings, PairSettings
from constraintsuite.text import ANALYSERS
from constraintsuite.text.base import Scope, ScopeKind
from constraintsuite.text.choice import choose_analyser, get_analyser
from constraintsuite.text.neardup import jaccard
from constraintsuite.text.overlap import BoundedMatcher
from constraintsuite.text.terms import words

LONGEST = 20_000
"""Characters; a longer text is shown near its marks only, and longer JSON only as a link."""
_PLACE: tuple[tuple[str, ColumnKind], ...] = (("rank", "count"), ("score", "number"))


@dataclass(frozen=True)
class Detail:
    """Everything that the page of an example shows."""

    example: Example
    query: tuple[Segment, ...]
    queries: tuple[DiffSegment, ...]
    """The opposite and the query as one text."""
    more: tuple[tuple[str, str], ...]
    """Fields of the type of the constraint: names and values."""
    documents: tuple[MarkedDocument, ...]
    scoped: bool
    """Whether scopes are marked."""
    scopes: str
    """The source of the marked scopes, or why there are none."""
    changes: tuple[DiffSegment, ...]
    """The two documents as one text with their differences; empty if they differ too much."""
    evidence: Table
    ranks: Table | None
    passed: Table | None
    related: tuple[tuple[Example, str], ...]
    """Related examples, and how they are related."""
    raw: str


def describe_example(index: SuiteIndex, example: Example) -> Detail:
    """Collect everything that the page of an example shows."""
    texts = [document.text for document in example.documents]
    read = _read_scopes_of(example, texts)
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


def _read_scopes_of(example: Example, texts: Sequence[str]) -> ReadScopes:
    """What negations reach; nothing for a limit, a place or a list, which no negation decides."""
    constraint = example.constraint
    decided = constraint is None or isinstance(constraint, Exclude) or any(one.cue for one in constraint.evidence)
    if not decided:
        return ReadScopes(None, "Negations decide nothing here, so their scopes are not marked.")
    return read_scopes(example.analyser, texts)


def raw_json(example: Example) -> str:
    """The record of the example as indented JSON."""
    return json.dumps(json.loads(encode(example)), indent=2, ensure_ascii=False)


def _document(example: Example, document: ExampleDocument, scopes: Sequence[Scope] | None) -> MarkedDocument:
    marks = marks_of(example, document.role)
    if scopes is not None:  # the analyser knows which of several equal words is the cue
        marks = [mark for mark in marks if mark.kind != "cue"] + _scope_marks(scopes)
    segments = cut(document.text, marks)
    return MarkedDocument(document, excerpt(segments) if len(document.text) > LONGEST else segments)


def _evidence(example: Example) -> Table:
    columns = tuple(map(Column, ("evidence", "document", "value", "says", "cue", "rule")))
    rows = tuple(
        (
            example.document(one.document).text[one.start : one.end],
            one.document,
            one.value,
            describe_evidence(example, one),
            one.cue or "–",
            one.rule,
        )
        for one in evidence_of(example)
    )
    return Table("evidence", "The places that decide whether a document meets the constraint.", columns, rows)


def _ranks(example: Example) -> Table | None:
    """The ranks of the documents among the candidates; None if there was no search for candidates."""
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
        f"Ranks of the documents among the first {found.k_pool:,} that {found.method} found for a query. A dash means: not among "
        "them."
    )
    return Table("ranks", caption, columns, rows)


def _place(document: ExampleDocument, pool: QueryRole) -> tuple[int | None, float | None]:
    place = document.pools.get(pool)
    return (None, None) if place is None else (place.rank, place.score)


def _related(index: SuiteIndex, example: Example) -> Iterator[tuple[Example, str]]:
    if example.control is not None and example.control.original in index.places:
        yield index.get(example.control.original), "the example that this control was made from"
    for other in index.examples:
        edited_alike = other.is_edited == example.is_edited  # natural and edited texts form separate couples
        if other.id == example.id:
            continue
        if example.couple and other.couple == example.couple and edited_alike:
            yield other, "couple: the same two documents with the roles exchanged"
        elif other.control is not None and other.control.original == example.id:
            yield other, f"control: {other.control.kind.replace('_', ' ')}"


def describe_type_fields(constraint: Constraint) -> Iterator[tuple[str, str]]:
    """Name and value of each field that the type of a constraint adds, without empty ones."""
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
    if isinstance(value, float):
        return f"{value:g}" if abs(value) < 1e6 else f"{value:,.0f}"
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


_COLUMNS = (Column("filter"), Column("asks"), Column("satisfying document"), Column("violating document"))


def why_passed(example: Example, settings: Mapping[str, Any]) -> Table | None:
    """One row per filter of the build; None for imported pairs and controls, which no filter has checked."""
    if example.control is not None:
        return None
    try:
        filters = FilterSettings.model_validate(settings["filters"])
        pairs = PairSettings.model_validate(settings["pairs"])
    except (KeyError, ValidationError):
        return None
    rows = tuple(_rows(example, filters, pairs))
    return Table("why_it_passed", "What the recipe requires, and what this example has.", _COLUMNS, rows)


def _rows(example: Example, filters: FilterSettings, pairs: PairSettings) -> Iterator[tuple[str, ...]]:
    documents = (example.satisfying, example.violating)
    if example.slice in OMISSIONS:
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
        asked = f"at most {percent(filters.max_pair_similarity)} of all words are in both"
    alike = jaccard(*(set(words(document.text)) for document in documents))
    yield "similarity", asked, f"{percent(alike)} in both", f"{percent(alike)} in both"
    if example.is_edited:
        yield "wording", "the edit leaves no fault behind", *map(_edited, documents)


def _evidence_passing(constraint: Constraint, role: str) -> str:
    """What the evidence in a document says, and the number of places."""
    found = [constraint.verdict(one) for one in constraint.evidence if one.document == role]
    return f"{' and '.join(dict.fromkeys(found))}, {_places(len(found))}" if found else "no evidence"


def _edited(document: ExampleDocument) -> str:
    where = f"differs in {_places(len(document.changed))}" if document.changed else "differs nowhere"
    return f"edited, {where}" if document.edit else f"not edited, {where}"


def _places(count: int) -> str:
    return f"{count} {'place' if count == 1 else 'places'}"


ALIKE = 0.6
"""Share of words that two texts must have in common for a readable difference."""
LONGEST_DIFF = 4_000
"""Words and spaces; longer texts are not compared."""
_WORD = re.compile(r"\w+(?:['’]\w+)*|\s+|[^\w\s]")


class DiffSegment(NamedTuple):
    """A piece of text, and whether only the first or only the second text has it."""

    text: str
    only: Literal["", "first", "second"]


def word_diff(first: str, second: str) -> tuple[DiffSegment, ...]:
    """Two texts as one, with the pieces that only one of them has; empty if they differ too much."""
    a, b = _WORD.findall(first), _WORD.findall(second)
    matcher = BoundedMatcher(a, b)
    if max(len(a), len(b)) > LONGEST_DIFF or matcher.quick_ratio() < ALIKE or matcher.ratio() < ALIKE:
        return ()
    changes: list[DiffSegment] = []
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal":
            changes.append(DiffSegment("".join(a[a1:a2]), ""))
        else:
            changes += [DiffSegment("".join(a[a1:a2]), "first")] if a2 > a1 else []
            changes += [DiffSegment("".join(b[b1:b2]), "second")] if b2 > b1 else []
    return tuple(changes)


LONGEST_READ = 20_000
"""Characters; longer texts are not analysed while a person waits for the page."""
_KINDS: Mapping[ScopeKind, str] = {"negated": "scope", "uncertain": "scope-uncertain", "affirmed": "scope-affirmed"}
_ONE_AT_A_TIME = Lock()  # analysers are not thread-safe


class ReadScopes(NamedTuple):
    """The scopes of each text, or why there are none."""

    scopes: tuple[tuple[Scope, ...], ...] | None
    note: str


def read_scopes(analyser: str, texts: Sequence[str]) -> ReadScopes:
    """The scopes that an analyser finds in texts, if it is installed; nothing is downloaded."""
    if analyser not in ANALYSERS.names():
        return ReadScopes(None, "These texts were not analysed, so no scopes are marked.")
    if analyser == "parser" and choose_analyser("auto") != analyser:
        return ReadScopes(
            None, f"Scopes are not marked: the analyser of this suite, {analyser!r}, is not installed here."
        )
    if max(map(len, texts), default=0) > LONGEST_READ:
        return ReadScopes(None, f"Scopes are not marked: a text is longer than {LONGEST_READ:,} characters.")
    return ReadScopes(tuple(_scopes(analyser, text) for text in texts), f"Scopes are from the analyser {analyser!r}.")


def _scope_marks(scopes: Sequence[Scope]) -> list[TextMark]:
    """A mark for each scope, and one for its cue."""
    reach = [TextMark(scope.start, scope.end, _KINDS[scope.kind]) for scope in scopes]
    return reach + [TextMark(scope.cue_start, scope.cue_end, "cue") for scope in scopes]


@lru_cache(maxsize=512)
def _scopes(analyser: str, text: str) -> tuple[Scope, ...]:
    with _ONE_AT_A_TIME:
        return next(iter(get_analyser(analyser).analyse([text]))).scopes
