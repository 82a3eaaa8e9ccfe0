"""A few examples to read, with what the text says of Y marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Literal, NamedTuple

from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import MAIN_SLICES, Evidence, Example


class Segment(NamedTuple):
    """A piece of a text; `verdict` is empty outside mentions of Y."""

    text: str
    verdict: str = ""


@dataclass(frozen=True)
class ShownDocument:
    """One of the two documents, cut at the mentions of Y."""

    title: str
    role: Literal["satisfying", "violating"]
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class ShownExample:
    """One example with what each model did."""

    example: Example
    documents: tuple[ShownDocument, ShownDocument]
    outcomes: tuple[tuple[str, str], ...]
    """Model and its outcome under the negated query."""


def choose_examples(examples: Sequence[Example], count: int) -> list[Example]:
    """At most `count` examples, by turns from each slice, always the same ones; of a couple only one."""
    shuffled = sorted(examples, key=lambda example: stable_hash("showcase", example.id))
    single = {example.couple or example.id: example for example in reversed(shuffled)}
    kept = [example for example in shuffled if single[example.couple or example.id] is example]
    columns = [[example for example in kept if example.suite == name] for name in MAIN_SLICES]
    turns = chain.from_iterable(zip_longest(*columns))
    return [example for example in turns if example is not None][:count]


def show_documents(example: Example) -> tuple[ShownDocument, ShownDocument]:
    """The satisfying document and the violating one."""
    pos, neg = example.docs.pos, example.docs.neg
    mentions = {side: [found for found in example.evidence if found.document == side] for side in ("pos", "neg")}
    return (
        ShownDocument(pos.title, "satisfying", split_at_mentions(pos.text, mentions["pos"])),
        ShownDocument(neg.title, "violating", split_at_mentions(neg.text, mentions["neg"])),
    )


def split_at_mentions(text: str, evidence: Sequence[Evidence]) -> tuple[Segment, ...]:
    """The whole text in order, mentions apart; of mentions that overlap the first counts, faulty places are ignored."""
    segments, end = [], 0
    for found in sorted(evidence, key=lambda found: (found.start, -found.end)):
        if not end <= found.start < found.end <= len(text):
            continue
        segments += [Segment(text[end : found.start]), Segment(text[found.start : found.end], found.verdict)]
        end = found.end
    return tuple(segment for segment in (*segments, Segment(text[end:])) if segment.text)
