"""The records of a memory: units of documents, edges between them, and mentions of entities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from constraintsuite.core.errors import UserError

EdgeKind = Literal["next", "part_of", "depends_on", "exception_to", "contradicts", "mentions", "refers_to"]
SemanticRole = Literal["obligation", "prohibition", "condition", "exception", "remedy", "escalation", "action"]
EDGE_WEIGHTS: Mapping[EdgeKind, float] = {
    "exception_to": 1.0,  # either alone is a wrong answer
    "contradicts": 1.0,  # either alone hides that the other is there
    "depends_on": 0.9,  # a unit holds only together with the other, which often answers something else as well
    "part_of": 0.8,  # an item is half a sentence without the sentence that introduces it
    "refers_to": 0.7,  # a unit points to the other without saying why
    "next": 0.4,  # gives the position of a unit, not its relation to the other
}
"""How important an edge of each kind is if it is right, the highest first.

How likely the edge is right is its confidence. The weight of a mention is the number of times the unit names the entity."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest thing that a search returns: a clause, a step, a sentence, a turn."""

    id: str
    """`{document}:{number}`, unique in a memory."""
    document: str
    text: str
    headings: tuple[str, ...] = ()
    """The headings above it, outermost first; they are searched, but are not part of the text."""
    roles: tuple[SemanticRole, ...] = ()
    """Its roles in the document, the most informative first."""
    lines: tuple[int, int] | None = None
    """First and last line in its source, from 1."""
    valid_from: str | None = None
    """The date or time, in ISO 8601, from which it is valid; None for always."""
    valid_to: str | None = None
    """The date or time until which it is valid, not included."""
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed relation between two units, and why it is there."""

    source: str
    target: str
    kind: EdgeKind
    weight: float = 1.0
    confidence: float = 1.0
    """How likely it is that this edge is right, between 0 and 1."""
    because: str = ""
    """The words or the rule that gave this edge."""


def weighted_edge(source: str, target: str, kind: EdgeKind, confidence: float = 1.0, because: str = "") -> Edge:
    """Make an edge with the weight of its kind."""
    return Edge(source, target, kind, EDGE_WEIGHTS[kind], confidence, because)


@dataclass(frozen=True, slots=True)
class EntityMention:
    """An entity that a unit names; units that name the same entity are two steps apart."""

    unit: str
    entity: str
    """The normalised name, the same for all its mentions."""
    surface: str
    """The name as it is written in the text."""
    count: int = 1


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """One document of a memory, which is added and removed as a whole."""

    id: str
    title: str
    sha256: str
    """The hash of the bytes that it was read from."""
    units: tuple[Unit, ...]
    edges: tuple[Edge, ...] = ()
    """Between its own units, or from them to units of other documents."""
    mentions: tuple[EntityMention, ...] = ()


def parse_time(text: str, where: str = "Time") -> datetime:
    """Read a date or time in ISO 8601; a date means its first moment, and a time without a zone is UTC."""
    try:
        time = datetime.fromisoformat(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):  # the latter at the ends of the calendar, in another zone
        raise UserError(f"{where} {text!r} is not a date or time in ISO 8601, such as 2024-05-31T12:00:00.") from None
