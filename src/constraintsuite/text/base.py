"""The protocol of analysers, which find the scopes of negation and doubt in a text, and its records."""

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
    """A word or punctuation mark; the syntax fields are empty if the analyser has no parser."""

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
    """A part of a text that a cue negates, makes uncertain or keeps affirmed."""

    start: int
    end: int
    kind: ScopeKind
    """`affirmed` marks a part that a pseudo-negation or double negation keeps affirmed, even inside other scopes."""
    cue_start: int
    cue_end: int
    rule: str
    """The name of the rule that drew the scope."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of an analyser for one text."""

    text: str
    sentences: tuple[Span, ...]
    tokens: tuple[Token, ...]
    scopes: tuple[Scope, ...]


class Analyser(Protocol):
    """Analyses texts; the result for a text is deterministic and does not depend on other texts."""

    name: str
    version: str

    def analyse(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """The analysis of each text, in order."""
