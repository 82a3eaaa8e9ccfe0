"""The JSON of the ConstraintSuite guide (version 0, negation), both ways.

Field names and order are the guide's. One label is added where an example states it: what the query without the
constraint prefers, which the guide leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from constraintsuite.records.examples import (
    CONTROL_SLICES,
    MAIN_SLICES,
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    RESTATED_PREFERENCE,
    SATISFYING,
    VIOLATING,
    Control,
    Example,
    ExampleDocument,
    ExampleSource,
    PoolPlace,
    QueryRole,
    Retrieval,
    Split,
)
from constraintsuite.suites.constraints.exclude import Exclude

SUITES: Mapping[str, str] = {f"negation_{name}": name for name in MAIN_SLICES} | {
    f"controls_{name}": name for name in CONTROL_SLICES
}
"""What the guide calls a suite, and our slice of it."""
_NAMES = {name: suite for suite, name in SUITES.items()}
_UNSTATED = "unstated"
"""Kind of a control that comes from the guide's JSON, which does not say what was changed."""


AS_WRITTEN = {"extra": "forbid", "strict": True}
"""A field that has no place here would be lost, and a value of another type is not what the guide means."""


@dataclass(frozen=True, slots=True)
class GuideRetrieval:
    """How the candidate pool was made, and where the two documents stood in it (`source.retrieval`)."""

    __pydantic_config__ = AS_WRITTEN

    method: str
    index: str
    k_pool: int
    rank_pos_in_pool: int | None
    rank_neg_in_pool: int | None


@dataclass(frozen=True, slots=True)
class GuideSource:
    """The corpus, the query and the two documents that a line was made from."""

    __pydantic_config__ = AS_WRITTEN

    corpus: str
    qid: str
    doc_pos_id: str
    doc_neg_id: str
    retrieval: GuideRetrieval | None = None


@dataclass(frozen=True, slots=True)
class GuideQuery:
    """`query`: without the negation, and with it."""

    __pydantic_config__ = AS_WRITTEN

    base: str
    neg: str
    template: str


@dataclass(frozen=True, slots=True)
class GuideConstraint:
    """`constraint`; type `none` for a control whose query excludes nothing."""

    __pydantic_config__ = AS_WRITTEN

    type: Literal["exclude", "none"]
    y: str
    negation_marker: str
    y_surface_forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GuideDocument:
    """One of the two documents."""

    __pydantic_config__ = AS_WRITTEN

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class GuideDocuments:
    """`docs`: `pos` satisfies the constraint, `neg` violates it."""

    __pydantic_config__ = AS_WRITTEN

    pos: GuideDocument
    neg: GuideDocument


@dataclass(frozen=True, slots=True)
class GuideTags:
    """Groups that a line belongs to, by the guide's rules."""

    __pydantic_config__ = AS_WRITTEN

    difficulty: str
    doc_pos_mentions_y: bool
    doc_neg_mentions_y: bool
    y_negated_in_doc_pos: bool
    lexical_overlap_bin: str
    doc_length_bin: str
    negation_explicitness: str


@dataclass(frozen=True, slots=True)
class GuideExample:
    """One line of the guide's files."""

    __pydantic_config__ = AS_WRITTEN

    id: str
    suite: str
    source: GuideSource
    query: GuideQuery
    constraint: GuideConstraint
    docs: GuideDocuments
    labels: Mapping[str, str]
    tags: GuideTags


_QUERY_LABEL = "pairwise_preference_for_query_neg"
_BASE_LABEL = "pairwise_preference_for_query_base"
_POS_FIRST, _NEG_FIRST, _NO_LABEL = "pos_over_neg", "neg_over_pos", "none"


def to_guide(example: Example) -> GuideExample | None:
    """The example in the guide's words; None where it has no exclusion, no second query, or more than two documents."""
    constraint = example.constraint
    base = example.opposite if example.restated is None else example.restated
    is_pair = len(example.documents) == 2
    if not (is_pair and isinstance(constraint, Exclude)) or base is None or example.slice not in _NAMES:
        return None
    turns_round = example.restated is None and OPPOSITE_PREFERENCE in example.preferences
    states_same = example.restated is not None and RESTATED_PREFERENCE in example.preferences
    base_label = _NEG_FIRST if turns_round else _POS_FIRST if states_same else None
    return GuideExample(
        id=example.id,
        suite=_NAMES[example.slice],
        source=GuideSource(
            example.source.corpus,
            example.source.query_id,
            example.satisfying.source,
            example.violating.source,
            _retrieval(example),
        ),
        query=GuideQuery(base, example.query, example.template),
        constraint=GuideConstraint(
            "exclude" if constraint.stated_by == "query" else "none",
            constraint.value,
            constraint.cue,
            constraint.forms,
        ),
        docs=GuideDocuments(_document(example.satisfying), _document(example.violating)),
        labels={_QUERY_LABEL: _POS_FIRST} | ({_BASE_LABEL: base_label} if base_label else {}),
        tags=_tags(example, constraint),
    )


