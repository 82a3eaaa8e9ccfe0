"""The one contract of this folder: an analyser reads texts and says where negation and doubt reach."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from constraintsuite.core.records.text import Span

Polarity = Literal["affirmed", "negated", "uncertain"]
DocumentVerdict = Literal["affirms", "negates", "mixed", "uncertain", "omits"]
ScopeKind = Literal["negated", "uncertain", "affirmed"]


@dataclass(frozen=True, slots=True)
class Token:
    """A word or punctuation mark; the syntax fields are empty where the analyser has none."""

    start: int
    end: int
    text: str
    lemma: str = ""
    pos: str = ""
    """Universal part of speech: NOUN, PROPN, VERB, ADJ, ..."""
    tag: str = ""
    dep: str = ""
    head: int = -1
    """Index of the governing token in the analysis; -1 for none."""
    entity: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """A stretch of text that a cue governs."""

    start: int
    end: int
    kind: ScopeKind
    """`affirmed` marks a stretch that a pseudo-negation or double negation keeps affirmed, whatever else covers it."""
    cue_start: int
    cue_end: int
    rule: str
    """Name of the rule that drew this scope."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """One text as an analyser sees it."""

    text: str
    sentences: tuple[Span, ...]
    tokens: tuple[Token, ...]
    scopes: tuple[Scope, ...]


class Analyser(Protocol):
    """Reads texts; deterministic, and independent of which texts are read together."""

    name: str
    version: str

    def analyse(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """The analysis of each text, in order."""
