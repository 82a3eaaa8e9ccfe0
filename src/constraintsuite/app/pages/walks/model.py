"""What a picture of a search shows: plain data, whatever it was computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from constraintsuite.core.records.tables import Table

NodePart = Literal["start", "reached", "walked", "found", "near"]
"""Where a search began; found over an edge; only passed through; found by itself; not touched at all."""


@dataclass(frozen=True, slots=True)
class Node:
    """A unit, or an entity."""

    id: str
    label: str
    part: NodePart
    layer: int
    """Steps from where the search began; those that were not touched come in the layer behind the last."""
    text: str
    """Of a unit its own, of an entity what there is to say of it."""
    above: str = ""
    """The headings it stands under."""
    rank: int | None = None
    score: float | None = None
    facts: tuple[tuple[str, str], ...] = ()
    """What else is known of it, by name."""
    entity: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """An edge between two nodes of the picture."""

    source: str
    target: str
    kind: str
    about: str
    """Why it is there, and how strong it is."""
    passed: float | None = None
    """What went over it; None if the search did not walk it."""
    backwards: bool = False
    """Whether it was walked from its target to its source."""


@dataclass(frozen=True)
class WalkPicture:
    """One search of a memory: the nodes and links around its answer, with tables and remarks."""

    query: str
    about: str
    layers: tuple[str, ...]
    """What each layer is called."""
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    tables: tuple[Table, ...]
    remarks: tuple[str, ...] = ()
