"""The edges of a graph as they can be walked: each in its direction, and, where asked, also back."""

from __future__ import annotations

from typing import Annotated, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, Field, PlainSerializer

from constraintsuite.memory.graph import EDGE_KINDS, MemoryGraph
from constraintsuite.memory.modes.base import BoolArray, FloatArray, IndexArray
from constraintsuite.memory.recall import StepKind
from constraintsuite.memory.records import EdgeKind
from constraintsuite.memory.synonyms import EntitySynonyms
from constraintsuite.memory.worth import WORTH
from constraintsuite.models.naming import ModelSettings


def _split(value: object) -> object:
    return value.split("+") if isinstance(value, str) else value


Kinds = Annotated[tuple[EdgeKind, ...], BeforeValidator(_split), PlainSerializer("+".join, return_type=str)]

STEP_KINDS: tuple[StepKind, ...] = (*EDGE_KINDS, "synonym")
_SYNONYM = STEP_KINDS.index("synonym")
_TELLING = np.array(
    [list(WORTH).index(kind) if kind in WORTH else len(WORTH) for kind in EDGE_KINDS] + [len(WORTH) + 1]
)
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
    kind: npt.NDArray[np.uint8]
    """Place in STEP_KINDS."""
    backwards: BoolArray
    strength: FloatArray
    """Weight times confidence of the edge, or 1."""
    first: IndexArray  # (nodes + 1,)
    into: IndexArray
    """The arcs in the order of their targets; `into_first[n]` to `into_first[n + 1]` of these lead to node n."""
    into_first: IndexArray  # (nodes + 1,)

    def leaving(self, nodes: IndexArray) -> tuple[IndexArray, IndexArray]:
        """Numbers of the arcs from some nodes, node by node, and for each arc the place of its node."""
        counts = self.fan(nodes)
        which = np.repeat(np.arange(len(nodes)), counts)
        offset = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.first[nodes][which] + offset, which

    def fan(self, nodes: IndexArray | npt.NDArray[np.int32]) -> IndexArray:
        """How many arcs lead from each of some nodes."""
        return self.first[nodes + 1] - self.first[nodes]


def arcs_of(
    graph: MemoryGraph,
    settings: ArcSettings,
    visible: BoolArray,
    *,
    weighted: bool,
    synonyms: EntitySynonyms | None = None,
) -> Arcs:
    """The arcs between nodes that are there; an edge from a node to itself is one arc, a synonym always two."""
    table = graph.edges
    there = np.concatenate([visible, np.ones(len(graph.entities), dtype=np.bool_)])
    wanted = np.isin(table.kind, [EDGE_KINDS.index(kind) for kind in settings.kinds])
    edges = np.flatnonzero(wanted & there[table.source] & there[table.target])
    returning = edges[table.source[edges] != table.target[edges]] if settings.backwards else edges[:0]
    both = np.concatenate([edges, returning])
    strength = table.weight[both] * table.confidence[both] if weighted else np.ones(len(both))
    source = np.concatenate([table.source[edges], table.target[returning]])
    target = np.concatenate([table.target[edges], table.source[returning]])
    steps = _Steps(source, target, table.kind[both], np.arange(len(both)) >= len(edges), strength)
    if synonyms is not None:
        steps = steps.with_synonyms(synonyms, len(graph.units))
    return _sorted(steps, graph.size)


class _Steps(NamedTuple):
    """The first columns of arcs, in any order."""

    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    kind: npt.NDArray[np.uint8]
    backwards: BoolArray
    strength: FloatArray

    def with_synonyms(self, links: EntitySynonyms, units: int) -> _Steps:
        first, second = links.first + np.int32(units), links.second + np.int32(units)
        count = 2 * len(first)
        return _Steps(
            np.concatenate([self.source, first, second]),
            np.concatenate([self.target, second, first]),
            np.concatenate([self.kind, np.full(count, _SYNONYM, dtype=np.uint8)]),
            np.concatenate([self.backwards, np.zeros(count, dtype=np.bool_)]),
            np.concatenate([self.strength, links.cosine, links.cosine]),
        )


def _sorted(steps: _Steps, size: int) -> Arcs:
    order = np.lexsort((_TELLING[steps.kind], steps.source))
    target = steps.target[order]
    return Arcs(
        source=steps.source[order],
        target=target,
        kind=steps.kind[order],
        backwards=steps.backwards[order],
        strength=steps.strength[order],
        first=_first(steps.source, size),
        into=np.argsort(target, kind="stable"),
        into_first=_first(target, size),
    )


def _first(nodes: npt.NDArray[np.int32], size: int) -> IndexArray:
    return np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=size))]).astype(np.intp)
