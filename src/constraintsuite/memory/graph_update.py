"""From a graph, and documents that come and go, to the next graph.

Only what comes is looked at one by one; what stays is renumbered by whole arrays.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.memory.graph import EDGE_KINDS, ENTITY, EdgeTable, GraphDocument, Int32Array, MemoryGraph
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
            if unit.document != part.id or _document_of(unit.id) != part.id:
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


class GraphUpdate(NamedTuple):
    """A graph after a change, and where its units come from."""

    graph: MemoryGraph
    origin: Int32Array
    """For each unit its number before the change; -1 for those that came with it."""


def build_graph(parts: Iterable[MemoryDocument]) -> MemoryGraph:
    """The graph of some documents, whatever their order.

    Ids that repeat, edges that begin or end nowhere, and weights that are no positive numbers are UserErrors.
    """
    return update_graph(MemoryGraph(), parts).graph


def update_graph(old: MemoryGraph, add: Iterable[MemoryDocument] = (), remove: Collection[str] = ()) -> GraphUpdate:
    """The graph less some documents, and with others added, or put in place of those of the same id.

    It equals the graph made of all its documents at once.
    """
    intake = GraphInput(old.reasons)
    intake.take(add)
    unknown = sorted(set(remove) - {document.id for document in old.documents})
    if unknown:
        raise UserError(f"There is no document {unknown[0]!r} to remove in this memory.")
    layout = _lay_out(old, intake, frozenset(remove))
    entities = _entities(old, intake, layout)
    edges, open_edges, absent, reasons = _settled(_all_edges(old, intake, layout, entities), tuple(intake.reasons))
    graph = MemoryGraph(
        layout.units, layout.numbers, tuple(entities), edges, reasons, layout.documents, open_edges, absent
    )
    _refuse_repeated(graph)
    return GraphUpdate(graph, layout.origin)


class _Layout(NamedTuple):
    """Where the units go. The pool is the old units with the new ones behind them."""

    units: tuple[Unit, ...]
    numbers: dict[str, int]
    documents: tuple[GraphDocument, ...]
    place: npt.NDArray[np.int64]
    """Of each unit of the pool, its new number; -1 for those that go."""
    origin: Int32Array


def _lay_out(old: MemoryGraph, intake: GraphInput, remove: frozenset[str]) -> _Layout:
    before = len(old.units)
    stay = [each for each in old.documents if each.id not in remove and each.id not in intake.documents]
    come = [each._replace(first=before + each.first) for each in intake.documents.values()]
    documents = sorted(stay + come)  # by id, which no two share
    lengths = np.array([each.length for each in documents], dtype=np.int64)
    firsts = np.cumsum(lengths) - lengths
    shift = np.array([each.first for each in documents], dtype=np.int64) - firsts
    order = np.arange(lengths.sum()) + np.repeat(shift, lengths)  # the pool in its new order
    place = np.full(before + len(intake.units), -1)
    place[order] = np.arange(len(order))
    pool = [*old.units, *intake.units]
    units = tuple(pool[i] for i in order.tolist())
    numbers = {unit.id: number for number, unit in enumerate(units)}
    held = tuple(each._replace(first=first) for each, first in zip(documents, firsts.tolist(), strict=True))
    return _Layout(units, numbers, held, place, np.where(order < before, order, -1).astype(np.int32))


def _entities(old: MemoryGraph, intake: GraphInput, layout: _Layout) -> dict[str, int]:
    """New numbers of the nodes of all entities that are still, or now, mentioned; sorted by name."""
    mentioned = (old.edges.target >= len(old.units)) & (layout.place[old.edges.source] >= 0)
    known = np.unique(old.edges.target[mentioned]) - len(old.units)
    names = {old.entities[i] for i in known.tolist()}
    names |= {target.removeprefix(ENTITY) for target in intake.targets if target.startswith(ENTITY)}
    return {name: number for number, name in enumerate(sorted(names), len(layout.units))}


class _Loose(NamedTuple):
    """Edges with their new numbers, not yet sorted; those that end nowhere have the target -1."""

    table: EdgeTable
    missing: list[str]
    """The targets of those, in their order."""


def _all_edges(old: MemoryGraph, intake: GraphInput, layout: _Layout, entities: dict[str, int]) -> _Loose:
    """The old edges whose source stays, those that ended nowhere (what they wait for may have come), and the new ones."""

    def number(name: str) -> int:
        is_entity = name.startswith(ENTITY)
        return entities[name.removeprefix(ENTITY)] if is_entity else layout.numbers.get(name, -1)

    before, new, targets = len(old.units), intake.table(), list(intake.targets)
    named = np.array([entities.get(name, -1) for name in old.entities], dtype=np.int64)
    nodes = np.concatenate([layout.place[:before], named])
    gone = np.flatnonzero(nodes[:before] < 0).tolist()
    nodes[gone] = [number(old.units[i].id) for i in gone]  # what a document is replaced by may have the unit again
    groups = [
        _renumbered(old.edges, layout.place[old.edges.source], nodes, lambda i: old.units[i].id),
        _renumbered(
            old.open_edges,
            layout.place[old.open_edges.source],
            np.array([number(name) for name in old.absent], dtype=np.int64),
            lambda i: old.absent[i],
        ),
        _renumbered(
            new,
            layout.place[before + new.source.astype(np.int64)],
            np.array([number(name) for name in targets], dtype=np.int64),
            lambda i: targets[i],
        ),
    ]
    columns = zip(*(table for table, _ in groups), strict=True)
    missing = [name for _, names in groups for name in names]
    return _Loose(EdgeTable(*(np.concatenate(column) for column in columns)), missing)


def _renumbered(
    table: EdgeTable, sources: npt.NDArray[np.int64], nodes: npt.NDArray[np.int64], name: Callable[[int], str]
) -> _Loose:
    """The edges whose new source is not -1, with new numbers; `nodes` and `name` are of the old numbers of targets."""
    kept = table.take(sources >= 0)
    target = nodes[kept.target]
    missing = [name(i) for i in kept.target[target < 0].tolist()]
    source = sources[sources >= 0]
    return _Loose(kept._replace(source=source.astype(np.int32), target=target.astype(np.int32)), missing)


def _settled(loose: _Loose, reasons: Sequence[str]) -> tuple[EdgeTable, EdgeTable, tuple[str, ...], tuple[str, ...]]:
    """Sorted tables of edges and of open ones, the units that the latter wait for, and the reasons.

    Reasons stand in the order in which the edges name them, so that no history shows.
    """
    absent = tuple(sorted(set(loose.missing)))
    places = {name: number for number, name in enumerate(absent)}
    ends = loose.table.target >= 0
    edges = _sorted(loose.table.take(ends))
    waiting = loose.table.take(~ends)
    waiting = _sorted(waiting._replace(target=np.array([places[name] for name in loose.missing], dtype=np.int32)))
    used, first = np.unique(np.concatenate([edges.reason, waiting.reason]), return_index=True)
    named = used[np.argsort(first)]
    renumber = np.zeros(len(reasons), dtype=np.int32)
    renumber[named] = np.arange(len(named))
    return (
        edges._replace(reason=renumber[edges.reason]),
        waiting._replace(reason=renumber[waiting.reason]),
        absent,
        tuple(reasons[i] for i in named.tolist()),
    )


def _sorted(table: EdgeTable) -> EdgeTable:
    return table.take(np.lexsort((table.kind, table.target, table.source)))


def _refuse_repeated(graph: MemoryGraph) -> None:
    for table in (graph.edges, graph.open_edges):
        same = np.ones(max(0, len(table.source) - 1), dtype=np.bool_)
        for column in (table.source, table.target, table.kind):
            same &= column[1:] == column[:-1]
        if same.any():
            at = int(np.flatnonzero(same)[0])
            source = graph.units[table.source[at]]
            to = graph.absent if table is graph.open_edges else [unit.id for unit in graph.units]
            raise UserError(
                f"Document {source.document!r}: two of its edges of kind {EDGE_KINDS[table.kind[at]]!r} lead from "
                f"{source.id!r} to {to[table.target[at]]!r}."
            )
