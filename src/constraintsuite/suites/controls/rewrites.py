"""Rewrites texts piece by piece, so that a place in the old text can be found in the new one."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from constraintsuite.core.records.examples import MINPAIRS, SATISFYING, VIOLATING, Example
from constraintsuite.core.records.text import Span
from constraintsuite.text.mentions import fold, surface_forms


class Piece(NamedTuple):
    """Some characters of a rewritten text and their place in the old text; -1 for new characters."""

    text: str
    start: int = -1


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A text that consists of pieces of another one and of new pieces."""

    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The rewritten text."""
        return "".join(piece.text for piece in self.pieces)

    def place(self, span: Span) -> Span | None:
        """The new place of a stretch of the old text; None if its first or last character is gone or they changed order."""
        if span.start == span.end:  # between two characters: it stays after the first
            before = self._place(span.start - 1) if span.start else -1
            return Span(before + 1, before + 1) if before is not None else None
        first, last = self._place(span.start), self._place(span.end - 1)
        return Span(first, last + 1) if first is not None and last is not None and first <= last else None

    def place_mention(self, old: str, span: Span) -> Span | None:
        """The new place of a mention, if its words are the same apart from case and typography; else None."""
        new = self.place(span)
        return new if new is not None and fold(new.of(self.text)) == fold(span.of(old)) else None

    def _place(self, offset: int) -> int | None:
        at = 0
        for piece in self.pieces:
            if 0 <= piece.start <= offset < piece.start + len(piece.text):
                return at + offset - piece.start
            at += len(piece.text)
        return None


class SpanRewrite(NamedTuple):
    """New words for a stretch of a text."""

    span: Span
    text: str


def apply_changes(text: str, changes: Iterable[SpanRewrite]) -> Rewritten:
    """The text with these changes; of changes that overlap, only the first is made."""
    pieces = []
    at = 0
    for change in sorted(changes):
        if change.span.start >= at:
            pieces += [Piece(text[at : change.span.start], at), Piece(change.text)]
            at = change.span.end
    pieces.append(Piece(text[at:], at))
    return Rewritten(tuple(piece for piece in pieces if piece.text))


def exchange(text: str, one: Span, two: Span) -> Rewritten:
    """The text with two stretches exchanged; `one` comes before `two`."""
    spans = (Span(0, one.start), two, Span(one.end, two.start), one, Span(two.end, len(text)))
    return Rewritten(tuple(Piece(span.of(text), span.start) for span in spans if span.start < span.end))


@dataclass(frozen=True, slots=True)
class RewrittenExample:
    """The new texts of an example; None for those that stay as they are."""

    note: str
    query: str | None = None
    opposite: str | None = None
    topic: str | None = None
    cue: str | None = None
    """The words that state the constraint in the new query, if they changed."""
    satisfying: Rewritten | None = None
    violating: Rewritten | None = None


Rewriter = Callable[[Example, random.Random], RewrittenExample | None]
"""A kind of rewriting: gives one variant of an example, or None if it finds nothing to change."""
Operation = Callable[[Example], RewrittenExample | None]
"""One way of rewriting, without a random choice."""


def recased(character: str, change: Callable[[str], str]) -> str:
    """The letter in the other case, or unchanged if that would be another letter (ß, ſ, İ)."""
    new = change(character)
    return new if len(new) == 1 and new.lower() == character.lower() and fold(new) == fold(character) else character


def topic_forms(example: Example) -> list[str]:
    """The words of the topic, each in singular and plural."""
    return [form for word in (example.topic or "").split() for form in surface_forms(word.lower())]


def first_success(example: Example, operations: Iterable[Operation]) -> RewrittenExample | None:
    """The result of the first operation that changes something."""
    return next((variant for operation in operations if (variant := operation(example)) is not None), None)


def rewrite_query(example: Example, note: str, change: Callable[[str], str]) -> RewrittenExample | None:
    """The same change to the query, its opposite and the topic; None if the query stays the same."""
    query = change(example.query)
    if query == example.query:
        return None
    opposite, topic = (None if text is None else change(text) for text in (example.opposite, example.topic))
    return RewrittenExample(note, query, opposite, topic)


def rewrite_documents(example: Example, note: str, change: Callable[[str], Rewritten]) -> RewrittenExample | None:
    """The same change to both documents; None unless one of them, or in a minimal pair both, becomes different."""
    satisfying, violating = change(example.satisfying.text), change(example.violating.text)
    changed = (satisfying.text != example.satisfying.text, violating.text != example.violating.text)
    enough = all(changed) if example.slice == MINPAIRS else any(changed)
    return RewrittenExample(note, satisfying=satisfying, violating=violating) if enough else None


def rewrite_evidence(
    example: Example, note: str, change: Callable[[str, Span, str], str | None]
) -> RewrittenExample | None:
    """Other words for the places of both texts that decide.

    `change` gets a text, such a place and the value that was read there; None leaves it as it is.
    """
    evidence = example.constraint.evidence if example.constraint is not None else ()

    def rewritten(role: str) -> Rewritten | None:
        text = example.document(role).text
        changes = [
            SpanRewrite(span, new)
            for one in evidence
            if one.document == role and (new := change(text, span := Span(one.start, one.end), one.value)) is not None
        ]
        return apply_changes(text, changes) if changes else None

    satisfying, violating = rewritten(SATISFYING), rewritten(VIOLATING)
    if satisfying is None and violating is None:
        return None
    return RewrittenExample(note, satisfying=satisfying, violating=violating)
