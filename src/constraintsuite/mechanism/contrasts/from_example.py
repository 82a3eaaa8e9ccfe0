"""The contrasts of one example: its query replaced by the opposite, its texts exchanged, and the controls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from constraintsuite.core.records.examples import OMISSIONS, SATISFYING, VIOLATING, Example
from constraintsuite.mechanism.contrasts.records import (
    CONTROL_KINDS,
    ContrastHalf,
    ContrastSide,
    Marked,
    MarkedContrast,
    MarkedPair,
    RoleSpans,
)
from constraintsuite.mechanism.contrasts.role_marks import (
    AnalysisReader,
    OppositeQueries,
    are_near,
    cue_of,
    evidence_of,
    find_words,
    mark_query,
    mark_texts,
    mirror,
    opposite_queries,
    opposite_words,
    paint_text,
    type_of,
    y_forms,
    y_of,
)
from constraintsuite.mechanism.contrasts.selection import clusters_of
from constraintsuite.mechanism.contrasts.unrelated_pairs import UnrelatedPairs, unrelated_pair
from constraintsuite.text.mentions import find_forms

ContrastOrReason = MarkedContrast | str
"""A contrast, or the reason why there is none."""


@dataclass(frozen=True)
class ContrastContext:
    """What is needed to make contrasts of an example: an analyser of its texts, unrelated pairs, and its half."""

    reader: AnalysisReader
    unrelated: UnrelatedPairs
    half: ContrastHalf


class _Input(NamedTuple):
    """The input of one run of a contrast."""

    query: Marked
    better: Marked
    worse: Marked


def query_contrast(example: Example, context: ContrastContext) -> ContrastOrReason:
    """The two texts under the query, and under its opposite, which prefers the other text."""
    if not example.is_paired:
        return "opposite_states_no_preference"
    forms = y_forms(example)
    if forms and not find_forms(example.query, forms):
        return "y_not_in_query"
    queries = opposite_queries(example)
    if queries is None:
        return "no_opposite_query"
    texts = mark_texts(example, context.reader)
    if texts is None:
        return "cue_not_found"
    return _swap_queries(example, "query", queries, texts, context, cue_of(example))


def document_contrast(example: Example, context: ContrastContext) -> ContrastOrReason:
    """The query over two texts that differ by one edit, and over the same texts exchanged."""
    if not _is_edit(example):
        return "texts_far_apart"
    satisfying, violating = (paint_text(example, role, context.reader) for role in (SATISFYING, VIOLATING))
    if satisfying is None or violating is None:
        return "cue_not_found"
    mirror(satisfying, violating)
    mirror(violating, satisfying)
    queries = opposite_queries(example)
    query = Marked(example.query) if queries is None else queries.clean
    better, worse = satisfying.marked(), violating.marked()
    cue = next((one.cue for one in evidence_of(example, SATISFYING) if one.cue), "")
    runs = _Input(query, better, worse), _Input(query, worse, better)
    return _make_contrast(example, "document", runs, context, cue=cue, change="texts exchanged")


def idiom_contrast(control: Example, context: ContrastContext) -> ContrastOrReason:
    """A query with an idiom, and the same query in plain words: the same text is better under both."""
    if control.control is None or not control.restated or control.restated == control.query:
        return "no_opposite_query"
    texts = mark_texts(control, context.reader)
    if texts is None:
        return "cue_not_found"
    forms, phrase = y_forms(control), control.control.phrase
    cues = find_words(control.query, phrase) or find_words(control.query, cue_of(control))
    clean, restated = mark_query(control.query, cues, forms), mark_query(control.restated, (), forms)
    queries = OppositeQueries(clean, restated, f"{phrase} > ")
    return _swap_queries(control, "idiom", queries, texts, context, cue_of(control))


def nonflip_contrast(control: Example, original: Example | None, context: ContrastContext) -> ContrastOrReason:
    """An example, and the same example in other words: the same text is better in both."""
    if original is None or control.control is None:
        return "original_missing"
    before, after = mark_texts(original, context.reader), mark_texts(control, context.reader)
    if before is None or after is None:
        return "cue_not_found"
    clean, corrupt = _Input(_query(original), *before), _Input(_query(control), *after)
    if before != after and clean.query.text != corrupt.query.text:
        return "both_sides_changed"
    runs, cue = (clean, corrupt), cue_of(control)
    return _make_contrast(
        control, "nonflip", runs, context, cue=cue, change=control.control.kind, unrelated_to=original
    )


def entity_contrasts(
    examples: Sequence[Example], contexts: Mapping[str, ContrastContext]
) -> Iterator[tuple[Example, ContrastOrReason]]:
    """For each couple, two opposite queries in the same words that ask for different things: each prefers another text.

    Only where the text that lacks a thing does not mention it, so that nothing in the contrast is negated.
    """
    for example, other in _coupled(examples):
        context = contexts[example.id]
        queries = _entity_queries(example, other)
        if example.slice not in OMISSIONS:
            yield example, "negation_in_text"
        elif queries is None:
            yield example, "other_wording"
        else:
            # The violating document has Y, so it is the better one under a query that asks for Y.
            texts = (
                _mark_mentions(example.violating.text, example, other),
                _mark_mentions(example.satisfying.text, example, other),
            )
            yield example, _swap_queries(example, "entity", queries, texts, context, "")


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


def _mark_mentions(text: str, *examples: Example) -> Marked:
    """A text with marks at what any of the examples excludes."""
    spans = RoleSpans(text, "d_other")
    for example in examples:
        spans.paint(find_forms(text, y_forms(example)), "d_y")
    return spans.marked()


def _entity_queries(example: Example, other: Example) -> OppositeQueries | None:
    """The opposite queries of two examples, if they differ only in the thing that they ask for."""
    own, others = opposite_queries(example), opposite_queries(other)
    if own is None or others is None or own.change != others.change:
        return None
    if _frame(own.corrupt) != _frame(others.corrupt) or y_of(example) == y_of(other):
        return None
    return OppositeQueries(own.corrupt, others.corrupt, f"{y_of(example)} > {y_of(other)}")


def _frame(query: Marked) -> str:
    """A query without Y and the article before it."""
    ys = [mark for mark in query.marks if mark.role == "q_y"]
    if not ys:
        return query.text
    before = query.text[: ys[0].start]
    for article in opposite_words().articles:
        before = before.removesuffix(f" {article} ")
    return f"{before.rstrip()} ? {query.text[ys[-1].end :]}"


def _query(example: Example) -> Marked:
    """The query with its cue marked, as in the contrast with its opposite."""
    queries = opposite_queries(example)
    cues = find_words(example.query, cue_of(example))
    return mark_query(example.query, cues, y_forms(example)) if queries is None else queries.clean


def _swap_queries(
    example: Example,
    kind: str,
    queries: OppositeQueries,
    texts: tuple[Marked, Marked],
    context: ContrastContext,
    cue: str,
) -> MarkedContrast:
    """A contrast whose runs differ in the query; `texts` are the better and the worse text under the clean query."""
    runs = _Input(queries.clean, *texts), _Input(queries.corrupt, *texts)
    return _make_contrast(example, kind, runs, context, cue=cue, change=queries.change)


def _make_contrast(
    example: Example,
    kind: str,
    runs: tuple[_Input, _Input],
    context: ContrastContext,
    *,
    cue: str,
    change: str,
    unrelated_to: Example | None = None,
) -> MarkedContrast:
    """The contrast of two inputs, with a pair that is unrelated to the example, or to `unrelated_to`."""
    clean, corrupt = runs
    side: ContrastSide = "query" if (clean.better, clean.worse) == (corrupt.better, corrupt.worse) else "document"
    draw = context.unrelated.text_for if side == "query" else context.unrelated.topic_for
    other = draw(unrelated_to or example, context.half)
    return MarkedContrast(
        id=f"{example.id}/{kind}",
        example=example.id,
        slice=example.slice,
        side=side,
        better=MarkedPair(clean.query, clean.better),
        worse=MarkedPair(clean.query, clean.worse),
        better_corrupt=MarkedPair(corrupt.query, corrupt.better),
        worse_corrupt=MarkedPair(corrupt.query, corrupt.worse),
        aside=unrelated_pair(other, side, clean.query, clean.better),
        aside_corrupt=unrelated_pair(other, side, corrupt.query, corrupt.better),
        cue=cue,
        template=example.template,
        clusters=clusters_of(example),
        half=context.half,
        control=next((control for control in CONTROL_KINDS if control == kind), ""),
        change=change,
        y=y_of(example),
        split=example.split,
        constraint=type_of(example),
    )


def _is_edit(example: Example) -> bool:
    """Whether one text is an edit of the other; two different documents that were both edited are not."""
    satisfying, violating = example.satisfying, example.violating
    both_edited = satisfying.edit != "" and violating.edit != ""
    if not example.is_edited or (both_edited and satisfying.source != violating.source):
        return False
    return are_near(satisfying.text, violating.text)
