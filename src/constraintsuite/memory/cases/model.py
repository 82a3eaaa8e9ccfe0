"""The fields of a benchmark file. Unknown fields are refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.memory.records import EdgeKind, SemanticRole
from constraintsuite.memory.results import StopReason
from constraintsuite.memory.state import Lifecycle

MatchMode = Literal["exact", "prefix", "subsequence"]
Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
NodeId = Text
EdgeName = Literal[EdgeKind, "next_unit", "causes", "recalls", "summarizes", "located_in", "route_to"]
StopName = Literal[StopReason, "outside_space_scope"]
_OWN_EDGES: Mapping[str, EdgeKind] = {**{kind: kind for kind in get_args(EdgeKind)}, "next_unit": "next"}
UNSUPPORTED_EDGES = frozenset(get_args(EdgeName)) - _OWN_EDGES.keys()
UNSUPPORTED_STOPS = frozenset(get_args(StopName)) - frozenset(get_args(StopReason))
UNSUPPORTED_FIELDS = (
    "route",
    "required_route_sources",
    "required_scenario_tags",
    "required_symbolic_tags",
    "required_space_ids",
    "required_consolidation_kinds",
)
"""Fields of an expectation about spaces, routes and tags, which no mode here has."""
CONTEXT = "context"
"""Tag of probes whose question leaves out what was confirmed before."""


def own_edge(name: str | None) -> EdgeKind | None:
    """The kind of edge of a memory here that a name of the format means; None if there is no such kind."""
    return _OWN_EDGES.get(name or "")


class ExpectedStep(StrictModel):
    """A node of a path. Without a kind of edge, it may be reached by any."""

    node_id: NodeId
    via_edge_type: EdgeName | None = None


class ExpectedPath(StrictModel):
    """A path that the answer should show."""

    match_mode: MatchMode = "subsequence"
    steps: tuple[ExpectedStep, ...] = Field(min_length=1)

    @property
    def is_unsupported(self) -> bool:
        """Whether a step names a kind of edge that no memory here has."""
        return any(step.via_edge_type in UNSUPPORTED_EDGES for step in self.steps)


class ExpectedTransfer(StrictModel):
    """A step of the trace. A field that is not given may have any value."""

    node_id: NodeId
    edge_type: EdgeName | None = None
    hop: int | None = Field(None, ge=0)
    is_seed: bool | None = None
    stopped_reason: StopName | None = None


class ExpectedTrace(StrictModel):
    """Steps that the trace should have."""

    match_mode: MatchMode = "subsequence"
    steps: tuple[ExpectedTransfer, ...] = Field(min_length=1)

    @property
    def is_unsupported(self) -> bool:
        """Whether a step names a kind of edge or a stop reason that no trace here has."""
        return any(
            step.edge_type in UNSUPPORTED_EDGES or step.stopped_reason in UNSUPPORTED_STOPS for step in self.steps
        )


class Expectation(StrictModel):
    """What a right answer must return and show."""

    evidence_node_ids: tuple[NodeId, ...] = Field(min_length=1)
    minimum_evidence_matches: int = Field(1, ge=1)
    path: ExpectedPath | None = None
    path_scope: Literal["any_path", "best_path"] = "any_path"
    route: ExpectedPath | None = None
    route_scope: Literal["best_route", "any_route"] = "best_route"
    """Kept for other programs, and not used."""
    required_route_sources: tuple[Literal["route_memory", "native_activation", "legacy_path"], ...] = ()
    activation_trace: ExpectedTrace | None = None
    activation_snapshot: ExpectedTrace | None = None
    required_trace_stop_reasons: tuple[StopName, ...] = ()
    min_activation_trace_length: int | None = Field(None, ge=0)
    max_activation_trace_length: int | None = Field(None, ge=0)
    required_edge_types: tuple[EdgeName, ...] = ()
    required_semantic_roles: tuple[SemanticRole, ...] = ()
    required_scenario_tags: tuple[str, ...] = ()
    required_symbolic_tags: tuple[str, ...] = ()
    required_space_ids: tuple[str, ...] = ()
    required_consolidation_kinds: tuple[str, ...] = ()
    required_contradiction_pairs: tuple[tuple[NodeId, NodeId], ...] = ()
    required_lifecycle_states: Mapping[NodeId, Lifecycle] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _can_be_met(self) -> Expectation:
        gold = len(self.evidence_node_ids)
        if len(set(self.evidence_node_ids)) < gold:
            raise ValueError("evidence_node_ids names a node twice")
        if self.minimum_evidence_matches > gold:
            raise ValueError(f"minimum_evidence_matches is {self.minimum_evidence_matches}, but there are {gold} nodes")
        least, most = self.min_activation_trace_length, self.max_activation_trace_length
        if least is not None and most is not None and most < least:
            raise ValueError(f"max_activation_trace_length ({most}) is below min_activation_trace_length ({least})")
        if any(a == b for a, b in self.required_contradiction_pairs):
            raise ValueError("required_contradiction_pairs sets a node against itself")
        return self


class BenchmarkCase(StrictModel):
    """One question, in one or more wordings."""

    case_id: Text
    query: Text
    tags: tuple[str, ...] = ()
    expectation: Expectation
    paraphrases: tuple[Text, ...] = ()
    """The same question in other words."""
    hard_negatives: tuple[NodeId, ...] = ()
    """Nodes that are tempting but wrong: none may rank above the best ranked evidence."""
    answer: str | None = None
    """For people. No check reads it."""

    @model_validator(mode="after")
    def _is_consistent(self) -> BenchmarkCase:
        if len({text.casefold() for text in self.phrasings}) < len(self.phrasings):
            raise ValueError("two wordings of the question are the same")
        both = set(self.hard_negatives).intersection(self.expectation.evidence_node_ids)
        if both:
            raise ValueError(f"{min(both)!r} is both evidence and a hard negative")
        return self

    @property
    def phrasings(self) -> tuple[str, ...]:
        """The question, then its paraphrases."""
        return (self.query, *self.paraphrases)

    @property
    def part(self) -> Literal["prime", "probe", "case"]:
        """Its part in a sequence: what a `prime-` case finds is confirmed, a `probe-` case is asked afterwards."""
        for part in ("prime", "probe"):
            if self.case_id.startswith(f"{part}-"):
                return part
        return "case"

    @property
    def needs_context(self) -> bool:
        """Whether it is a probe that only earlier confirmations can decide: without them, any answer is luck."""
        return self.part == "probe" and CONTEXT in self.tags

    def node_ids(self) -> Iterator[tuple[str, str]]:
        """Every node that the case names, each with the field that names it."""
        wanted = self.expectation
        walks = {name: getattr(wanted, name) for name in ("path", "activation_trace", "activation_snapshot")}
        named = {
            "evidence_node_ids": wanted.evidence_node_ids,
            **{name: [step.node_id for step in walk.steps] for name, walk in walks.items() if walk},
            "required_contradiction_pairs": chain.from_iterable(wanted.required_contradiction_pairs),
            "required_lifecycle_states": wanted.required_lifecycle_states,
            "hard_negatives": self.hard_negatives,
        }
        return ((field, node) for field, nodes in named.items() for node in nodes)


class Dataset(StrictModel):
    """Questions about the documents of one folder. In a sequence, their order matters."""

    dataset_id: Text
    dataset_name: str
    domain_pack_name: str = ""
    """Kept for other programs, and not used."""
    document_directory: Text
    cases: tuple[BenchmarkCase, ...] = Field(min_length=1)

    @property
    def is_sequence(self) -> bool:
        """Whether earlier cases are meant to change what later ones find."""
        return any(case.part == "prime" for case in self.cases)
