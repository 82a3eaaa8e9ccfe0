"""The edges of a graph as they can be walked: each in its direction, and, where asked, also back."""

from __future__ import annotations

from typing import Annotated, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, Field, PlainSerializer

from constraintsuite.memory.graph import EDGE_KINDS, Graph
from constraintsuite.memory.modes.base import BoolArray, FloatArray, IntArray
from constraintsuite.memory.records import EdgeKind
from constraintsuite.memory.worth import WORTH
from constraintsuite.models.naming import ModelSettings


def _split(value: object) -> object:
    return value.split("+") if isinstance(value, str) else value


Kinds = Annotated[tuple[EdgeKind, ...], BeforeValidator(_split), PlainSerializer("+".join, return_type=str)]

_TELLING = np.array([list(WORTH).index(kind) if kind in WORTH else len(WORTH) for kind in EDGE_KINDS])
"""Of each kind its place among those that tell most."""


class ArcSettings(ModelSettings):
    """The options of every mode that walks."""

    kinds: Kinds = Field(get_args(EdgeKind), min_length=1, description="kinds of edges to walk, as in next+depends_on")
    backwards: bool = Field(True, description="yes or no: whether edges are also walked from target to source")


class Arcs(NamedTuple):
    """Directed steps in columns, sorted by source; `first[n]` to `first[n + 1]` are those from node n.

    From one node the most telling kinds come first: where walks over two arcs bring the same, the first one is told.
    """

    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    edge: IntArray
    """Number of its edge in the graph."""
    backwards: BoolArray
    strength: FloatArray
    """Weight times confidence of the edge, or 1."""
    first: IntArray  # (nodes + 1,)
    into: IntArray
    """The arcs in the order of their targets; `into_first[n]` to `into_first[n + 1]` of these lead to node n."""
    into_first: IntArray  # (nodes + 1,)

    def leaving(self, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """Numbers of the arcs from some nodes, node by node, and for each arc the place of its node."""
        counts = self.fan(nodes)
        which = np.repeat(np.arange(len(nodes)), counts)
        offset = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.first[nodes][which] + offset, which

    def fan(self, nodes: IntArray | npt.NDArray[np.int32]) -> IntArray:
        """How many arcs lead from each of some nodes."""
        return self.first[nodes + 1] - self.first[nodes]


def arcs_of(graph: Graph, settings: ArcSettings, visible: BoolArray, *, weighted: bool) -> Arcs:
    """The arcs between nodes that are there; an edge from a node to itself is one arc."""
    table = graph.edges
    there = np.concatenate([visible, np.ones(len(graph.entities), dtype=np.bool_)])
    wanted = np.isin(table.kind, [EDGE_KINDS.index(kind) for kind in settings.kinds])
    edges = np.flatnonzero(wanted & there[table.source] & there[table.target])
    returning = edges[table.source[edges] != table.target[edges]] if settings.backwards else edges[:0]
    source = np.concatenate([table.source[edges], table.target[returning]])
    both = np.concatenate([edges, returning])
    order = np.lexsort((_TELLING[table.kind[both]], source))
    source = source[order]
    target = np.concatenate([table.target[edges], table.source[returning]])[order]
    edge = both[order]
    strength = table.weight[edge] * table.confidence[edge] if weighted else np.ones(len(edge))
    into = np.argsort(target, kind="stable")
    return Arcs(
        source,
        target,
        edge,
        order >= len(edges),
        strength,
        _first(source, graph.size),
        into,
        _first(target, graph.size),
    )


def _first(nodes: npt.NDArray[np.int32], size: int) -> IntArray:
    return np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=size))]).astype(np.intp)
