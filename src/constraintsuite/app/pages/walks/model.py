"""The data of a picture of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from constraintsuite.core.records.tables import Table

NodePart = Literal["start", "reached", "walked", "found", "near"]
"""The part of a node in a search: starting point, returned through an edge, only passed through, returned directly, not touched."""


@dataclass(frozen=True, slots=True)
class Node:
    """A unit or an entity of a memory."""

    id: str
    label: str
    part: NodePart
    layer: int
    """Steps from a starting point; nodes that were not touched are in one more layer."""
    text: str
    """The text of a unit, or a sentence about an entity."""
    above: str = ""
    """The headings above it."""
    rank: int | None = None
    score: float | None = None
    facts: tuple[tuple[str, str], ...] = ()
    """Further facts: names and values."""
    entity: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """An edge between two nodes of the picture."""

    source: str
    target: str
    kind: str
    about: str
    """Why the edge exists, and its strength."""
    passed: float | None = None
    """How much was passed over it; None if the search did not use it."""
    backwards: bool = False
    """Whether it was followed from target to source."""


@dataclass(frozen=True)
class WalkPicture:
    """One search of a memory: the nodes and links around its answer, with tables and remarks."""

    query: str
    about: str
    layers: tuple[str, ...]
    """The titles of the layers."""
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    tables: tuple[Table, ...]
    remarks: tuple[str, ...] = ()
