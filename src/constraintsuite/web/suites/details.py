"""One example in full."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from constraintsuite.records.examples import Example
from constraintsuite.reports.marks import Segment, cut, excerpt, marks_of, query_marks
from constraintsuite.reports.tables import Column, Table
from constraintsuite.store.jsonl import encode
from constraintsuite.text.base import Scope
from constraintsuite.web.suites.diff import Change, word_diff
from constraintsuite.web.suites.finding import SuiteIndex
from constraintsuite.web.suites.passing import why_passed
from constraintsuite.web.suites.scopes import read_scopes, scope_marks

LONGEST = 20_000
"""Characters; of a longer text only the neighbourhood of the marks is shown, of longer JSON only its address."""
Side = Literal["pos", "neg"]
_ROLES: dict[Side, Literal["satisfying", "violating"]] = {"pos": "satisfying", "neg": "violating"}


@dataclass(frozen=True)
class ShownSide:
    """One of the two documents with its marks."""

    role: Literal["satisfying", "violating"]
    id: str
    title: str
    segments: tuple[Segment, ...]
    shortened: bool
    cues: tuple[str, ...]


@dataclass(frozen=True)
class Kin:
    """Another example that belongs to this one."""

    example: Example
    why: str


@dataclass(frozen=True)
class Detail:
    """All that a suite knows of an example."""

    example: Example
    query: tuple[Segment, ...]
    queries: tuple[Change, ...]
    """The affirmative query and the negated one as one text."""
    sides: tuple[ShownSide, ShownSide]
    scopes: str
    """Where the marked scopes come from, or why there are none."""
    documents: tuple[Change, ...]
    """The violating document and the satisfying one as one text; empty where they are two."""
    evidence: Table
    ranks: Table
    passed: Table | None
    kin: tuple[Kin, ...]
    raw: str


def describe_example(index: SuiteIndex, example: Example) -> Detail:
    """An example of a suite with its marks, its neighbours and its reasons."""
    pos, neg = example.docs.pos, example.docs.neg
    read = read_scopes(example.analyser, (pos.text, neg.text))
    scopes = read.scopes or (None, None)
    return Detail(
        example,
        cut(example.query.neg, query_marks(example)),
        word_diff(example.query.base, example.query.neg) if example.query.base else (),
        (_side(example, "pos", scopes[0]), _side(example, "neg", scopes[1])),
        read.note,
        word_diff(neg.text, pos.text),
        _evidence(example),
        _ranks(example),
        why_passed(example, index.suite.artifact.manifest.settings),
        tuple(_kin(index, example)),
        raw_json(example),
    )


def raw_json(example: Example) -> str:
    """As it stands in its file, with line breaks."""
    return json.dumps(json.loads(encode(example)), indent=2, ensure_ascii=False)


def _side(example: Example, side: Side, scopes: Sequence[Scope] | None) -> ShownSide:
    document = example.docs.pos if side == "pos" else example.docs.neg
    marks = marks_of(example, side)
    if scopes is not None:  # the analyser knows which of several equal words is the cue
        marks = [mark for mark in marks if mark.kind != "cue"] + scope_marks(scopes)
    segments, shortened = cut(document.text, marks), len(document.text) > LONGEST
    cues = example.tags.cues_in_doc_pos if side == "pos" else example.tags.cues_in_doc_neg
    return ShownSide(
        _ROLES[side], document.id, document.title, excerpt(segments) if shortened else segments, shortened, cues
    )


def _evidence(example: Example) -> Table:
    columns = (Column("mention"), Column("in the document"), Column("verdict"), Column("cue"), Column("rule"))
    texts = {"pos": example.docs.pos.text, "neg": example.docs.neg.text}
    rows = tuple(
        (texts[one.document][one.start : one.end], _ROLES[one.document], one.verdict, one.cue or "–", one.rule)
        for one in example.evidence
    )
    return Table("evidence", "Every mention of what is left out, and what decided.", columns, rows)


def _ranks(example: Example) -> Table:
    found = example.source.retrieval
    columns = (
        Column("document"),
        *(
            Column(f"{what} {pool}", "count" if what == "rank" else "number")
            for pool in ("for the topic", "with it")
            for what in ("rank", "score")
        ),
    )
    rows = (
        ("satisfying", found.rank_pos_in_pool, found.score_pos_topic, found.rank_pos_affirmative, found.score_pos_affirmative),
        ("violating", found.rank_neg_in_pool, found.score_neg_topic, found.rank_neg_affirmative, found.score_neg_affirmative),
    )  # fmt: skip
    caption = (
        f"Where the two stood among the first {found.k_pool:,} of {found.method}: for the topic alone, and for the "
        "affirmative query. A dash: not among them."
    )
    return Table("ranks", caption, columns, rows)


def _kin(index: SuiteIndex, example: Example) -> list[Kin]:
    kin = []
    if example.control is not None and example.control.of in index.places:
        kin.append(Kin(index.get(example.control.of), "what this control was made from"))
    for other in index.examples:
        if other.id == example.id:
            continue
        edited_alike = (other.edit is None) == (example.edit is None)  # natural texts and edited ones are couples apart
        if example.couple and other.couple == example.couple and edited_alike:
            kin.append(Kin(other, "the same two documents, the other way round"))
        elif other.control is not None and other.control.of == example.id:
            kin.append(Kin(other, f"control: {other.control.kind.replace('_', ' ')}"))
    return kin
