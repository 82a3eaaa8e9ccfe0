"""The contrasts of a finished suite: swapped queries, exchanged texts, and controls; what gives none is counted by reason."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.experiments.load import Suite, load_suite
from constraintsuite.mechanism.contrasts.queries import (
    OppositeQueries,
    cue_of,
    find_words,
    mark_query,
    opposite_twin,
    twin_words,
    y_forms,
    y_of,
)
from constraintsuite.mechanism.contrasts.records import (
    HALVES,
    ContrastHalf,
    ContrastSide,
    ControlKind,
    Marked,
    MarkedContrast,
    MarkedPair,
)
from constraintsuite.mechanism.contrasts.role_spans import Painting
from constraintsuite.mechanism.contrasts.selection import TORN, clusters_of, halve
from constraintsuite.mechanism.contrasts.texts import (
    AnalysisReader,
    are_near,
    evidence_of,
    mark_texts,
    mirror,
    paint_text,
)
from constraintsuite.mechanism.contrasts.tokens import RejectedContrast
from constraintsuite.mechanism.contrasts.unrelated_pairs import Asides
from constraintsuite.records.examples import ADVERSARIAL, OMISSION, SATISFYING, SPLITS, VIOLATING, Example, Split
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


@dataclass(frozen=True)
class Contrasts:
    """What a suite gives."""

    contrasts: tuple[MarkedContrast, ...]
    torn: tuple[MarkedContrast, ...]
    """Those whose documents fell to both halves: only `keep_apart`, which deals halves anew, can take them."""
    rejected: tuple[RejectedContrast, ...]
    analyser: str
    """What the marks in the texts come from; another than the suite's own where that is not at hand."""

    @property
    def rejects(self) -> dict[str, int]:
        """How many were not made, or are torn, by kind and reason."""
        return count_rejected([*self.rejected, *(RejectedContrast(one.id, TORN) for one in self.torn)])


def count_rejected(rejected: Iterable[RejectedContrast]) -> dict[str, int]:
    """How many there are by kind and reason."""
    return dict(sorted(Counter(f"{one.id.rpartition('/')[2]}: {one.reason}" for one in rejected).items()))


def read_suite(folder: Path, *, seed: int = 0, splits: Collection[Split] = SPLITS) -> Contrasts:
    """The contrasts of the suite in a folder; a model that was trained on it should be asked those of `test` alone."""
    return make_contrasts(load_suite(folder), seed=seed, splits=splits)


def make_contrasts(suite: Suite, *, seed: int = 0, splits: Collection[Split] = SPLITS) -> Contrasts:
    """The contrasts of a suite, in the order of its examples: main ones first, then idioms, non-flips and entities."""
    examples = [example for example in suite.examples if example.split in splits]
    controls = [control for control in suite.controls if control.split in splits]
    readers = {name: AnalysisReader(name) for name in dict.fromkeys(one.analyser for one in [*examples, *controls])}
    halves = halve([*examples, *controls], seed)
    asides = Asides(examples, halves, seed)
    benches = {
        example.id: ContrastContext(readers[example.analyser], asides, halves[example.id] or HALVES[0])
        for example in [*examples, *controls]
    }
    made = list(_make(examples, controls, benches))
    found, repeated = _distinct([one for one in made if isinstance(one, MarkedContrast)])
    rejected = [one for one in made if isinstance(one, RejectedContrast)]
    return Contrasts(
        tuple(one for one in found if halves[one.example] is not None),
        tuple(one for one in found if halves[one.example] is None),
        (*rejected, *repeated),
        ", ".join(sorted({reader.name for reader in readers.values()})),
    )


def _make(
    examples: Sequence[Example], controls: Sequence[Example], benches: Mapping[str, ContrastContext]
) -> Iterator[ContrastOrRejected]:
    originals = {example.id: example for example in examples}
    for example in examples:
        yield from main_contrasts(example, benches[example.id])
    for control in controls:
        if control.control is None:
            continue
        if control.slice == ADVERSARIAL:
            yield idiom_contrast(control, benches[control.id])
        else:
            yield nonflip_contrast(control, originals.get(control.control.original), benches[control.id])
    yield from entity_contrasts(examples, benches)


def _distinct(contrasts: Sequence[MarkedContrast]) -> tuple[list[MarkedContrast], list[RejectedContrast]]:
    """The contrasts without those that ask a model what another has asked already."""
    seen: set[tuple[object, ...]] = set()
    kept: list[MarkedContrast] = []
    repeated: list[RejectedContrast] = []
    for contrast in contrasts:
        content = (contrast.better, contrast.worse, contrast.better_corrupt, contrast.worse_corrupt)
        if content in seen:
            repeated.append(RejectedContrast(contrast.id, "repeated"))
        else:
            seen.add(content)
            kept.append(contrast)
    return kept, repeated
