"""What is kept of a document after reading it once."""

from __future__ import annotations

from dataclasses import dataclass

from constraintsuite.text.base import Scope


@dataclass(frozen=True, slots=True)
class ClassReading:
    """A noun phrase that says what a document is about: "a 1966 Spanish drama film"."""

    head: str
    """The class noun, singular, of one or several words."""
    kind: str
    """Kind of the domain files; empty where they do not know the head."""
    modifiers: tuple[str, ...]
    """The words before the head, as written."""
    strength: int
    """3: "X is a ..."; 2: an apposition or fragment; 1: a phrase near the start; 0: "the ..." anywhere."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fact:
    """The document states that its subject stands in `relation` to `y`."""

    relation: str
    y: str
    start: int
    end: int
    list_end: int
    """Where the list of fillers that holds `y` ends, if a denied filler may be added there; -1 where not."""
    fillers: int
    """How many fillers the list has."""


@dataclass(frozen=True, slots=True)
class NounReading:
    """A noun phrase core, as lemmas: "washing machine"."""

    lemmas: tuple[str, ...]
    start: int
    end: int
    link: str
    """Key of the attribute link that governs it; empty where none does."""


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """Everything later stages need to know of a document without parsing it again."""

    id: str
    classes: tuple[ClassReading, ...]
    facts: tuple[Fact, ...]
    nouns: tuple[NounReading, ...]
    scopes: tuple[Scope, ...]
    sentences: tuple[tuple[int, int], ...]
    pronoun: str
    """How the document speaks of its subject: He, She, It, They; empty where it does not."""
    hints: tuple[str, ...] = ()
    """Participle and preposition after the class noun ("located in"): relations that a domain file could learn."""


# Parts of a reading, for those who need no more of it: a file is read several times, and the rest costs time and memory.


@dataclass(frozen=True, slots=True)
class ClassesRead:
    """What a document is about."""

    id: str
    classes: tuple[ClassReading, ...]


@dataclass(frozen=True, slots=True)
class StatementsRead(ClassesRead):
    """What a document is about, and what it states."""

    facts: tuple[Fact, ...]
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScopesRead:
    """Where negation and doubt reach in a document."""

    id: str
    scopes: tuple[Scope, ...]


@dataclass(frozen=True, slots=True)
class NounsRead(ScopesRead):
    """The nouns of a document, and where negation and doubt reach in it."""

    nouns: tuple[NounReading, ...]


@dataclass(frozen=True, slots=True)
class SubjectRead(ScopesRead):
    """What a document is about, and where negation and doubt reach in it."""

    classes: tuple[ClassReading, ...]
