"""Contrasts to compare the others with: a negation word that negates nothing, other words for the same, another thing asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from constraintsuite.mechanism.contrasts.halves import clusters_of
from constraintsuite.mechanism.contrasts.making import ContrastContext, ContrastOrRejected, swap_queries
from constraintsuite.mechanism.contrasts.painting import Painting
from constraintsuite.mechanism.contrasts.queries import (
    OppositeQueries,
    cue_of,
    find_words,
    mark_query,
    opposite_twin,
    y_forms,
    y_of,
)
from constraintsuite.mechanism.contrasts.records import ContrastSide, Marked, MarkedContrast, MarkedPair
from constraintsuite.mechanism.contrasts.texts import mark_texts
from constraintsuite.mechanism.contrasts.tokens import RejectedContrast
from constraintsuite.mechanism.contrasts.words import twin_words
from constraintsuite.records.examples import OMISSION, Example
from constraintsuite.text.mentions import find_forms


def idiom_contrast(control: Example, bench: ContrastContext) -> ContrastOrRejected:
    """A need with an idiom in it, and the same need restated in plain words: the same text is better under both."""
    name = f"{control.id}/idiom"
    if control.control is None or not control.restated or control.restated == control.query:
        return RejectedContrast(name, "no_twin_query")
    texts = mark_texts(control, bench.reader)
    if texts is None:
        return RejectedContrast(name, "cue_not_found")
    forms = y_forms(control)
    phrase = control.control.phrase
    cues = find_words(control.query, phrase) or find_words(control.query, cue_of(control))
    clean = mark_query(control.query, cues, forms)
    twin = OppositeQueries(clean, mark_query(control.restated, (), forms), f"{phrase} > ")
    return swap_queries(control, name, twin, texts, bench, cue=cue_of(control), control="idiom")


def nonflip_contrast(control: Example, original: Example | None, bench: ContrastContext) -> ContrastOrRejected:
    """An example as it was and in other words that say the same: the same text is better in both."""
    name = f"{control.id}/nonflip"
    if original is None or control.control is None:
        return RejectedContrast(name, "original_missing")
    before, after = mark_texts(original, bench.reader), mark_texts(control, bench.reader)
    if before is None or after is None:
        return RejectedContrast(name, "cue_not_found")
    changed_texts = before != after
    clean, corrupt = _query(original), _query(control)
    if changed_texts and clean.text != corrupt.text:
        return RejectedContrast(name, "both_sides_changed")
    side: ContrastSide = "document" if changed_texts else "query"
    other = (
        bench.asides.topic_for(original, bench.half) if changed_texts else bench.asides.text_for(original, bench.half)
    )
    return MarkedContrast(
        id=name,
        example=control.id,
        slice=control.slice,
        side=side,
        better=MarkedPair(clean, before[0]),
        worse=MarkedPair(clean, before[1]),
        better_corrupt=MarkedPair(corrupt, after[0]),
        worse_corrupt=MarkedPair(corrupt, after[1]),
        aside=_aside(other, clean, before[0], side),
        aside_corrupt=_aside(other, corrupt, after[0], side),
        cue=cue_of(control),
        template=control.template,
        clusters=clusters_of(control),
        half=bench.half,
        control="nonflip",
        change=control.control.kind,
        y=y_of(control),
        split=control.split,
    )


def entity_contrasts(
    examples: Sequence[Example], benches: Mapping[str, ContrastContext]
) -> Iterator[ContrastOrRejected]:
    """Of each couple, two opposite queries in the same words that ask for different things: each prefers another text.

    Only where the text that lacks a thing is silent about it: nothing in such a contrast is negated.
    """
    for example, other in _coupled(examples):
        name = f"{example.id}/entity"
        bench = benches[example.id]
        twin = _asking(example, other)
        if example.slice != OMISSION:
            yield RejectedContrast(name, "negation_in_text")
        elif twin is None:
            yield RejectedContrast(name, "other_wording")
        else:
            # The violating document is the one with Y, so it is the better one under a query that asks for Y.
            texts = _naming(example.violating.text, example, other), _naming(example.satisfying.text, example, other)
            yield swap_queries(example, name, twin, texts, bench, cue="", control="entity")


def _coupled(examples: Sequence[Example]) -> Iterator[tuple[Example, Example]]:
    """Each example of a couple of two, with the other."""
    couples: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        if example.couple:
            couples[example.couple].append(example)
    for couple in couples.values():
        if len(couple) == 2:
            first, second = couple
            yield first, second
            yield second, first


def _naming(text: str, *examples: Example) -> Marked:
    """A text with the mentions of what any of the examples leaves out."""
    painting = Painting(text, "d_other")
    for example in examples:
        painting.paint(find_forms(text, y_forms(example)), "d_y")
    return painting.marked()


def _asking(example: Example, other: Example) -> OppositeQueries | None:
    """The opposite queries of both, if they differ in nothing but the thing asked for."""
    own, others = opposite_twin(example), opposite_twin(other)
    if own is None or others is None or own.change != others.change:
        return None
    if _frame(own.corrupt) != _frame(others.corrupt) or y_of(example) == y_of(other):
        return None
    return OppositeQueries(own.corrupt, others.corrupt, f"{y_of(example)} > {y_of(other)}")


def _frame(query: Marked) -> str:
    """A query without Y; an article before it may differ."""
    ys = [mark for mark in query.marks if mark.role == "q_y"]
    if not ys:
        return query.text
    before = query.text[: ys[0].start]
    for article in twin_words().articles:
        before = before.removesuffix(f" {article} ")
    return f"{before.rstrip()} ? {query.text[ys[-1].end :]}"


def _query(example: Example) -> Marked:
    """The query with its cue, as it is marked beside its opposite."""
    twin = opposite_twin(example)
    cues = find_words(example.query, cue_of(example))
    return mark_query(example.query, cues, y_forms(example)) if twin is None else twin.clean


def _aside(other: str | None, query: Marked, text: Marked, side: ContrastSide) -> MarkedPair | None:
    if other is None:
        return None
    return MarkedPair(query, Marked(other)) if side == "query" else MarkedPair(Marked(other), text)
