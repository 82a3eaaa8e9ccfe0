"""Non-flip controls: rewritten main examples whose right ranking stays the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from constraintsuite.core.execution.shards import keyed_random
from constraintsuite.core.records.constraints import Evidence
from constraintsuite.core.records.examples import NONFLIP, SATISFYING, VIOLATING, Control, Example, ExampleDocument
from constraintsuite.core.records.text import Span
from constraintsuite.suites.constraints.base import load_type
from constraintsuite.suites.controls import REWRITERS, load_rewriters
from constraintsuite.suites.controls.rewrites import Rewriter, Rewritten, RewrittenExample, topic_forms
from constraintsuite.suites.controls.sampling import by_type, mixed_originals, number
from constraintsuite.text.mentions import MentionFinder, fold


def make_nonflip(examples: Sequence[Example], *, count: int, seed: int) -> list[Example]:
    """At most `count` controls of each constraint type, its kinds in equal parts; no original is used twice before all are once."""
    made: list[Example] = []
    for kind, some in by_type(examples).items():
        made += _make_of_type(kind, mixed_originals(some, seed, "controls_nonflip"), count, seed)
    return number(made, NONFLIP)


def _make_of_type(constraint_type: str, originals: Sequence[Example], count: int, seed: int) -> list[Example]:
    rewriters = load_rewriters(constraint_type)
    made: list[Example] = []
    uses: Counter[str] = Counter()
    tally: Counter[str] = Counter()
    tried: set[tuple[str, str]] = set()
    for already in range(len(rewriters)):
        queues = {kind: [one for one in reversed(originals) if (kind, one.id) not in tried] for kind in rewriters}
        while len(made) < count and any(queues.values()):
            kind = min((kind for kind in rewriters if queues[kind]), key=lambda kind: tally[kind])
            original = queues[kind].pop()
            if uses[original.id] > already:
                continue
            tried.add((kind, original.id))
            control = _make(original, kind, rewriters[kind], seed)
            if control is not None:
                made.append(control)
                uses[original.id] += 1
                tally[kind] += 1
    return made


def _make(original: Example, kind: str, rewriter: Rewriter, seed: int) -> Example | None:
    """The original rewritten in one way; None if that changes nothing, or what the constraint type or the topic reads in it."""
    variant = rewriter(original, keyed_random(seed, "controls_nonflip", kind, original.id))
    if variant is None:
        return None
    control = _assemble(original, variant, kind)
    if (control.query, _texts(control)) == (original.query, _texts(original)):
        return None
    finder = _finder(original)
    if kind in REWRITERS.names():
        return control if _mentions(finder, control) == _mentions(finder, original) else None
    return control if _texts(control) == _texts(original) or _reads_the_same(control) else None


def _reads_the_same(control: Example) -> bool:
    """Whether the constraint type still finds in the rewritten texts what their roles need."""
    assert control.constraint is not None
    return not any(load_type(control.constraint.type).faults([replace(control, control=None)]))


def _assemble(original: Example, variant: RewrittenExample, kind: str) -> Example:
    rewritten = {SATISFYING: variant.satisfying, VIOLATING: variant.violating}
    constraint = original.constraint
    if constraint is not None:
        constraint = constraint.with_evidence(lambda found: tuple(_evidence(original, found, rewritten)))
        constraint = replace(constraint, cue=variant.cue or constraint.cue)
    return replace(
        original,
        slice=NONFLIP,
        constraint=constraint,
        query=variant.query or original.query,
        opposite=variant.opposite or original.opposite,
        topic=variant.topic or original.topic,
        documents=tuple(_document(one, rewritten.get(one.role)) for one in original.documents),
        couple="",
        control=Control(kind, original.id),
        notes=(*original.notes, variant.note),
    )


def _evidence(
    original: Example, evidence: Sequence[Evidence], rewritten: Mapping[str, Rewritten | None]
) -> Iterator[Evidence]:
    """The evidence at its new places; if one place in a document is lost, all evidence of that document is left out."""
    for document in original.documents:
        new = rewritten.get(document.role)
        found = [one for one in evidence if one.document == document.role]
        spans = [Span(one.start, one.end) for one in found]
        places = [new.place_mention(document.text, span) if new else span for span in spans]
        if None not in places:
            yield from (
                replace(one, start=place.start, end=place.end)
                for one, place in zip(found, places, strict=True)
                if place is not None
            )


def _document(document: ExampleDocument, rewritten: Rewritten | None) -> ExampleDocument:
    """The document with its new text and the new places of its edits; if one place is lost, none is kept."""
    if rewritten is None:
        return document
    places = [rewritten.place(Span(*span)) for span in document.changed]
    changed = () if None in places else tuple((place.start, place.end) for place in places if place is not None)
    return replace(document, text=rewritten.text, changed=changed)


def _texts(example: Example) -> list[str]:
    return [document.text for document in example.documents]


def _finder(original: Example) -> MentionFinder:
    constraint = original.constraint
    forms = [constraint.value, *constraint.forms, *constraint.kinds] if constraint else []
    finds = {"value": forms, "topic": topic_forms(original)}
    return MentionFinder({key: [form for form in some if form.strip()] for key, some in finds.items()})


def _mentions(finder: MentionFinder, example: Example) -> list[Counter[tuple[str, str]]]:
    """How often each form of the value and of the topic's words occurs in the query and in each document."""
    texts = (example.query, *_texts(example))
    return [Counter((one.key, fold(one.span.of(text))) for one in finder.find(text)) for text in texts]
