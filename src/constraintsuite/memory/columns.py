"""What a graph holds, in columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from constraintsuite.memory.records import EdgeKind, Unit

Int32Array = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
EDGE_KINDS: tuple[EdgeKind, ...] = get_args(EdgeKind)
ENTITY = "entity:"
"""What the id of an entity's node begins with."""
N = TypeVar("N", bound=np.generic)


class EdgeTable(NamedTuple):
    """Edges, sorted by source, target and kind; no two are equal in all three."""

    source: Int32Array
    target: Int32Array
    kind: npt.NDArray[np.uint8]
    """Place in EDGE_KINDS."""
    weight: FloatArray
    confidence: FloatArray
    reason: Int32Array
    """Place in the reasons of the graph."""

    @classmethod
    def empty(cls) -> EdgeTable:
        """A table without rows."""
        return cls(
            source=np.empty(0, dtype=np.int32),
            target=np.empty(0, dtype=np.int32),
            kind=np.empty(0, dtype=np.uint8),
            weight=np.empty(0, dtype=np.float64),
            confidence=np.empty(0, dtype=np.float64),
            reason=np.empty(0, dtype=np.int32),
        )

    def take(self, rows: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> EdgeTable:
        """Those rows, which nobody can write to."""
        return EdgeTable(
            source=_locked(self.source[rows]),
            target=_locked(self.target[rows]),
            kind=_locked(self.kind[rows]),
            weight=_locked(self.weight[rows]),
            confidence=_locked(self.confidence[rows]),
            reason=_locked(self.reason[rows]),
        )


class GraphDocument(NamedTuple):
    """A document of a graph."""

    id: str
    title: str
    sha256: str
    first: int
    """Number of its first unit."""
    length: int
    """How many units it has."""


class GraphColumns(NamedTuple):
    """Nodes are numbered: units first, by document id and then as they stand in it, then entities by name."""

    units: tuple[Unit, ...]
    unit_numbers: Mapping[str, int]
    entities: tuple[str, ...]
    edges: EdgeTable
    reasons: tuple[str, ...]
    documents: tuple[GraphDocument, ...]
    open_edges: EdgeTable
    """Edges to units of documents that are not here (yet); their targets are places in `absent`."""
    absent: tuple[str, ...]

    @classmethod
    def empty(cls) -> GraphColumns:
        """Of a graph of nothing."""
        return cls((), {}, (), EdgeTable.empty(), (), (), EdgeTable.empty(), ())


def _locked(array: npt.NDArray[N]) -> npt.NDArray[N]:
    array.flags.writeable = False
    return array
