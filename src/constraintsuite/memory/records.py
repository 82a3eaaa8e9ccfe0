"""What a memory is made of: units of documents, edges between them, and the entities they mention."""

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
    "depends_on": 0.9,  # what is said holds only with the other, which often answers something else as well
    "part_of": 0.8,  # an item is half a sentence without what announces it; its fellows are another matter
    "refers_to": 0.7,  # somebody points there, and does not say why
    "next": 0.4,  # says where a unit stands, not that the two have to do with each other
}
"""How much of what is asked of one unit bears on the other, if an edge of that kind is right; the highest first.

How sure a rule is that the edge is right is its confidence, and no part of this. A mention weighs how often the unit names
the entity, and has no place here."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest thing that can be recalled: a clause, a step, a sentence, a turn."""

    id: str
    """`{document}:{number}`, unique in a memory."""
    document: str
    text: str
    headings: tuple[str, ...] = ()
    """Above it, outermost first: context for searching, no part of the text."""
    roles: tuple[SemanticRole, ...] = ()
    """What it does in its document, the most telling first."""
    lines: tuple[int, int] | None = None
    """First and last line in its source, from 1."""
    valid_from: str | None = None
    """Since when it holds, as a date or time in ISO 8601; None for always."""
    valid_to: str | None = None
    """Until when, the end not included."""
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed relation between two units, and why it is there."""

    source: str
    target: str
    kind: EdgeKind
    weight: float = 1.0
    confidence: float = 1.0
    """How sure the rule is that this edge is right, between 0 and 1."""
    because: str = ""
    """The words or the rule it rests on."""


def weighted_edge(source: str, target: str, kind: EdgeKind, confidence: float = 1.0, because: str = "") -> Edge:
    """An edge with the weight of its kind."""
    return Edge(source, target, kind, EDGE_WEIGHTS[kind], confidence, because)


@dataclass(frozen=True, slots=True)
class EntityMention:
    """An entity or phrase that a unit names; units that name the same one are two steps apart."""

    unit: str
    entity: str
    """In the form under which all its mentions meet."""
    surface: str
    """As it stands in the text."""
    count: int = 1


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """One document of a memory: it is added and removed as a whole."""

    id: str
    title: str
    sha256: str
    """Of the bytes it was read from."""
    units: tuple[Unit, ...]
    edges: tuple[Edge, ...] = ()
    """Between its own units, or from them to units of other documents."""
    mentions: tuple[EntityMention, ...] = ()


def parse_time(text: str, where: str = "Time") -> datetime:
    """A date or time in ISO 8601; a date is its first moment, and a time without a zone is UTC."""
    try:
        time = datetime.fromisoformat(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):  # the latter for the edges of the calendar, in another zone
        raise UserError(f"{where} {text!r} is not a date or time in ISO 8601, such as 2024-05-31T12:00:00.") from None
