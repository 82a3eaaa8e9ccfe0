"""New documents of a graph, checked one by one and laid out in columns."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.memory.graph import EDGE_KINDS, ENTITY, EdgeTable, GraphDocument
from constraintsuite.memory.records import Edge, EdgeKind, EntityMention, MemoryDocument, Unit


class GraphInput:
    """Reads parts one at a time, so that their edges need not all be in memory as records."""

    def __init__(self, reasons: Iterable[str] = ()) -> None:
        self.documents: dict[str, GraphDocument] = {}
        """With the place of their first unit among all that came."""
        self.units: list[Unit] = []
        self.targets: dict[str, int] = {}
        """Ids of nodes that edges lead to, by first occurrence."""
        self.reasons = {reason: number for number, reason in enumerate(reasons)}
        """Those that are known, and behind them those that came."""
        self._columns: list[array[Any]] = [array(code) for code in "iiBddi"]  # as in an EdgeTable

    def take(self, parts: Iterable[MemoryDocument]) -> None:
        """Lay the parts out; whatever is wrong with one is a UserError that names it."""
        for part in parts:
            if part.id in self.documents:
                raise UserError(f"Document {part.id!r} is given twice. Documents need ids of their own.")
            own = self._take_units(part)
            for edge in part.edges:
                _check_edge(part, edge, own)
                self._put(own[edge.source], edge.target, edge.kind, edge.weight, edge.confidence, edge.because)
            self._take_mentions(part, own)

    def _take_units(self, part: MemoryDocument) -> dict[str, int]:
        if f"{part.id}:".startswith(ENTITY):
            raise UserError(f"Document {part.id!r}: the ids of its units would be those of entities. Rename it.")
        own: dict[str, int] = {}
        first = len(self.units)
        for number, unit in enumerate(part.units, first):
            if unit.document != part.id or _document(unit.id) != part.id:
                raise UserError(
                    f"Document {part.id!r}: it cannot hold the unit {unit.id!r} of {unit.document!r}. The id of a unit is "
                    "that of its document, a colon, and a label without colons."
                )
            if own.setdefault(unit.id, number) != number:
                raise UserError(f"Document {part.id!r}: two of its units have the id {unit.id!r}.")
        self.units += part.units
        self.documents[part.id] = GraphDocument(part.id, part.title, part.sha256, first, len(part.units))
        return own

    def _take_mentions(self, part: MemoryDocument, own: Mapping[str, int]) -> None:
        """An entity that a unit names under several surfaces is mentioned as often as all of them together."""
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
        """The edges that came: sources are places among the units that came, targets are places in `targets`."""
        return EdgeTable(*(np.array(column) for column in self._columns))


def _document(unit: str) -> str:
    return unit.rpartition(":")[0]


def _check_edge(part: MemoryDocument, edge: Edge, own: Mapping[str, int]) -> None:
    fault = ""
    if edge.source not in own:
        fault = "begins at no unit of this document."
    elif edge.target not in own and _document(edge.target) == part.id:
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
