"""From the columns of a graph, and documents that come and go, to the columns of the next one.

Only what comes is looked at one by one; what stays is renumbered by whole arrays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.memory.columns import EDGE_KINDS, ENTITY, EdgeTable, GraphColumns, GraphDocument, Int32Array
from constraintsuite.memory.intake import Intake
from constraintsuite.memory.records import MemoryDocument, Unit


def assemble(
    old: GraphColumns, add: Iterable[MemoryDocument], remove: Collection[str]
) -> tuple[GraphColumns, Int32Array]:
    """The next columns, and of each of their units its number in the old ones, or -1."""
    intake = Intake(old.reasons)
    intake.take(add)
    _refuse_unknown(old, remove)
    layout = _lay_out(old, intake, frozenset(remove))
    entities = _entities(old, intake, layout)
    loose = _joined([_kept(old, layout, entities), _waiting(old, layout), _new(old, intake, layout, entities)])
    edges, open_edges, absent, reasons = _settled(loose, tuple(intake.reasons))
    columns = GraphColumns(
        units=layout.units,
        unit_numbers=layout.numbers,
        entities=tuple(entities),
        edges=edges,
        reasons=reasons,
        documents=layout.documents,
        open_edges=open_edges,
        absent=absent,
    )
    _refuse_repeated(columns)
    return columns, layout.origin


def _refuse_unknown(old: GraphColumns, remove: Collection[str]) -> None:
    unknown = sorted(set(remove) - {document.id for document in old.documents})
    if unknown:
        raise UserError(f"There is no document {unknown[0]!r} to remove in this memory.")


class _Layout(NamedTuple):
    """Where the units go. The pool is the old units with the new ones behind them."""

    units: tuple[Unit, ...]
    numbers: dict[str, int]
    documents: tuple[GraphDocument, ...]
    place: npt.NDArray[np.int64]
    """Of each unit of the pool, its new number; -1 for those that go."""
    origin: Int32Array


def _lay_out(old: GraphColumns, intake: Intake, remove: frozenset[str]) -> _Layout:
    before = len(old.units)
    stay = [each for each in old.documents if each.id not in remove and each.id not in intake.documents]
    come = [
        GraphDocument(each.id, each.title, each.sha256, before + each.first, each.length)
        for each in intake.documents.values()
    ]
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


def _entities(old: GraphColumns, intake: Intake, layout: _Layout) -> dict[str, int]:
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


def _kept(old: GraphColumns, layout: _Layout, entities: dict[str, int]) -> _Loose:
    """The old edges whose source stays."""
    table = old.edges.take(layout.place[old.edges.source] >= 0)
    nodes = np.array([entities.get(name, -1) for name in old.entities], dtype=np.int64)
    target = np.concatenate([layout.place[: len(old.units)], nodes])[table.target]
    gone = np.flatnonzero(target < 0)
    ids = [old.units[i].id for i in table.target[gone].tolist()]
    target[gone] = [
        layout.numbers.get(name, -1) for name in ids
    ]  # what a document is replaced by may have the unit again
    missing = [name for name in ids if name not in layout.numbers]
    return _Loose(_renumbered(table, layout.place[table.source], target), missing)


def _waiting(old: GraphColumns, layout: _Layout) -> _Loose:
    """The old edges that ended nowhere; what they wait for may have come."""
    table = old.open_edges.take(layout.place[old.open_edges.source] >= 0)
    found = np.array([layout.numbers.get(name, -1) for name in old.absent], dtype=np.int64)
    target = found[table.target]
    missing = [old.absent[i] for i in table.target[target < 0].tolist()]
    return _Loose(_renumbered(table, layout.place[table.source], target), missing)


def _new(old: GraphColumns, intake: Intake, layout: _Layout, entities: dict[str, int]) -> _Loose:
    table = EdgeTable(
        source=np.array(intake.source, dtype=np.int32),
        target=np.array(intake.target, dtype=np.int32),
        kind=np.array(intake.kind, dtype=np.uint8),
        weight=np.array(intake.weight, dtype=np.float64),
        confidence=np.array(intake.confidence, dtype=np.float64),
        reason=np.array(intake.reason, dtype=np.int32),
    )
    ids = list(intake.targets)
    nodes = [
        entities[name.removeprefix(ENTITY)] if name.startswith(ENTITY) else layout.numbers.get(name, -1) for name in ids
    ]
    target = np.array(nodes, dtype=np.int64)[table.target]
    missing = [ids[i] for i in table.target[target < 0].tolist()]
    return _Loose(_renumbered(table, layout.place[len(old.units) + table.source.astype(np.int64)], target), missing)


def _renumbered(table: EdgeTable, source: npt.NDArray[np.int64], target: npt.NDArray[np.int64]) -> EdgeTable:
    return table._replace(source=source.astype(np.int32), target=target.astype(np.int32))


def _joined(groups: Sequence[_Loose]) -> _Loose:
    columns = zip(*(group.table for group in groups), strict=True)
    return _Loose(
        EdgeTable(*(np.concatenate(column) for column in columns)), [name for group in groups for name in group.missing]
    )


class _Settled(NamedTuple):
    edges: EdgeTable
    open_edges: EdgeTable
    absent: tuple[str, ...]
    reasons: tuple[str, ...]


def _settled(loose: _Loose, reasons: Sequence[str]) -> _Settled:
    """Sorted tables; reasons stand in the order in which the edges name them, so that no history shows."""
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
    return _Settled(
        edges._replace(reason=renumber[edges.reason]),
        waiting._replace(reason=renumber[waiting.reason]),
        absent,
        tuple(reasons[i] for i in named.tolist()),
    )


def _sorted(table: EdgeTable) -> EdgeTable:
    return table.take(np.lexsort((table.kind, table.target, table.source)))


def _refuse_repeated(columns: GraphColumns) -> None:
    for table in (columns.edges, columns.open_edges):
        same = np.ones(max(0, len(table.source) - 1), dtype=np.bool_)
        for column in (table.source, table.target, table.kind):
            same &= column[1:] == column[:-1]
        if same.any():
            at = int(np.flatnonzero(same)[0])
            source = columns.units[table.source[at]]
            to = columns.absent if table is columns.open_edges else [unit.id for unit in columns.units]
            raise UserError(
                f"Document {source.document!r}: two of its edges of kind {EDGE_KINDS[table.kind[at]]!r} lead from "
                f"{source.id!r} to {to[table.target[at]]!r}."
            )
