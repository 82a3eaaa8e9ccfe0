"""A memory as a graph: units and the entities that they mention, joined by typed edges."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.memory.assembling import assemble
from constraintsuite.memory.columns import (
    EDGE_KINDS,
    ENTITY,
    EdgeTable,
    FloatArray,
    GraphColumns,
    GraphDocument,
    Int32Array,
)
from constraintsuite.memory.records import Edge, MemoryDocument, Unit

__all__ = ["EDGE_KINDS", "ENTITY", "EdgeTable", "FloatArray", "GraphDocument", "Int32Array", "MemoryGraph", "Updated"]


class MemoryGraph:
    """It never changes: what is added, removed or left out makes another one.

    Nodes are numbered: units first, by document id and then as they stand in it, then entities by name.
    """

    def __init__(self, columns: GraphColumns | None = None) -> None:
        self._columns = columns or GraphColumns.empty()

    @classmethod
    def of(cls, parts: Iterable[MemoryDocument]) -> MemoryGraph:
        """The graph of some documents, whatever their order.

        Ids that repeat, edges that begin or end nowhere, and weights that are no positive numbers are UserErrors.
        """
        return cls().updated(parts).graph

    def updated(self, add: Iterable[MemoryDocument] = (), remove: Collection[str] = ()) -> Updated:
        """The graph less some documents, and with others added, or put in place of those of the same id.

        It equals the graph made of all its documents at once.
        """
        columns, origin = assemble(self._columns, add, frozenset(remove))
        return Updated(MemoryGraph(columns), origin)

    @property
    def units(self) -> tuple[Unit, ...]:
        """By number."""
        return self._columns.units

    @property
    def unit_numbers(self) -> Mapping[str, int]:
        """Numbers of the units by id."""
        return self._columns.unit_numbers

    @property
    def entities(self) -> tuple[str, ...]:
        """Their names, sorted; the number of a name's node is its place here, behind all units."""
        return self._columns.entities

    @property
    def edges(self) -> EdgeTable:
        """Mentions are edges from a unit to an entity, of kind `mentions`; their weight is the count."""
        return self._columns.edges

    @property
    def documents(self) -> tuple[GraphDocument, ...]:
        """By id."""
        return self._columns.documents

    @property
    def open_edges(self) -> EdgeTable:
        """Edges to units of documents that are not here (yet); their targets are places in `absent`."""
        return self._columns.open_edges

    @property
    def absent(self) -> tuple[str, ...]:
        """The ids of units that edges wait for."""
        return self._columns.absent

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.units) + len(self.entities)

    @property
    def dangling(self) -> int:
        """How many edges wait; nothing walks along them."""
        return len(self.open_edges.source)

    def node_id(self, number: int) -> str:
        """The id of a unit, or `entity:NAME`."""
        if not 0 <= number < self.size:
            raise IndexError(f"node {number} of a graph with {self.size}")
        units = len(self.units)
        return self.units[number].id if number < units else ENTITY + self.entities[number - units]

    def number(self, node_id: str) -> int:
        """The number of a node; an unknown id is a UserError."""
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
        """A row of the table as a record."""
        source, target, kind, weight, confidence, _ = (column[number].item() for column in self.edges)
        because = self.because(number)
        return Edge(self.node_id(source), self.node_id(target), EDGE_KINDS[kind], weight, confidence, because)

    def because(self, edge: int) -> str:
        """The words or the rule that an edge rests on; of a mention, how the entity is called there."""
        return self._columns.reasons[int(self.edges.reason[edge])]

    def without(self, edges: npt.NDArray[np.bool_] | npt.NDArray[np.integer] | Collection[int]) -> MemoryGraph:
        """The graph less some edges, given by a mask or by their numbers; all nodes stay, with their numbers."""
        given = edges if isinstance(edges, np.ndarray) else np.array(sorted(edges), dtype=np.intp)
        kept = np.ones(len(self.edges.source), dtype=np.bool_)
        kept[given] = False
        return MemoryGraph(self._columns._replace(edges=self.edges.take(kept)))


class Updated(NamedTuple):
    """A graph after a change, and where its units come from."""

    graph: MemoryGraph
    origin: Int32Array
    """Of each unit its number before the change; -1 for those that came with it."""
