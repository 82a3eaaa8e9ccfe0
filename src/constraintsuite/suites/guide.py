"""Converts examples to the JSON of the ConstraintSuite guide (version 0, negation) and back.

Names and order of fields follow the guide. One label is added if an example states it: the preference under the query
without the constraint, which the guide leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from constraintsuite.core.records.examples import (
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
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.suites.constraints.exclude import Exclude

SUITES: Mapping[str, str] = {f"negation_{name}": name for name in MAIN_SLICES} | {
    f"controls_{name}": name for name in CONTROL_SLICES
}
"""The suites of the guide, with one for `open_omission`, which it does not have; and our slices for them."""
_NAMES = {name: suite for suite, name in SUITES.items()}
_UNSTATED = "unstated"
"""Kind of an imported control: the guide does not say what was changed."""


class _GuidePart(StrictModel, strict=True):
    """A part of a line; unknown fields, which would be lost, and values of another type are errors."""


class GuideRetrieval(_GuidePart):
    """`source.retrieval`: how the candidate pool was made, and the ranks of the two documents in it."""

    method: str
    index: str
    k_pool: int
    rank_pos_in_pool: int | None
    rank_neg_in_pool: int | None


class GuideSource(_GuidePart):
    """`source`: the corpus, the query and the two documents that a line was made from."""

    corpus: str
    qid: str
    doc_pos_id: str
    doc_neg_id: str
    retrieval: GuideRetrieval | None = None


class GuideQuery(_GuidePart):
    """`query`: the query without the negation, and with it."""

    base: str
    neg: str
    template: str


class GuideConstraint(_GuidePart):
    """`constraint`; its type is `none` for a control whose query excludes nothing."""

    type: Literal["exclude", "none"]
    y: str
    negation_marker: str
    y_surface_forms: tuple[str, ...]


class GuideDocument(_GuidePart):
    """One of the two documents."""

    id: str
    title: str
    text: str


class GuideDocuments(_GuidePart):
    """`docs`: `pos` satisfies the constraint, `neg` violates it."""

    pos: GuideDocument
    neg: GuideDocument


class GuideTags(_GuidePart):
    """`tags`: groups that a line belongs to, by the rules of the guide."""

    difficulty: str
    doc_pos_mentions_y: bool
    doc_neg_mentions_y: bool
    y_negated_in_doc_pos: bool
    lexical_overlap_bin: str
    doc_length_bin: str
    negation_explicitness: str


class GuideExample(_GuidePart):
    """One line of the guide's files."""

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
    """The example as a line of the guide; None if it has no exclusion, no second query, or more than two documents."""
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
            corpus=example.source.corpus,
            qid=example.source.query_id,
            doc_pos_id=example.satisfying.source,
            doc_neg_id=example.violating.source,
            retrieval=_retrieval(example),
        ),
        query=GuideQuery(base=base, neg=example.query, template=example.template),
        constraint=GuideConstraint(
            type="exclude" if constraint.stated_by == "query" else "none",
            y=constraint.value,
            negation_marker=constraint.cue,
            y_surface_forms=constraint.forms,
        ),
        docs=GuideDocuments(pos=_document(example.satisfying), neg=_document(example.violating)),
        labels={_QUERY_LABEL: _POS_FIRST} | ({_BASE_LABEL: base_label} if base_label else {}),
        tags=_tags(example, constraint),
    )


def from_guide(line: GuideExample, split: Split) -> Example:
    """The example of a line of the guide; a ValueError says what is wrong with the line."""
    if line.suite not in SUITES:
        raise ValueError(f"suite is {line.suite!r}; the guide has {', '.join(SUITES)}")
    unknown = sorted(line.labels.keys() - {_QUERY_LABEL, _BASE_LABEL})
    if unknown:
        raise ValueError(f"labels.{unknown[0]} is not a known label; remove it")
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
    ranks = (places.rank_pos_in_pool, places.rank_neg_in_pool) if places else (None, None)
    documents = (
        _read_document(SATISFYING, line.docs.pos, line.source.doc_pos_id, ranks[0]),
        _read_document(VIOLATING, line.docs.neg, line.source.doc_neg_id, ranks[1]),
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
        tags={name: str(getattr(line.tags, key)) for name, key in _TAGS.items()}
        | {name: _yes(getattr(line.tags, key)) for name, (key, _, _) in _FINDINGS.items()},
        control=Control(_UNSTATED, "") if slice_name in CONTROL_SLICES else None,
    )


def _retrieval(example: Example) -> GuideRetrieval | None:
    found = example.source.retrieval
    if found is None:
        return None
    pos, neg = (
        place.rank if (place := one.pools.get("topic")) else None for one in (example.satisfying, example.violating)
    )
    return GuideRetrieval(
        method=found.method, index=found.index, k_pool=found.k_pool, rank_pos_in_pool=pos, rank_neg_in_pool=neg
    )


def _document(document: ExampleDocument) -> GuideDocument:
    return GuideDocument(id=document.id, title=document.title, text=document.text)


def _read_document(role: str, document: GuideDocument, source: str, rank: int | None) -> ExampleDocument:
    pools: dict[QueryRole, PoolPlace] = {} if rank is None else {"topic": PoolPlace(rank)}
    return ExampleDocument(role, document.id, document.title, document.text, source, pools)


_TAGS = {
    "difficulty": "difficulty",
    "overlap": "lexical_overlap_bin",
    "length": "doc_length_bin",
    "explicitness": "negation_explicitness",
}
"""Our tags, and their names in the guide."""
_FINDINGS = {
    "satisfying_mentions": ("doc_pos_mentions_y", SATISFYING, ("affirmed", "negated", "uncertain")),
    "violating_mentions": ("doc_neg_mentions_y", VIOLATING, ("affirmed", "negated", "uncertain")),
    "satisfying_denies": ("y_negated_in_doc_pos", SATISFYING, ("negated",)),
}
"""Tags that follow from the evidence if an example lacks them: the name in the guide, the document, and its verdicts."""


def _tags(example: Example, constraint: Exclude) -> GuideTags:
    """The tags of the example; those that it lacks follow from the evidence."""
    evidence = {(one.document, one.value) for one in constraint.evidence}
    found = {
        key: example.tags.get(name, _yes(any((role, value) in evidence for value in values))) == _yes(True)
        for name, (key, role, values) in _FINDINGS.items()
    }
    return GuideTags.model_validate({key: example.tags.get(name, "unknown") for name, key in _TAGS.items()} | found)


def _yes(value: bool) -> str:
    return "yes" if value else "no"
