"""From an example to its contrasts: the query swapped for its opposite, and the two texts exchanged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from constraintsuite.mechanism.contrasts.asides import Asides
from constraintsuite.mechanism.contrasts.halves import clusters_of
from constraintsuite.mechanism.contrasts.queries import OppositeQueries, cue_of, opposite_twin, y_forms, y_of
from constraintsuite.mechanism.contrasts.records import ContrastHalf, ControlKind, Marked, MarkedContrast, MarkedPair
from constraintsuite.mechanism.contrasts.texts import (
    AnalysisReader,
    are_near,
    evidence_of,
    mark_texts,
    mirror,
    paint_text,
)
from constraintsuite.mechanism.contrasts.tokens import RejectedContrast
from constraintsuite.records.examples import SATISFYING, VIOLATING, Example
from constraintsuite.text.mentions import find_forms

ContrastOrRejected = MarkedContrast | RejectedContrast
"""A contrast, or why there is none."""


@dataclass(frozen=True)
class ContrastContext:
    """What is at hand when contrasts are made of an example."""

    reader: AnalysisReader
    asides: Asides
    half: ContrastHalf


def query_contrast(example: Example, bench: ContrastContext) -> ContrastOrRejected:
    """The two texts under the query and under its opposite, which prefers the other one."""
    name = f"{example.id}/query"
    if not example.is_paired:
        return RejectedContrast(name, "twin_states_no_preference")
    forms = y_forms(example)
    if forms and not find_forms(example.query, forms):
        return RejectedContrast(name, "y_not_in_query")
    twin = opposite_twin(example)
    if twin is None:
        return RejectedContrast(name, "no_twin_query")
    texts = mark_texts(example, bench.reader)
    if texts is None:
        return RejectedContrast(name, "cue_not_found")
    return swap_queries(example, name, twin, texts, bench, cue=cue_of(example))


def swap_queries(
    example: Example,
    name: str,
    twin: OppositeQueries,
    texts: tuple[Marked, Marked],
    bench: ContrastContext,
    *,
    cue: str,
    control: ControlKind = "",
) -> MarkedContrast:
    """A contrast whose two runs differ in the query; `texts` are the better and the worse under the clean one."""
    better, worse = texts
    other = bench.asides.text_for(example, bench.half)
    aside = None if other is None else Marked(other)
    return MarkedContrast(
        id=name,
        example=example.id,
        slice=example.slice,
        side="query",
        better=MarkedPair(twin.clean, better),
        worse=MarkedPair(twin.clean, worse),
        better_corrupt=MarkedPair(twin.corrupt, better),
        worse_corrupt=MarkedPair(twin.corrupt, worse),
        aside=None if aside is None else MarkedPair(twin.clean, aside),
        aside_corrupt=None if aside is None else MarkedPair(twin.corrupt, aside),
        cue=cue,
        template=example.template,
        clusters=clusters_of(example),
        half=bench.half,
        control=control,
        change=twin.change,
        y=y_of(example),
        split=example.split,
    )


def document_contrast(example: Example, bench: ContrastContext) -> ContrastOrRejected:
    """The query over two texts that differ by one edit, and over the same two exchanged."""
    name = f"{example.id}/document"
    if not _is_edit(example):
        return RejectedContrast(name, "texts_far_apart")
    satisfying, violating = (paint_text(example, role, bench.reader) for role in (SATISFYING, VIOLATING))
    twin = opposite_twin(example)
    if satisfying is None or violating is None:
        return RejectedContrast(name, "cue_not_found")
    mirror(satisfying, violating)
    mirror(violating, satisfying)
    query = Marked(example.query) if twin is None else twin.clean
    better, worse = MarkedPair(query, satisfying.marked()), MarkedPair(query, violating.marked())
    topic = bench.asides.topic_for(example, bench.half)
    return MarkedContrast(
        id=name,
        example=example.id,
        slice=example.slice,
        side="document",
        better=better,
        worse=worse,
        better_corrupt=worse,
        worse_corrupt=better,
        aside=None if topic is None else MarkedPair(Marked(topic), better.text),
        aside_corrupt=None if topic is None else MarkedPair(Marked(topic), worse.text),
        cue=next((one.cue for one in evidence_of(example, SATISFYING) if one.cue), ""),
        template=example.template,
        clusters=clusters_of(example),
        half=bench.half,
        change="texts exchanged",
        y=y_of(example),
        split=example.split,
    )


def _is_edit(example: Example) -> bool:
    """Whether one text is an edit of the other; two documents of which each was edited are two texts."""
    satisfying, violating = example.satisfying, example.violating
    both_edited = satisfying.edit != "" and violating.edit != ""
    if not example.is_edited or (both_edited and satisfying.source != violating.source):
        return False
    return are_near(satisfying.text, violating.text)


def main_contrasts(example: Example, bench: ContrastContext) -> Iterator[ContrastOrRejected]:
    """The contrast of the queries, then that of the texts, each as far as the example gives it."""
    yield query_contrast(example, bench)
    yield document_contrast(example, bench)