def from_guide(line: GuideExample, split: Split) -> Example:
    """The example that a line of the guide's JSON states, and no more; a ValueError says what it lacks."""
    if line.suite not in SUITES:
        raise ValueError(f"suite is {line.suite!r}; the guide has {', '.join(SUITES)}")
    unknown = sorted(line.labels.keys() - {_QUERY_LABEL, _BASE_LABEL})
    if unknown:
        raise ValueError(f"labels.{unknown[0]} is no label that is known here; take it out")
    if line.labels.get(_QUERY_LABEL) != _POS_FIRST:
        raise ValueError(f"labels.{_QUERY_LABEL} must be {_POS_FIRST!r}")
    slice_name, base_label = SUITES[line.suite], line.labels.get(_BASE_LABEL, _NO_LABEL)
    if base_label not in (_NEG_FIRST, _POS_FIRST, _NO_LABEL):
        allowed = f"{_NEG_FIRST!r}, {_POS_FIRST!r} or {_NO_LABEL!r}"
        raise ValueError(f"labels.{_BASE_LABEL} is {base_label!r}; it may be {allowed}")
    texts = {"query.neg": line.query.neg, "query.base": line.query.base}
    texts |= {"docs.pos.text": line.docs.pos.text, "docs.neg.text": line.docs.neg.text}
    empty = [name for name, text in texts.items() if not text.strip()]
    if empty:
        raise ValueError(f"{', '.join(empty)} must hold a word")
    restates = base_label == _POS_FIRST
    places = line.source.retrieval
    documents = (
        _read_document(SATISFYING, line.docs.pos, line.source.doc_pos_id, places.rank_pos_in_pool if places else None),
        _read_document(VIOLATING, line.docs.neg, line.source.doc_neg_id, places.rank_neg_in_pool if places else None),
    )
    preferences = {_NEG_FIRST: (OPPOSITE_PREFERENCE,), _POS_FIRST: (RESTATED_PREFERENCE,)}.get(base_label, ())
    return Example(
        id=line.id,
        slice=slice_name,
        constraint=Exclude(
            value=line.constraint.y,
            cue=line.constraint.negation_marker,
            forms=line.constraint.y_surface_forms,
            stated_by="query" if line.constraint.type == "exclude" else "opposite",
        ),
        query=line.query.neg,
        opposite=None if restates else line.query.base,
        topic=None,
        restated=line.query.base if restates else None,
        documents=documents,
        preferences=(QUERY_PREFERENCE, *preferences),
        source=ExampleSource(
            line.source.corpus,
            line.source.qid,
            Retrieval(places.method, places.index, places.k_pool) if places else None,
        ),
        split=split,
        couple="",
        clusters=tuple(sorted({line.source.doc_pos_id, line.source.doc_neg_id})),
        template=line.query.template,
        template_family="given",
        tags={
            "difficulty": line.tags.difficulty,
            "overlap": line.tags.lexical_overlap_bin,
            "length": line.tags.doc_length_bin,
            "explicitness": line.tags.negation_explicitness,
            "satisfying_mentions": _yes(line.tags.doc_pos_mentions_y),
            "violating_mentions": _yes(line.tags.doc_neg_mentions_y),
            "satisfying_denies": _yes(line.tags.y_negated_in_doc_pos),
        },
        control=Control(_UNSTATED, "") if slice_name in CONTROL_SLICES else None,
    )


def _retrieval(example: Example) -> GuideRetrieval | None:
    found = example.source.retrieval
    if found is None:
        return None
    ranks = (_rank(example.satisfying), _rank(example.violating))
    return GuideRetrieval(found.method, found.index, found.k_pool, *ranks)


def _rank(document: ExampleDocument) -> int | None:
    place = document.pools.get("topic")
    return place.rank if place else None


def _document(document: ExampleDocument) -> GuideDocument:
    return GuideDocument(document.id, document.title, document.text)


def _read_document(role: str, document: GuideDocument, source: str, rank: int | None) -> ExampleDocument:
    pools: dict[QueryRole, PoolPlace] = {} if rank is None else {"topic": PoolPlace(rank)}
    return ExampleDocument(role, document.id, document.title, document.text, source, pools)


def _tags(example: Example, constraint: Exclude) -> GuideTags:
    """As the tags say; what they leave out follows from the evidence."""
    mentioned = {one.document for one in constraint.evidence}
    denied = {one.document for one in constraint.evidence if one.value == "negated"}
    return GuideTags(
        difficulty=example.tags.get("difficulty", "unknown"),
        doc_pos_mentions_y=_said(example, "satisfying_mentions", SATISFYING in mentioned),
        doc_neg_mentions_y=_said(example, "violating_mentions", VIOLATING in mentioned),
        y_negated_in_doc_pos=_said(example, "satisfying_denies", SATISFYING in denied),
        lexical_overlap_bin=example.tags.get("overlap", "unknown"),
        doc_length_bin=example.tags.get("length", "unknown"),
        negation_explicitness=example.tags.get("explicitness", "unknown"),
    )


def _said(example: Example, tag: str, found: bool) -> bool:
    return example.tags[tag] == _yes(True) if tag in example.tags else found


def _yes(said: bool) -> str:
    return "yes" if said else "no"
