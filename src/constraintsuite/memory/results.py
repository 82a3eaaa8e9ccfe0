"""The results of searches: rankings, paths and traces, and what a benchmark records of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from constraintsuite.memory.records import EdgeKind
from constraintsuite.models.base import ModelFact

StepKind = EdgeKind | Literal["synonym"]
"""The kind of a step: an edge of the graph, or a link between entities with similar names."""
StopReason = Literal["below_threshold", "budget", "max_hops", "disallowed_edge_type"]


@dataclass(frozen=True, slots=True)
class Recalled:
    """One unit of a ranking."""

    unit: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class PathStep:
    """One node of a path. Nodes are units, or entities (their id begins with `entity:`)."""

    node: str
    score: float
    via: StepKind | None = None
    """The kind of the edge that leads here; None for the first node."""
    backwards: bool = False
    """Whether that edge was walked from its target to its source."""


@dataclass(frozen=True, slots=True)
class SearchPath:
    """How a unit was reached: every step is an edge (or a synonym) that exists and that the computation used."""

    steps: tuple[PathStep, ...]
    score: float


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One transfer of activation, with the numbers that were used."""

    node: str
    source: str | None
    edge: StepKind | None
    hop: int
    incoming: float
    """What the source held."""
    passed: float
    """How much of it arrived here over this edge."""
    seed: bool = False
    stopped: StopReason | None = None
    """Why nothing left this node, if nothing did."""


@dataclass(frozen=True)
class SearchAnswer:
    """The answer of one search."""

    query: str
    mode: str
    ranking: tuple[Recalled, ...]
    """Best first, never more than the budget."""
    paths: tuple[SearchPath, ...] = ()
    """To units of the ranking, best first; empty for modes that do not walk."""
    trace: tuple[TraceStep, ...] = ()
    parts: Mapping[str, Mapping[str, float]] | None = None
    """The parts of the score of each unit of the ranking."""


class SearchMode(Protocol):
    """A way to search; the same memory, query and budget give the same answer."""

    name: str

    def search(self, query: str, budget: int) -> SearchAnswer:
        """Return the best units, at most `budget` of them; an empty query finds nothing."""

    def describe(self) -> Mapping[str, ModelFact]:
        """Return its options and constants, each with its value."""


@dataclass(frozen=True, slots=True)
class ItemResult:
    """One item (a question, a case) under one mode, at one budget."""

    mode: str
    item: str
    budget: int
    values: Mapping[str, float | None]
    """By name of the metric; None, not zero, where it is not defined for this item."""
    returned: tuple[str, ...]
    """Ids, best first."""
    groups: Mapping[str, str]
    """The value of each grouping, such as `type`, `hops`, `fixture`."""
    cluster: str
    """Items of one cluster are not independent: paraphrases of a case, questions over one document."""


class Latency(NamedTuple):
    """How long one search took; stored apart from the outcomes, because it differs between machines."""

    mode: str
    item: str
    budget: int
    seconds: float
