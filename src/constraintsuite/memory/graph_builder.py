"""Builds the graph of a memory from its documents, and checks them."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.memory.graph import EDGE_KINDS, ENTITY, EdgeTable, GraphDocument, MemoryGraph
from constraintsuite.memory.records import Edge, EdgeKind, EntityMention, MemoryDocument, Unit


def build_graph(parts: Iterable[MemoryDocument]) -> MemoryGraph:
    """Build the graph of some documents; their order does not matter.

    Raises UserError for ids that repeat, edges that begin or end nowhere, and weights that are not positive.
    """
    read = _GraphInput()
    for part in parts:
        read.take(part)
    documents = sorted(read.documents.values())  # by id, which no two share
    order = [place for each in documents for place in range(each.first, each.first + each.length)]
    units = tuple(read.units[place] for place in order)
    unit_numbers = {unit.id: number for number, unit in enumerate(units)}
    entities = sorted(target.removeprefix(ENTITY) for target in read.targets if target.startswith(ENTITY))
    numbers = unit_numbers | {ENTITY + name: number for number, name in enumerate(entities, len(units))}
    absent = sorted(target for target in read.targets if target not in numbers)
    ends = numbers | {name: -1 - number for number, name in enumerate(absent)}  # below 0: a place in `absent`
    reasons = {reason: number for number, reason in enumerate(sorted(read.reasons))}
    table = read.table()
    target = np.array([ends[name] for name in read.targets], dtype=np.int32)[table.target]
    table = table._replace(
        source=np.argsort(order).astype(np.int32)[table.source],
        target=target,
        reason=np.array([reasons[reason] for reason in read.reasons], dtype=np.int32)[table.reason],
    )
    waiting = table.take(target < 0)
    firsts = np.cumsum([0, *(each.length for each in documents)]).tolist()
    return MemoryGraph(
        units,
        unit_numbers,
        tuple(entities),
        _sorted(table.take(target >= 0)),
        tuple(reasons),
        tuple(each._replace(first=first) for each, first in zip(documents, firsts, strict=False)),
        _sorted(waiting._replace(target=-1 - waiting.target)),
        tuple(absent),
    )


def _sorted(table: EdgeTable) -> EdgeTable:
    return table.take(np.lexsort((table.kind, table.target, table.source)))


class _GraphInput:
    """Lays documents out in columns, one at a time, so that not all edges are in memory as records."""

    def __init__(self) -> None:
        self.documents: dict[str, GraphDocument] = {}
        """With the position of their first unit in `units`."""
        self.units: list[Unit] = []
        self.targets: dict[str, int] = {}
        """Ids of nodes that edges lead to, each with its position here."""
        self.reasons: dict[str, int] = {}
        self._columns: list[array[Any]] = [array(code) for code in "iiBddi"]  # as in an EdgeTable

    def take(self, part: MemoryDocument) -> None:
        """Add a document. Raises UserError that names the document for any fault."""
        if part.id in self.documents:
            raise UserError(f"Document {part.id!r} is given twice. Documents need ids of their own.")
        own = self._take_units(part)
        seen: set[tuple[str, str, str]] = set()
        for edge in part.edges:
            _check_edge(part, edge, own)
            if (edge.source, edge.target, edge.kind) in seen:
                raise UserError(
                    f"Document {part.id!r}: two of its edges of kind {edge.kind!r} lead from {edge.source!r} to {edge.target!r}."
                )
            seen.add((edge.source, edge.target, edge.kind))
            self._put(own[edge.source], edge.target, edge.kind, edge.weight, edge.confidence, edge.because)
        self._take_mentions(part, own)

    def _take_units(self, part: MemoryDocument) -> dict[str, int]:
        if f"{part.id}:".startswith(ENTITY):
            raise UserError(f"Document {part.id!r}: the ids of its units would equal the ids of entities. Rename it.")
        own: dict[str, int] = {}
        first = len(self.units)
        for number, unit in enumerate(part.units, first):
            if unit.document != part.id or _document_of(unit.id) != part.id:
                raise UserError(
                    f"Document {part.id!r}: it cannot hold the unit {unit.id!r} of {unit.document!r}. The id of a unit "
                    "must be the id of its document, a colon, and a label without colons."
                )
            if own.setdefault(unit.id, number) != number:
                raise UserError(f"Document {part.id!r}: two of its units have the id {unit.id!r}.")
        self.units += part.units
        self.documents[part.id] = GraphDocument(part.id, part.title, part.sha256, first, len(part.units))
        return own

    def _take_mentions(self, part: MemoryDocument, own: Mapping[str, int]) -> None:
        """Add one edge per unit and entity; mentions of an entity under several surface forms are added up."""
        together: dict[tuple[str, str], tuple[int, dict[str, None]]] = {}
        for mention in part.mentions:
            _check_mention(part, mention, own)
            count, surfaces = together.get((mention.unit, mention.entity), (0, {}))
            together[mention.unit, mention.entity] = count + mention.count, {**surfaces, mention.surface: None}
        for (unit, entity), (count, surfaces) in together.items():
            self._put(own[unit], ENTITY + entity, "mentions", float(count), 1.0, ", ".join(surfaces))

    def _put(self, source: int, target: str, kind: EdgeKind, weight: float, confidence: float, because: str) -> None:
        place = self.targets.setdefault(target, len(self.targets))
        reason = self.reasons.setdefault(because, len(self.reasons))
        row = (source, place, EDGE_KINDS.index(kind), weight, confidence, reason)
        for column, value in zip(self._columns, row, strict=True):
            column.append(value)

    def table(self) -> EdgeTable:
        """Return the edges; sources are positions in `units`, targets are positions in `targets`."""
        return EdgeTable(*(np.array(column) for column in self._columns))


def _document_of(unit: str) -> str:
    return unit.rpartition(":")[0]


def _check_edge(part: MemoryDocument, edge: Edge, own: Mapping[str, int]) -> None:
    fault = ""
    if edge.source not in own:
        fault = "begins at no unit of this document."
    elif edge.target not in own and _document_of(edge.target) == part.id:
        fault = "ends at a unit that this document does not have."
    elif edge.target.startswith(ENTITY):
        fault = "ends at an entity. Only mentions do."
    elif edge.kind == "mentions":
        fault = "is of kind 'mentions'. Those lead to entities: write it as a mention."
    elif edge.kind not in EDGE_KINDS:
        fault = f"is of the unknown kind {edge.kind!r}. There are: {', '.join(EDGE_KINDS)}."
    elif not (math.isfinite(edge.weight) and edge.weight > 0):
        fault = f"weighs {edge.weight}; weights are finite and above 0."
    elif not 0 < edge.confidence <= 1:
        fault = f"has the confidence {edge.confidence}; it must be above 0 and at most 1."
    if fault:
        raise UserError(f"Document {part.id!r}: its edge from {edge.source!r} to {edge.target!r} {fault}")


def _check_mention(part: MemoryDocument, mention: EntityMention, own: Mapping[str, int]) -> None:
    fault = ""
    if mention.unit not in own:
        fault = "is in no unit of this document."
    elif not mention.entity:
        fault = "has no name."
    elif mention.count < 1:
        fault = f"counts {mention.count}; it must be 1 or more."
    if fault:
        raise UserError(f"Document {part.id!r}: its mention of {mention.entity!r} in {mention.unit!r} {fault}")
