"""What a contrast is, before any model reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from constraintsuite.core.records.examples import Split

TokenRole = Literal["cls", "q_topic", "q_cue", "q_y", "sep1", "d_cue", "d_y", "d_scope", "d_other", "sep2"]
ROLES: tuple[TokenRole, ...] = get_args(TokenRole)
QUERY_ROLES: tuple[TokenRole, ...] = ("q_topic", "q_cue", "q_y")
"""Of the tokens of a query; the first is that of what has no mark."""
TEXT_ROLES: tuple[TokenRole, ...] = ("d_other", "d_cue", "d_y", "d_scope")
ContrastSide = Literal["query", "document"]
SIDES: tuple[ContrastSide, ...] = get_args(ContrastSide)
ContrastHalf = Literal["find", "check"]
"""Circuits are found on one half and judged on the other."""
HALVES: tuple[ContrastHalf, ...] = get_args(ContrastHalf)
ControlKind = Literal["", "idiom", "nonflip", "entity"]
"""Which control a contrast is: `idiom` has a negation word that excludes nothing, in `nonflip` the same thing is said in
other words, and in `entity` two opposite queries ask for different things. Empty for what is studied."""
CONTROL_KINDS: tuple[ControlKind, ...] = get_args(ControlKind)


@dataclass(frozen=True, slots=True)
class RoleMark:
    """A stretch of a text and its role."""

    start: int
    end: int
    role: TokenRole


@dataclass(frozen=True, slots=True)
class Marked:
    """A text with its marks, in order and without overlap; what is not marked is `q_topic` in a query, `d_other` in a text."""

    text: str
    marks: tuple[RoleMark, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedPair:
    """What a reranker reads at once."""

    query: Marked
    text: Marked


@dataclass(frozen=True, slots=True)
class MarkedContrast:
    """A clean input, and a corrupt one that differs from it in one thing.

    The margin of either is the score of `better` less that of `worse`. The clean one should be positive and the corrupt one
    should not; only of the controls `idiom` and `nonflip` should both be positive. Both pairs are patched in lock-step.
    `aside` is a pair about something else, whose score tells what a patch does to plain relevance.
    """

    id: str
    example: str
    """Id of the suite's example."""
    slice: str
    """The example's slice."""
    side: ContrastSide
    """Where clean and corrupt differ: in the query, which becomes its opposite, or in the texts, which are exchanged."""
    better: MarkedPair
    worse: MarkedPair
    better_corrupt: MarkedPair
    worse_corrupt: MarkedPair
    aside: MarkedPair | None
    aside_corrupt: MarkedPair | None
    cue: str
    """The negation word of the query, or of the text where that is what differs."""
    template: str
    clusters: tuple[str, ...]
    half: ContrastHalf
    control: ControlKind = ""
    change: str = ""
    """How the corrupt one was made: `without > with` (a word for a word), `opposite` (the example's own), `texts exchanged`."""
    y: str = ""
    """What the query leaves out."""
    split: Split | Literal[""] = ""
    """The example's; empty where nothing says it."""
