"""The base of modes that walk: the graph as they walk it, how well each unit matches, and where walks start."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple, TypeVar, get_args

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, Field, PlainSerializer

from constraintsuite.core.errors import MissingExtraError
from constraintsuite.memory.graph import EDGE_KINDS, BoolArray, FloatArray, Int32Array, MemoryGraph
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import IndexArray, Mode, ModeContext, best
from constraintsuite.memory.records import EDGE_WEIGHTS, EdgeKind, SemanticRole
from constraintsuite.memory.results import SearchAnswer, StepKind
from constraintsuite.models.model_names import ModelName, ModelSettings

if TYPE_CHECKING:
    from scipy.sparse import csr_array  # type: ignore[import-untyped,unused-ignore]

Kinds = Annotated[
    tuple[EdgeKind, ...],
    BeforeValidator(lambda value: value.split("+") if isinstance(value, str) else value),
    PlainSerializer("+".join, return_type=str),
]
Seeds = Literal["auto", "lexical", "dense", "hybrid", "covered"]
STEP_KINDS: tuple[StepKind, ...] = (*EDGE_KINDS, "synonym")
_BY_WEIGHT: tuple[StepKind, ...] = (*EDGE_WEIGHTS, "mentions", "synonym")
_IMPORTANCE = np.array([_BY_WEIGHT.index(kind) for kind in STEP_KINDS])
"""For each kind of step its position in the order of weights."""
_ROLES: Mapping[SemanticRole, float] = {"exception": 1.0, "remedy": 0.45, "escalation": 0.45}


class WalkSettings(ModelSettings):
    """The options of every mode that begins at units which match the query, and walks on from there."""

    kinds: Kinds = Field(get_args(EdgeKind), min_length=1, description="kinds of edges to walk, as in next+depends_on")
    backwards: bool = Field(True, description="yes or no: whether edges are also walked from target to source")
    seeds: Seeds = Field(
        "auto",
        description="what a match is: lexical, dense, hybrid (the mean), covered (the mean, words by how much of the query "
        "they are), or auto: hybrid where there is an encoder",
    )
    starts: int = Field(3, ge=1, description="how many of the best matches a walk begins at")


class Arcs(NamedTuple):
    """Directed steps in columns, sorted by source; `first[n]` to `first[n + 1]` are those that leave node n.

    Of the arcs of one node, kinds of higher weight come first: of two walks with the same score, the first is shown.
    """

    source: Int32Array
    target: Int32Array
    kind: npt.NDArray[np.uint8]
    """Position in STEP_KINDS."""
    backwards: BoolArray
    strength: FloatArray
    """Weight times confidence of the edge, or 1."""
    first: IndexArray  # (nodes + 1,)

    def leaving(self, nodes: IndexArray) -> tuple[IndexArray, IndexArray]:
        """Return the numbers of the arcs that leave some nodes, node by node, and for each arc the position of its node."""
        counts = self.fan(nodes)
        which = np.repeat(np.arange(len(nodes)), counts)
        offset = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.first[nodes][which] + offset, which

    def fan(self, nodes: IndexArray | Int32Array) -> IndexArray:
        """Count the arcs that leave each of some nodes."""
        return self.first[nodes + 1] - self.first[nodes]


@dataclass(frozen=True)
class GraphView:
    """The visible part of a graph as a mode walks it; everything is computed at first use and kept."""

    memory: Memory
    graph: MemoryGraph
    visible: BoolArray
    settings: WalkSettings
    weighted: bool
    """Whether the weights of edges count."""
    synonyms: float
    """The least cosine of the names of two entities that are linked; 0 links none."""

    @cached_property
    def arcs(self) -> Arcs:
        """The arcs between visible nodes. An edge from a node to itself is one arc, a synonym always two."""
        table = self.graph.edges
        there = np.concatenate([self.visible, np.ones(len(self.graph.entities), dtype=np.bool_)])
        edges = np.flatnonzero(self._is_walked & there[table.source] & there[table.target])
        returning = edges[table.source[edges] != table.target[edges]] if self.settings.backwards else edges[:0]
        strength = table.weight * table.confidence if self.weighted else np.ones(len(table.kind))
        parts = [
            (table.source[edges], table.target[edges], table.kind[edges], strength[edges]),
            (table.target[returning], table.source[returning], table.kind[returning], strength[returning]),
        ]
        if self.synonyms:
            linked = self.memory.synonyms(self.synonyms, self.named)
            first, second = (ends + np.int32(len(self.graph.units)) for ends in (linked.first, linked.second))
            kind = np.full(len(first), STEP_KINDS.index("synonym"), dtype=np.uint8)
            parts += [(first, second, kind, linked.cosine), (second, first, kind, linked.cosine)]
        source, target, kinds, strengths = (np.concatenate(column) for column in zip(*parts, strict=True))
        number = np.arange(len(source))
        backwards = (number >= len(edges)) & (number < len(edges) + len(returning))
        order = np.lexsort((_IMPORTANCE[kinds], source))
        leaving = np.bincount(source, minlength=self.graph.size)
        first_arcs = np.concatenate([[0], np.cumsum(leaving)]).astype(np.intp)
        return Arcs(source[order], target[order], kinds[order], backwards[order], strengths[order], first_arcs)

    @cached_property
    def transitions(self) -> csr_array:
        """For each arc the share of its activation that the source passes over it: a matrix of sources and targets.

        The values are in the order of the arcs; parallel arcs keep their own values.
        """
        try:
            from scipy.sparse import csr_array  # noqa: PLC0415 - an extra
        except ImportError:
            raise MissingExtraError("memory", "Walking the graph of a memory") from None
        arcs, nodes = self.arcs, self.graph.size
        leaving = np.bincount(arcs.source, arcs.strength, minlength=nodes)
        return csr_array((arcs.strength / leaving[arcs.source], arcs.target, arcs.first), shape=(nodes, nodes))

    @cached_property
    def _is_walked(self) -> BoolArray:
        """Which edges are of a kind that the options allow."""
        return np.isin(self.graph.edges.kind, [EDGE_KINDS.index(kind) for kind in self.settings.kinds])

    @cached_property
    def rarity(self) -> FloatArray:
        """For each entity, one over the number of visible units that name it; 0 for one that none does."""
        table, units = self.graph.edges, len(self.graph.units)
        naming = table.kind == EDGE_KINDS.index("mentions")
        naming[naming] = self.visible[table.source[naming]]
        counts = np.bincount(table.target[naming] - units, minlength=len(self.graph.entities))
        rarity: FloatArray = np.where(counts > 0, 1.0 / np.maximum(counts, 1), 0.0)
        return rarity

    @property
    def named(self) -> BoolArray:
        """Which entities are visible: those that a visible unit names."""
        return self.rarity > 0

    @cached_property
    def barred(self) -> BoolArray:
        """Nodes with an edge whose kind is not walked."""
        table = self.graph.edges
        barred = np.zeros(self.graph.size, dtype=np.bool_)
        barred[table.source[~self._is_walked]] = True
        if self.settings.backwards:
            barred[table.target[~self._is_walked]] = True
        return barred

    @cached_property
    def exceptional(self) -> FloatArray:
        """For each unit, how much its roles make it one that is easily overlooked."""
        return np.array([max((_ROLES.get(role, 0.0) for role in unit.roles), default=0.0) for unit in self.graph.units])

    @cached_property
    def opposing(self) -> BoolArray:
        """Which arcs lead from a rule to its exception, between two that contradict each other, or back."""
        kinds = [EDGE_KINDS.index("exception_to"), EDGE_KINDS.index("contradicts")]
        return np.isin(self.arcs.kind, kinds)


class WalkStart(NamedTuple):
    """The view of the graph, the matches, and the starts of the walks."""

    view: GraphView
    match: FloatArray  # (units,)
    starts: IndexArray
    """The best matches, best first."""


W = TypeVar("W", bound=WalkSettings)


class WalkMode(Mode[W]):
    """Begins at the units that match best. The view of the graph is reused as long as the same units are visible."""

    weighted: ClassVar[bool] = True
    """Whether the weights of edges count."""

    def __init__(self, name: ModelName, context: ModeContext) -> None:
        super().__init__(name, context)
        self._view: GraphView | None = None

    @property
    def synonyms(self) -> float:
        """The least cosine of the names of two entities that are linked; 0 links none."""
        return 0.0

    def find(self, query: str, budget: int) -> SearchAnswer:
        """Return the units that walks from the best matches bring most to."""
        view = self._current_view()
        match = relevance(self.memory, query, self.settings.seeds, view.visible)
        return self.walk(query, budget, WalkStart(view, match, best(match, self.settings.starts, match > 0)))

    @abstractmethod
    def walk(self, query: str, budget: int, start: WalkStart) -> SearchAnswer:
        """Score the units by walks from the starts, and return the best with their paths."""

    def _current_view(self) -> GraphView:
        graph, visible = self.memory.graph, self.context.visible()
        if self._view is None or self._view.graph is not graph or not np.array_equal(self._view.visible, visible):
            self._view = GraphView(self.memory, graph, visible, self.settings, self.weighted, self.synonyms)
        return self._view


def relevance(memory: Memory, query: str, seeds: Seeds, visible: BoolArray) -> FloatArray:
    """Return the match of every unit: 1 for the best, 0 for those that share nothing and those that are not visible."""
    if seeds == "auto":
        seeds = "hybrid" if memory.encoder is not None else "lexical"
    matches = []
    if seeds in ("lexical", "hybrid"):
        matches.append(_scaled(memory.lexical(query, visible), visible, lowest=0.0))
    if seeds == "covered":
        # Not divided by the best BM25: the best match of a reworded question may be an accident, and should not be a 1.
        matches.append(memory.coverage(query, visible))
    if seeds in ("dense", "hybrid", "covered"):
        matches.append(_scaled(memory.dense(query), visible, lowest=None))
    # The highest of a single match is 1 already: scaling it again would change no bit.
    return matches[0] if len(matches) == 1 else _scaled(np.mean(matches, axis=0), visible, lowest=0.0)


def _scaled(scores: FloatArray, visible: BoolArray, lowest: float | None) -> FloatArray:
    """Scale scores to 0..1 over the visible units, from `lowest` or from their minimum.

    Where all scores equal the minimum they become 1; where all equal `lowest` they become 0.
    """
    scaled = np.zeros(len(scores))
    own = scores[visible]
    if not len(own):
        return scaled
    low = float(own.min()) if lowest is None else lowest
    span = float(own.max()) - low
    all_equal = 1.0 if lowest is None else 0.0
    scaled[visible] = np.maximum(own - low, 0.0) / span if span > 0 else all_equal
    return scaled
