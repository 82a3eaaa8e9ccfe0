"""Documents, queries, and places in a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Document:
    """A passage that can be retrieved."""

    id: str
    text: str
    title: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


def passage_of(title: str, text: str) -> str:
    """Title and text together, as retrievers and encoders read them."""
    return f"{title} {text}".strip()


@dataclass(frozen=True, slots=True)
class Query:
    """A text that a person types into a search box."""

    id: str
    text: str
    tags: Mapping[str, str] = field(default_factory=dict)
    """Groups that it belongs to, by grouping."""


@dataclass(frozen=True, slots=True)
class Qrel:
    """The relevance of a document to a query, as a person graded it; 0 means not relevant."""

    query: str
    document: str
    grade: int


@dataclass(frozen=True, slots=True)
class Candidates:
    """The documents that a system is to rank for a query, where a test set gives them."""

    query: str
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InstructionChange:
    """Two queries that differ in their instruction, and the documents whose grade differs between the two."""

    original: str
    changed: str
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The characters of a text from `start` up to, but not including, `end`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The characters of this span in the text."""
        return text[self.start : self.end]

    def covers(self, other: Span) -> bool:
        """Whether `other` is completely inside this span."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Whether the two spans share a character."""
        return self.start < other.end and other.start < self.end


def clip(text: str, most: int = 300) -> str:
    """The beginning of a text on one line, without control characters."""
    line = " ".join(text[: most + 1].split())
    printable = "".join(character if character.isprintable() else "�" for character in line)
    return printable if len(text) <= most else f"{printable[:most].rstrip()}…"
