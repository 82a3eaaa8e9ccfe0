"""A contrast as text: two runs over a better and a worse text, with the roles of their words marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, get_args

from constraintsuite.core.records.examples import Split
from constraintsuite.core.records.text import Span
from constraintsuite.text.mentions import fold

_WORD = re.compile(r"\w+|[^\w\s]")

TokenRole = Literal["cls", "q_topic", "q_cue", "q_y", "sep1", "d_cue", "d_y", "d_scope", "d_other", "sep2"]
ROLES: tuple[TokenRole, ...] = get_args(TokenRole)
QUERY_ROLES: tuple[TokenRole, ...] = ("q_topic", "q_cue", "q_y")
"""Roles in a query; the first is for words without a mark."""
TEXT_ROLES: tuple[TokenRole, ...] = ("d_other", "d_cue", "d_y", "d_scope")
"""Roles in a text; the first is for words without a mark."""
ContrastSide = Literal["query", "document"]
SIDES: tuple[ContrastSide, ...] = get_args(ContrastSide)
ContrastHalf = Literal["find", "check"]
"""`find` is the selection half, on which circuits are chosen; `check` is the held-out half, on which they are tested."""
HALVES: tuple[ContrastHalf, ...] = get_args(ContrastHalf)
ControlKind = Literal["", "idiom", "nonflip", "entity"]
"""The kind of control that a contrast is: `idiom` has a negation word that excludes nothing, `nonflip` says the same thing in
other words, and in `entity` two opposite queries ask for different things. Empty for a main contrast."""
CONTROL_KINDS: tuple[ControlKind, ...] = get_args(ControlKind)


@dataclass(frozen=True, slots=True)
class RoleMark:
    """A span of a text and its role."""

    start: int
    end: int
    role: TokenRole


@dataclass(frozen=True, slots=True)
class Marked:
    """A text with its marks, in order and without overlap; unmarked words are `q_topic` in a query, `d_other` in a text."""

    text: str
    marks: tuple[RoleMark, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedPair:
    """A query and a text, which a reranker scores together."""

    query: Marked
    text: Marked


@dataclass(frozen=True, slots=True)
class MarkedContrast:
    """A clean input, and a corrupt one that differs from it in one thing.

    The margin of a run is the score of `better` minus that of `worse`. The clean margin should be positive and the corrupt
    one should not; for the controls `idiom` and `nonflip` both should be positive. Both pairs are patched together.
    `aside` is an unrelated pair, whose score shows what a patch does to plain relevance.
    """

    id: str
    example: str
    """Id of the suite's example."""
    slice: str
    """The example's slice."""
    side: ContrastSide
    """Where clean and corrupt differ: in the query, replaced by its opposite, or in the texts, which are exchanged."""
    better: MarkedPair
    worse: MarkedPair
    better_corrupt: MarkedPair
    worse_corrupt: MarkedPair
    aside: MarkedPair | None
    aside_corrupt: MarkedPair | None
    cue: str
    """The negation word of the query, or of the text if the texts differ."""
    template: str
    clusters: tuple[str, ...]
    half: ContrastHalf
    control: ControlKind = ""
    change: str = ""
    """How the corrupt run was made: `without > with` (one word replaced), `opposite` (the opposite query of the example), or
    `texts exchanged`."""
    y: str = ""
    """What the query excludes."""
    split: Split | Literal[""] = ""
    """The split of the example; empty if it is not known."""
    constraint: str = ""
    """The type of its constraint; empty if it is not known."""


class RoleSpans:
    """A text whose characters get roles; a later role replaces an earlier one."""

    def __init__(self, text: str, rest: TokenRole) -> None:
        self.text = text
        self._rest: TokenRole = rest
        self._roles: list[TokenRole] = [rest] * len(text)

    def paint(self, spans: Iterable[Span], role: TokenRole) -> None:
        """Give some spans a role."""
        for span in spans:
            self._roles[span.start : span.end] = [role] * (span.end - span.start)

    def roles(self, span: Span) -> list[TokenRole]:
        """The roles of the characters of a span."""
        return self._roles[span.start : span.end]

    def bare(self, at: int) -> bool:
        """Whether a character has no role of its own."""
        return self._roles[at] == self._rest

    def marked(self) -> Marked:
        """The text with a mark for each span of one role, including blanks inside it; punctuation alone gets no mark."""
        solid = [at for at, character in enumerate(self.text) if not character.isspace()]
        runs = (list(run) for _, run in groupby(solid, key=lambda at: self._roles[at]))
        marks = [
            RoleMark(run[0], run[-1] + 1, self._roles[run[0]])
            for run in runs
            if not self.bare(run[0]) and any(self.text[at].isalnum() for at in run)
        ]
        return Marked(self.text, tuple(marks))


def word_spans(text: str) -> list[Span]:
    """The spans of words and punctuation marks; "non-French" is three of them."""
    return [Span(*found.span()) for found in _WORD.finditer(text)]


def folded(text: str, spans: Sequence[Span]) -> list[str]:
    """The words in lower case, for comparison."""
    return [fold(span.of(text)) for span in spans]
