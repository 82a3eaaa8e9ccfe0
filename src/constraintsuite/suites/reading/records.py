"""The reading of a document, and parts of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from constraintsuite.text.base import Scope
from constraintsuite.text.dates.record import Date
from constraintsuite.text.places.place import Place
from constraintsuite.text.quantities.quantity import Quantity

NameKind = Literal["subject", "person", "surname", "place", "other"]


@dataclass(frozen=True, slots=True)
class ClassReading:
    """A noun phrase that says what a document is about: "a 1966 Spanish drama film"."""

    head: str
    """The class noun, singular, of one or several words."""
    kind: str
    """The kind of class in the domain files; empty if they do not know the head."""
    modifiers: tuple[str, ...]
    """The words before the head, as written."""
    strength: int
    """3: "X is a ..."; 2: an apposition or fragment; 1: a phrase near the start; 0: "the ..." anywhere; -1: no phrase,
    but enough signs of the class."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement of the document that its subject has this relation to `y`."""

    relation: str
    y: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NounReading:
    """A noun with its modifiers, as lemmas: "washing machine"."""

    lemmas: tuple[str, ...]
    start: int
    end: int
    link: str
    """The words before or after it that say how a thing has it, such as "offers" or "allowed"; empty if there are none."""
    parts: tuple[str, ...] = ()
    """The part of speech of each lemma: in "coconut milk" a noun stands before the noun, in "warm milk" an adjective."""


@dataclass(frozen=True, slots=True)
class NameReading:
    """A proper name in a text; `surname` is the last word of a person who is named in full elsewhere."""

    start: int
    end: int
    kind: NameKind


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """Everything that later stages need to know of a document, so that they need not parse it again."""

    id: str
    classes: tuple[ClassReading, ...]
    facts: tuple[Fact, ...]
    nouns: tuple[NounReading, ...]
    scopes: tuple[Scope, ...]
    sentences: tuple[tuple[int, int], ...]
    hints: tuple[str, ...] = ()
    """Participles with a preposition after the class noun ("located in"): relations that a domain file could add."""
    names: tuple[NameReading, ...] = ()
    dates: tuple[Date, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    places: tuple[Place, ...] = ()


# Parts of a reading. A file is read several times, and parsing all of it would cost time and memory.


@dataclass(frozen=True, slots=True)
class ClassesRead:
    """The classes of a document."""

    id: str
    classes: tuple[ClassReading, ...]


@dataclass(frozen=True, slots=True)
class StatementsRead(ClassesRead):
    """The classes, facts and hints of a document."""

    facts: tuple[Fact, ...]
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScopedStatements(StatementsRead):
    """The classes, facts, hints and scopes of a document."""

    scopes: tuple[Scope, ...] = ()


@dataclass(frozen=True, slots=True)
class NamesRead(StatementsRead):
    """The classes, facts, hints, sentences and names of a document."""

    sentences: tuple[tuple[int, int], ...] = ()
    names: tuple[NameReading, ...] = ()


@dataclass(frozen=True, slots=True)
class ScopesRead:
    """The scopes of negation and doubt in a document."""

    id: str
    scopes: tuple[Scope, ...]


@dataclass(frozen=True, slots=True)
class NounsRead(ScopesRead):
    """The nouns and scopes of a document."""

    nouns: tuple[NounReading, ...]


@dataclass(frozen=True, slots=True)
class SubjectRead(ScopesRead):
    """The classes and scopes of a document."""

    classes: tuple[ClassReading, ...]


@dataclass(frozen=True, slots=True)
class ValuesRead(SubjectRead):
    """The classes, scopes and values of a document."""

    dates: tuple[Date, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    places: tuple[Place, ...] = ()
