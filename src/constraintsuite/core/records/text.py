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


@dataclass(frozen=True, slots=True)
class Query:
    """Something a person typed into a search box."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Qrel:
    """A person's grade of one document for one query; 0 is not relevant."""

    query: str
    document: str
    grade: int


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters `start` up to, not including, `end` of a text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The characters of this span in the text."""
        return text[self.start : self.end]

    def covers(self, other: Span) -> bool:
        """Whether `other` lies wholly inside."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Whether the two share a character."""
        return self.start < other.end and other.start < self.end
