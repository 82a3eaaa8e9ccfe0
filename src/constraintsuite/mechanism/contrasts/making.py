"""From an example to its contrasts: the query swapped for its affirmative twin, and the two texts exchanged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from constraintsuite.mechanism.contrasts.asides import Asides
from constraintsuite.mechanism.contrasts.halves import clusters_of
from constraintsuite.mechanism.contrasts.queries import Twin, affirmative_twin, y_forms
from constraintsuite.mechanism.contrasts.records import Contrast, ControlKind, Half, Marked, MarkedPair
from constraintsuite.mechanism.contrasts.texts import Reader, are_near, mark_texts, mirror, paint_text
from constraintsuite.mechanism.contrasts.tokens import Rejected
from constraintsuite.records.examples import Example
from constraintsuite.text.mentions import find_forms

Made = Contrast | Rejected
"""A contrast, or why there is none."""


@dataclass(frozen=True)
class Bench:
    """What is at hand when contrasts are made of an example."""

    reader: Reader
    asides: Asides
    half: Half


def query_contrast(example: Example, bench: Bench) -> Made:
    """The two texts under the query and under its affirmative twin, which prefers the other one."""
    name = f"{example.id}/query"
    if example.labels.pairwise_preference_for_query_base != "neg_over_pos":
        return Rejected(name, "twin_states_no_preference")
    forms = y_forms(example)
    if forms and not find_forms(example.query.neg, forms):
        return Rejected(name, "y_not_in_query")
    twin = affirmative_twin(example)
    if twin is None:
        return Rejected(name, "no_twin_query")
    texts = mark_texts(example, bench.reader)
    if texts is None:
        return Rejected(name, "cue_not_found")
    return swap_queries(example, name, twin, texts, bench, cue=example.constraint.negation_marker)


def swap_queries(
    example: Example,
    name: str,
    twin: Twin,
    texts: tuple[Marked, Marked],
    bench: Bench,
    *,
    cue: str,
    control: ControlKind = "",
) -> Contrast:
    """A contrast whose two runs differ in the query; `texts` are the better and the worse under the clean one."""
    better, worse = texts
    other = bench.asides.text_for(example, bench.half)
    aside = None if other is None else Marked(other)
    return Contrast(
        id=name,
        example=example.id,
        suite=example.suite,
        side="query",
        better=MarkedPair(twin.clean, better),
        worse=MarkedPair(twin.clean, worse),
        better_corrupt=MarkedPair(twin.corrupt, better),
        worse_corrupt=MarkedPair(twin.corrupt, worse),
        aside=None if aside is None else MarkedPair(twin.clean, aside),
        aside_corrupt=None if aside is None else MarkedPair(twin.corrupt, aside),
        cue=cue,
        template=example.query.template,
        clusters=clusters_of(example),
        half=bench.half,
        control=control,
        change=twin.change,
        y=example.constraint.y,
        split=example.split,
    )


def document_contrast(example: Example, bench: Bench) -> Made:
    """The query over two texts that differ by one edit, and over the same two exchanged."""
    name = f"{example.id}/document"
    if not _is_edit(example):
        return Rejected(name, "texts_far_apart")
    pos, neg = paint_text(example, "pos", bench.reader), paint_text(example, "neg", bench.reader)
    twin = affirmative_twin(example)
    if pos is None or neg is None:
        return Rejected(name, "cue_not_found")
    mirror(pos, neg)
    mirror(neg, pos)
    query = Marked(example.query.neg) if twin is None else twin.clean
    better, worse = MarkedPair(query, pos.marked()), MarkedPair(query, neg.marked())
    topic = bench.asides.topic_for(example, bench.half)
    return Contrast(
        id=name,
        example=example.id,
        suite=example.suite,
        side="document",
        better=better,
        worse=worse,
        better_corrupt=worse,
        worse_corrupt=better,
        aside=None if topic is None else MarkedPair(Marked(topic), better.text),
        aside_corrupt=None if topic is None else MarkedPair(Marked(topic), worse.text),
        cue=next((one.cue for one in example.evidence if one.document == "pos" and one.cue), ""),
        template=example.query.template,
        clusters=clusters_of(example),
        half=bench.half,
        change="texts exchanged",
        y=example.constraint.y,
        split=example.split,
    )


def _is_edit(example: Example) -> bool:
    """Whether one text is an edit of the other; two documents of which each was edited are two texts."""
    same_source = example.source.doc_pos_id == example.source.doc_neg_id
    if example.edit is None or (example.edit.document == "both" and not same_source):
        return False
    return are_near(example.docs.pos.text, example.docs.neg.text)


def main_contrasts(example: Example, bench: Bench) -> Iterator[Made]:
    """Both, as far as the example gives them."""
    yield query_contrast(example, bench)
    yield document_contrast(example, bench)
