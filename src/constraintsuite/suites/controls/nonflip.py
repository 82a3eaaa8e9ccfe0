"""Non-flip controls: variants of main examples whose right ranking must not change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from constraintsuite.execution.shards import keyed_random
from constraintsuite.records.examples import Control, DocumentPair, Edit, Evidence, Example
from constraintsuite.records.text import Span
from constraintsuite.suites.controls import REWRITERS
from constraintsuite.suites.controls.dealing import mixed_originals, number
from constraintsuite.suites.controls.rewriting import Rewritten, Variant, topic_forms
from constraintsuite.text.mentions import MentionFinder, fold


def make_nonflip(examples: Sequence[Example], *, count: int, seed: int) -> list[Example]:
    """At most `count` variants, the kinds dealt evenly; every original is used once before any is used twice."""
    originals = mixed_originals(examples, seed, "controls_nonflip")
    return number(_deal(originals, count, seed), "controls_nonflip")


def _deal(originals: Sequence[Example], count: int, seed: int) -> list[Example]:
    kinds = REWRITERS.names()
    made: list[Example] = []
    uses: Counter[str] = Counter()
    tally: Counter[str] = Counter()
    tried: set[tuple[str, str]] = set()
    for already in range(len(kinds)):
        queues = {kind: [one for one in reversed(originals) if (kind, one.id) not in tried] for kind in kinds}
        while len(made) < count and any(queues.values()):
            kind = min((kind for kind in kinds if queues[kind]), key=lambda kind: tally[kind])
            original = queues[kind].pop()
            if uses[original.id] > already:
                continue
            tried.add((kind, original.id))
            control = _make(original, kind, seed)
            if control is not None:
                made.append(control)
                uses[original.id] += 1
                tally[kind] += 1
    return made


def _make(original: Example, kind: str, seed: int) -> Example | None:
    """The original rewritten in one way; None if nothing would change, or a mention would be lost or added."""
    variant = REWRITERS.load(kind)(original, keyed_random(seed, "controls_nonflip", kind, original.id))
    if variant is None:
        return None
    control = _assemble(original, variant, kind)
    same = (control.query.neg, control.docs) == (original.query.neg, original.docs)
    finder = _finder(original)
    return None if same or _mentions(finder, control) != _mentions(finder, original) else control


def _assemble(original: Example, variant: Variant, kind: str) -> Example:
    query = variant.query or original.query
    constraint = original.constraint
    docs = original.docs
    pos = replace(docs.pos, text=variant.pos.text) if variant.pos else docs.pos
    neg = replace(docs.neg, text=variant.neg.text) if variant.neg else docs.neg
    return replace(
        original,
        suite="controls_nonflip",
        query=query,
        constraint=replace(constraint, negation_marker=variant.marker) if variant.marker else constraint,
        docs=DocumentPair(pos, neg),
        couple="",
        evidence=tuple(_evidence(original, variant)),
        edit=_edit(original.edit, variant),
        control=Control(kind=kind, of=original.id),
        notes=(*original.notes, variant.note),
    )


def _evidence(original: Example, variant: Variant) -> Iterator[Evidence]:
    """The evidence with its new places; all of a document's is left out if one place is lost."""
    for document, rewritten in (("pos", variant.pos), ("neg", variant.neg)):
        text = (original.docs.pos if document == "pos" else original.docs.neg).text
        found = [one for one in original.evidence if one.document == document]
        spans = [Span(one.start, one.end) for one in found]
        places = [rewritten.place_mention(text, span) if rewritten else span for span in spans]
        if None not in places:
            yield from (
                replace(one, start=place.start, end=place.end)
                for one, place in zip(found, places, strict=True)
                if place is not None
            )


def _edit(edit: Edit | None, variant: Variant) -> Edit | None:
    if edit is None:
        return None
    return replace(edit, spans_pos=_placed(edit.spans_pos, variant.pos), spans_neg=_placed(edit.spans_neg, variant.neg))


def _placed(spans: tuple[tuple[int, int], ...], rewritten: Rewritten | None) -> tuple[tuple[int, int], ...]:
    """The new places of edited stretches; none of them if one was torn apart."""
    if rewritten is None:
        return spans
    places = [rewritten.place(Span(*span)) for span in spans]
    return () if None in places else tuple((place.start, place.end) for place in places if place is not None)


def _finder(original: Example) -> MentionFinder:
    constraint = original.constraint
    forms = {"y": [constraint.y, *constraint.y_surface_forms, *constraint.y_kinds], "topic": topic_forms(original)}
    return MentionFinder({key: [form for form in some if form.strip()] for key, some in forms.items()})


def _mentions(finder: MentionFinder, example: Example) -> list[Counter[tuple[str, str]]]:
    """How often each form of Y and of the topic's words stands in the query and in each document."""
    texts = (example.query.neg, example.docs.pos.text, example.docs.neg.text)
    return [Counter((one.key, fold(one.span.of(text))) for one in finder.find(text)) for text in texts]
