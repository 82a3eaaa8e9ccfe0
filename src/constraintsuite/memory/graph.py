"""The graph of a memory: units and the entities that they mention, linked by typed edges, stored in columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.memory.records import Edge, EdgeKind, Unit, parse_time

Int32Array = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
EDGE_KINDS: tuple[EdgeKind, ...] = get_args(EdgeKind)
ENTITY = "entity:"
"""The prefix of the id of an entity's node."""


class EdgeTable(NamedTuple):
    """Edges in columns, sorted by source, target and kind; no two are equal in all three."""

    source: Int32Array
    target: Int32Array
    kind: npt.NDArray[np.uint8]
    """Position in EDGE_KINDS."""
    weight: FloatArray
    confidence: FloatArray
    reason: Int32Array
    """Position in the reasons of the graph."""

    def take(self, rows: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> EdgeTable:
        """Return some rows, read-only."""
        columns: list[Any] = [column[rows] for column in self]
        for column in columns:
            column.flags.writeable = False
        return EdgeTable(*columns)


NO_EDGES = EdgeTable(*(np.empty(0, dtype=dtype) for dtype in ("i4", "i4", "u1", "f8", "f8", "i4")))


class GraphDocument(NamedTuple):
    """A document of a graph."""

    id: str
    title: str
    sha256: str
    first: int
    """Number of its first unit."""
    length: int
    """How many units it has."""


@dataclass(frozen=True, eq=False)
class MemoryGraph:
    """Units and entities with the edges between them; it never changes.

    Nodes are numbered: units first, by document id and then in the order of the document, then entities by name.
    """

    units: tuple[Unit, ...] = ()
    unit_numbers: Mapping[str, int] = field(default_factory=dict)
    """Numbers of the units by id."""
    entities: tuple[str, ...] = ()
    """Names, sorted; the number of an entity's node is its position here plus the number of units."""
    edges: EdgeTable = NO_EDGES
    """Mentions are edges from a unit to an entity, of kind `mentions`; their weight is the count."""
    reasons: tuple[str, ...] = ()
    documents: tuple[GraphDocument, ...] = ()
    """Sorted by id."""
    open_edges: EdgeTable = NO_EDGES
    """Edges to units of documents that are not here; their targets are positions in `absent`. No mode walks them."""
    absent: tuple[str, ...] = ()
    """The ids of the targets of open edges."""

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.units) + len(self.entities)

    @cached_property
    def validity(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The times in microseconds from which and until which each unit is valid, the end not included."""
        begin = np.full(len(self.units), np.iinfo(np.int64).min)
        end = np.full(len(self.units), np.iinfo(np.int64).max)
        for number, unit in enumerate(self.units):
            if unit.valid_from is not None:
                begin[number] = microseconds(parse_time(unit.valid_from, f"Unit {unit.id!r}: valid_from"))
            if unit.valid_to is not None:
                end[number] = microseconds(parse_time(unit.valid_to, f"Unit {unit.id!r}: valid_to"))
            if end[number] <= begin[number]:
                raise UserError(
                    f"Unit {unit.id!r} is valid until {unit.valid_to}, which is not after {unit.valid_from}."
                )
        return begin, end

    def node_id(self, number: int) -> str:
        """Return the id of a unit, or `entity:NAME`."""
        if not 0 <= number < self.size:
            raise IndexError(f"node {number} of a graph with {self.size}")
        units = len(self.units)
        return self.units[number].id if number < units else ENTITY + self.entities[number - units]

    def number(self, node_id: str) -> int:
        """Return the number of a node. Raises UserError if the id is unknown."""
        number = self.unit_numbers.get(node_id)
        if number is None and node_id.startswith(ENTITY):
            number = self._entity_numbers.get(node_id.removeprefix(ENTITY))
        if number is None:
            raise UserError(f"No unit or entity of this memory has the id {node_id!r}.")
        return number

    @cached_property
    def _entity_numbers(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.entities, len(self.units))}

    def edge(self, number: int) -> Edge:
        """Return a row of the table as a record."""
        source, target, kind, weight, confidence, _ = (column[number].item() for column in self.edges)
        because = self.because(number)
        return Edge(self.node_id(source), self.node_id(target), EDGE_KINDS[kind], weight, confidence, because)

    def because(self, edge: int) -> str:
        """Return the words or the rule that gave an edge; for a mention, the name as it is written there."""
        return self.reasons[int(self.edges.reason[edge])]

    def without(self, edges: npt.NDArray[np.bool_] | npt.NDArray[np.integer] | Collection[int]) -> MemoryGraph:
        """Return the graph without some edges, given by a mask or by numbers; nodes keep their numbers."""
        given = edges if isinstance(edges, np.ndarray) else np.array(sorted(edges), dtype=np.intp)
        kept = np.ones(len(self.edges.source), dtype=np.bool_)
        kept[given] = False
        return replace(self, edges=self.edges.take(kept))


def microseconds(time: datetime) -> int:
    """Return a time as an integer, microseconds since 1970: a float would round distant times."""
    return (time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
