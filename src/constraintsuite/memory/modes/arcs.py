"""The edges of a graph as they can be walked: each in its direction, and, where asked, also back."""

from __future__ import annotations

from typing import Annotated, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, Field, PlainSerializer

from constraintsuite.memory.entities import EntitySynonyms
from constraintsuite.memory.graph import EDGE_KINDS, BoolArray, FloatArray, MemoryGraph
from constraintsuite.memory.modes.base import IndexArray
from constraintsuite.memory.records import EDGE_WEIGHTS, EdgeKind
from constraintsuite.memory.results import StepKind
from constraintsuite.models.model_names import ModelSettings

Kinds = Annotated[
    tuple[EdgeKind, ...],
    BeforeValidator(lambda value: value.split("+") if isinstance(value, str) else value),
    PlainSerializer("+".join, return_type=str),
]

STEP_KINDS: tuple[StepKind, ...] = (*EDGE_KINDS, "synonym")
_SYNONYM = STEP_KINDS.index("synonym")
_IMPORTANCE = np.array(
    [list(EDGE_WEIGHTS).index(kind) if kind in EDGE_WEIGHTS else len(EDGE_WEIGHTS) for kind in EDGE_KINDS]
    + [len(EDGE_WEIGHTS) + 1]
)
"""For each kind its place in the order of EDGE_WEIGHTS."""


class ArcSettings(ModelSettings):
    """The options of every mode that walks."""

    kinds: Kinds = Field(get_args(EdgeKind), min_length=1, description="kinds of edges to walk, as in next+depends_on")
    backwards: bool = Field(True, description="yes or no: whether edges are also walked from target to source")


class Arcs(NamedTuple):
    """Directed steps in columns, sorted by source; `first[n]` to `first[n + 1]` are those from node n.

    From one node the kinds of the highest weight come first: of two walks that bring the same, the first is shown.
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
    """The arcs between visible nodes; an edge from a node to itself is one arc, a synonym always two."""
    table = graph.edges
    there = np.concatenate([visible, np.ones(len(graph.entities), dtype=np.bool_)])
    wanted = np.isin(table.kind, [EDGE_KINDS.index(kind) for kind in settings.kinds])
    edges = np.flatnonzero(wanted & there[table.source] & there[table.target])
    returning = edges[table.source[edges] != table.target[edges]] if settings.backwards else edges[:0]
    strength = table.weight * table.confidence if weighted else np.ones(len(table.kind))
    parts = [
        (table.source[edges], table.target[edges], table.kind[edges], strength[edges]),
        (table.target[returning], table.source[returning], table.kind[returning], strength[returning]),
    ]
    if synonyms is not None:
        first, second = (ends + np.int32(len(graph.units)) for ends in (synonyms.first, synonyms.second))
        kind = np.full(len(first), _SYNONYM, dtype=np.uint8)
        parts += [(first, second, kind, synonyms.cosine), (second, first, kind, synonyms.cosine)]
    source, target, kinds, strengths = (np.concatenate(column) for column in zip(*parts, strict=True))
    number = np.arange(len(source))
    backwards = (number >= len(edges)) & (number < len(edges) + len(returning))
    order = np.lexsort((_IMPORTANCE[kinds], source))
    target = target[order]
    return Arcs(
        source=source[order],
        target=target,
        kind=kinds[order],
        backwards=backwards[order],
        strength=strengths[order],
        first=_first(source, graph.size),
        into=np.argsort(target, kind="stable"),
        into_first=_first(target, graph.size),
    )


def _first(nodes: npt.NDArray[np.int32], size: int) -> IndexArray:
    return np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=size))]).astype(np.intp)
