"""The benchmark file, field by field: frozen, and strict about what it does not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from constraintsuite.memory.records import EdgeKind, SemanticRole
from constraintsuite.memory.results import StopReason
from constraintsuite.memory.state import Lifecycle

MatchMode = Literal["exact", "prefix", "subsequence"]
EDGE_ALIASES: Mapping[str, EdgeKind] = {"next_unit": "next"}
FOREIGN_EDGES = frozenset(("causes", "recalls", "summarizes", "located_in", "route_to"))
FOREIGN_STOPS = frozenset(("outside_space_scope",))
FOREIGN_FIELDS = (
    "route",
    "required_route_sources",
    "required_scenario_tags",
    "required_symbolic_tags",
    "required_space_ids",
    "required_consolidation_kinds",
)
"""Fields of an expectation that ask for spaces, routes and tags which no mode here has."""
_EDGES: Mapping[str, EdgeKind] = {kind: kind for kind in get_args(EdgeKind)} | dict(EDGE_ALIASES)


def own_edge(name: str) -> EdgeKind | None:
    """What we call a kind of edge; None for one that has no counterpart."""
    return None if name in FOREIGN_EDGES else _EDGES[name]


def check_edge(name: str) -> str:
    """The name of a kind of edge, if it is one of the format."""
    return _one_of(name, (*_EDGES, *sorted(FOREIGN_EDGES)), "kind of edge")


def check_stop(name: str) -> str:
    """The reason for which a walk stopped, if it is one of the format."""
    return _one_of(name, (*get_args(StopReason), *sorted(FOREIGN_STOPS)), "stop reason")


def _one_of(name: str, names: tuple[str, ...], what: str) -> str:
    if name not in names:
        raise ValueError(f"{name!r} is no {what}; there are {', '.join(names)}")
    return name


Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
NodeId = Text
EdgeName = Annotated[str, AfterValidator(check_edge)]
StopName = Annotated[str, AfterValidator(check_stop)]
CONTEXT = "context"
"""The tag of probes whose question leaves out what was confirmed before."""


class Strict(BaseModel):
    """What all parts of the file share."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ExpectedStep(Strict):
    """A node of a walk; without a kind of edge it may be reached by any."""

    node_id: NodeId
    via_edge_type: EdgeName | None = None


class ExpectedPath(Strict):
    """A walk that the answer should show."""

    match_mode: MatchMode = "subsequence"
    steps: tuple[ExpectedStep, ...] = Field(min_length=1)

    @property
    def is_foreign(self) -> bool:
        """Whether a step needs a kind of edge that no memory here has."""
        return any(step.via_edge_type in FOREIGN_EDGES for step in self.steps)


class ExpectedTransfer(Strict):
    """A step of the trace; what is not given may be anything."""

    node_id: NodeId
    edge_type: EdgeName | None = None
    hop: int | None = Field(None, ge=0)
    is_seed: bool | None = None
    stopped_reason: StopName | None = None


class ExpectedTrace(Strict):
    """Steps that the trace should have."""

    match_mode: MatchMode = "subsequence"
    steps: tuple[ExpectedTransfer, ...] = Field(min_length=1)

    @property
    def is_foreign(self) -> bool:
        """Whether a step needs an edge or a reason that no trace here has."""
        return any(step.edge_type in FOREIGN_EDGES or step.stopped_reason in FOREIGN_STOPS for step in self.steps)


class Expectation(Strict):
    """What a right answer returns and shows."""

    evidence_node_ids: tuple[NodeId, ...] = Field(min_length=1)
    minimum_evidence_matches: int = Field(1, ge=1)
    path: ExpectedPath | None = None
    path_scope: Literal["any_path", "best_path"] = "any_path"
    route: ExpectedPath | None = None
    route_scope: Literal["best_route", "any_route"] = "best_route"
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


class BenchmarkCase(Strict):
    """One question, in one or more wordings."""

    case_id: Text
    query: Text
    tags: tuple[str, ...] = ()
    expectation: Expectation
    paraphrases: tuple[Text, ...] = ()
    """The same question in other words."""
    hard_negatives: tuple[NodeId, ...] = ()
    """Nodes that are tempting and wrong: none of them may rank above the best placed evidence."""
    answer: str | None = None
    """For people; no check reads it."""

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
        """The question as it stands first, then its paraphrases."""
        return (self.query, *self.paraphrases)

    @property
    def part(self) -> Literal["prime", "probe", "case"]:
        """What it does in a sequence: a `prime-` is used and confirmed, a `probe-` is asked afterwards."""
        for part in ("prime", "probe"):
            if self.case_id.startswith(f"{part}-"):
                return part
        return "case"

    @property
    def needs_context(self) -> bool:
        """Whether it is a probe that nothing but what was confirmed before can decide: without that, any answer is luck."""
        return self.part == "probe" and CONTEXT in self.tags

    def node_ids(self) -> Iterator[tuple[str, str]]:
        """Every node that the case names, each with the place where it does."""
        wanted = self.expectation
        steps: Mapping[str, Sequence[ExpectedStep | ExpectedTransfer]] = {
            "path": wanted.path.steps if wanted.path else (),
            "activation_trace": wanted.activation_trace.steps if wanted.activation_trace else (),
            "activation_snapshot": wanted.activation_snapshot.steps if wanted.activation_snapshot else (),
        }
        for node in wanted.evidence_node_ids:
            yield "evidence_node_ids", node
        for place, listed in steps.items():
            yield from ((place, step.node_id) for step in listed)
        for pair in wanted.required_contradiction_pairs:
            yield from (("required_contradiction_pairs", node) for node in pair)
        yield from (("required_lifecycle_states", node) for node in wanted.required_lifecycle_states)
        yield from (("hard_negatives", node) for node in self.hard_negatives)


class Dataset(Strict):
    """Questions over the documents of one folder; in a sequence their order counts."""

    dataset_id: Text
    dataset_name: str
    domain_pack_name: str = ""
    """What the earlier engine read the documents with; kept, and without effect."""
    document_directory: Text
    cases: tuple[BenchmarkCase, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _has_distinct_cases(self) -> Dataset:
        seen: set[str] = set()
        for case in self.cases:
            if case.case_id in seen:
                raise ValueError(f"two cases have the id {case.case_id!r}")
            seen.add(case.case_id)
        return self

    @property
    def is_sequence(self) -> bool:
        """Whether earlier cases are meant to change what later ones find."""
        return any(case.part == "prime" for case in self.cases)
