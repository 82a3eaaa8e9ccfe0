"""What can be asked of an answer: one function per check, None where the question does not arise."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np

from constraintsuite.memory.cases.model import (
    FOREIGN_EDGES,
    FOREIGN_STOPS,
    BenchmarkCase,
    Expectation,
    ExpectedStep,
    ExpectedTrace,
    ExpectedTransfer,
    MatchMode,
    own_edge,
)
from constraintsuite.memory.graph import EDGE_KINDS, MemoryGraph
from constraintsuite.memory.public.measures import MetricValues, compare_sets, ranking_values
from constraintsuite.memory.records import SemanticRole
from constraintsuite.memory.results import PathStep, SearchAnswer, SearchPath, StepKind, TraceStep
from constraintsuite.memory.state import Lifecycle

TOP = 3
"""So many places are looked at by `top3_recall`, whatever the budget."""
UnitPair = frozenset[str]
A = TypeVar("A")
B = TypeVar("B")


def evidence_values(case: BenchmarkCase, ranking: Sequence[str], budget: int) -> MetricValues:
    """Of the gold in the ranking: all at the budget, but for `top3_recall`."""
    gold = case.expectation.evidence_node_ids
    sets = compare_sets(ranking, gold)
    values = ranking_values(gold, ranking, [budget])
    found = len(set(gold).intersection(ranking))
    return {
        "evidence_hit": float(found >= case.expectation.minimum_evidence_matches),
        "hit": values[f"hit@{budget}"],
        "all_gold": values[f"all_gold@{budget}"],
        "evidence_recall": sets.recall,
        "evidence_precision": sets.precision if ranking else None,
        "evidence_f1": sets.f1,
        "top3_recall": len(set(gold).intersection(ranking[:TOP])) / len(gold),
        "mrr": values["mrr"],
        "ndcg": values[f"ndcg@{budget}"],
    }


def negatives_values(case: BenchmarkCase, ranking: Sequence[str]) -> MetricValues:
    """`hard_negatives_hit`: whether no hard negative ranks above the best placed evidence; a negative that was returned where
    no evidence was fails, and where neither was there is nothing to compare. `negative_order`: of the pairs of evidence
    and negative of which one was returned, the share in which the evidence is first."""
    places = {node: place for place, node in enumerate(ranking)}
    gold = [places.get(node) for node in case.expectation.evidence_node_ids]
    wrong = [places.get(node) for node in case.hard_negatives]
    first, tempting = (min((place for place in some if place is not None), default=None) for some in (gold, wrong))
    pairs = [_first(a, b) for a in gold for b in wrong if a is not None or b is not None]
    hit = None if not wrong or first is tempting is None else float(_first(first, tempting))
    return {"hard_negatives_hit": hit, "negative_order": sum(pairs) / len(pairs) if pairs else None}


def _first(right: int | None, wrong: int | None) -> bool:
    return right is not None and (wrong is None or right < wrong)


def roles_values(wanted: Expectation, ranking: Sequence[str], graph: MemoryGraph) -> MetricValues:
    """`roles_known`: whether the memory sees every required role in the evidence. `roles_hit`: whether those that it sees
    there are also in the evidence that was returned; another unit with the same role is no answer."""
    if not wanted.required_semantic_roles:
        return {"roles_hit": None, "roles_known": None}
    required, gold = set(wanted.required_semantic_roles), set(wanted.evidence_node_ids)
    seen = required & _roles(graph, gold)
    hit = float(seen <= _roles(graph, gold.intersection(ranking))) if seen else None
    return {"roles_hit": hit, "roles_known": float(seen == required)}


def conflicts_of(graph: MemoryGraph) -> frozenset[UnitPair]:
    """Every two units of which the memory holds that one is an exception to the other, or that they contradict."""
    table = graph.edges
    kinds = [EDGE_KINDS.index("exception_to"), EDGE_KINDS.index("contradicts")]
    numbers = np.flatnonzero(np.isin(table.kind, kinds)).tolist()
    ends = ((int(table.source[number]), int(table.target[number])) for number in numbers)
    return frozenset(frozenset(map(graph.node_id, pair)) for pair in ends)


def contradiction_values(wanted: Expectation, ranking: Sequence[str], conflicts: frozenset[UnitPair]) -> MetricValues:
    """`contradiction_recall`: the share of the required pairs of which both units are returned; `contradiction_hit`: all are.

    `conflict_known`: whether the memory has an edge for every required pair, whatever was returned.
    `contradiction_precision`: of the pairs that it has an edge for and that are returned, the share that is required.
    """
    required = {frozenset(pair) for pair in wanted.required_contradiction_pairs}
    if not required:
        return dict.fromkeys(("contradiction_hit", "contradiction_recall", "contradiction_precision", "conflict_known"))
    returned = set(ranking)
    both = {pair for pair in required if pair <= returned}
    shown = {pair for pair in conflicts if pair <= returned}
    return {
        "contradiction_hit": float(both == required),
        "contradiction_recall": len(both) / len(required),
        "contradiction_precision": len(shown & required) / len(shown) if shown else None,
        "conflict_known": float(required <= conflicts),
    }


def lifecycle_value(wanted: Expectation, states: Mapping[str, Lifecycle]) -> MetricValues:
    """`lifecycle_hit`: whether every named unit is in its state after the query and its confirmation."""
    required = wanted.required_lifecycle_states
    return {"lifecycle_hit": float(all(states[node] == state for node, state in required.items()))}


def _roles(graph: MemoryGraph, nodes: Collection[str]) -> set[SemanticRole]:
    return {role for node in nodes for role in graph.units[graph.unit_numbers[node]].roles}


def trace_values(wanted: Expectation, recall: SearchAnswer) -> MetricValues:
    """`trace_hit`: the trace of the best path has the expected steps, all required stop reasons and a length within the
    bounds; `snapshot_hit`: the whole trace has the expected steps."""
    best = best_path_trace(recall)
    shape = _shape(wanted.activation_trace, best)
    required = [reason for reason in wanted.required_trace_stop_reasons if reason not in FOREIGN_STOPS]
    stops = {step.stopped for step in best}.issuperset(required) if required else None
    length = _length(wanted, len(best) if recall.paths else None)
    asked = [check for check in (shape, stops, length) if check is not None]
    snapshot = _shape(wanted.activation_snapshot, recall.trace)
    return {
        "trace_hit": float(all(asked)) if asked else None,
        "snapshot_hit": None if snapshot is None else float(snapshot),
    }


def best_path_trace(recall: SearchAnswer) -> list[TraceStep]:
    """The steps of the trace that the best path is made of, in its order."""
    if not recall.paths:
        return []
    steps = recall.paths[0].steps
    walked: list[tuple[int, str | None, str]] = [(0, None, steps[0].node)]
    walked += [(hop, before.node, step.node) for hop, (before, step) in enumerate(pairwise(steps), 1)]
    by_place = {(step.hop, step.source, step.node): step for step in recall.trace}
    return [by_place[place] for place in walked if place in by_place]


def _shape(expected: ExpectedTrace | None, trace: Sequence[TraceStep]) -> bool | None:
    if expected is None or expected.is_foreign:
        return None
    return matches(expected.steps, trace, _fits_transfer, expected.match_mode)


def _length(wanted: Expectation, length: int | None) -> bool | None:
    """Without a best path there is no length, and none within the bounds."""
    least, most = wanted.min_activation_trace_length, wanted.max_activation_trace_length
    if least is None and most is None:
        return None
    return length is not None and (least is None or length >= least) and (most is None or length <= most)


def _fits_transfer(expected: ExpectedTransfer, step: TraceStep) -> bool:
    kind = own_edge(expected.edge_type) if expected.edge_type else None
    return (
        expected.node_id == step.node
        and (kind is None or kind == step.edge)
        and expected.hop in (None, step.hop)
        and expected.is_seed in (None, step.seed)
        and expected.stopped_reason in (None, step.stopped)
    )


def path_values(wanted: Expectation, recall: SearchAnswer) -> MetricValues:
    """`path_hit`, and of the returned path that is nearest to the expected one (in scope): the part of the expected nodes
    that it visits in order, the part of its own nodes that are expected, and the edit distance over the longer length."""
    if wanted.path is None or wanted.path.is_foreign:
        return dict.fromkeys(("path_hit", "path_recall", "path_precision", "path_edit"))
    paths = recall.paths[:1] if wanted.path_scope == "best_path" else recall.paths
    expected, mode = wanted.path.steps, wanted.path.match_mode
    hit = any(matches(expected, path.steps, _fits_step, mode) for path in paths)
    nodes = [step.node_id for step in expected]
    nearest = min(
        ([step.node for step in path.steps] for path in paths),
        key=lambda found: edit_distance(nodes, found),
        default=[],
    )
    shared = longest_common(nodes, nearest)
    return {
        "path_hit": float(hit),
        "path_recall": shared / len(nodes),
        "path_precision": shared / len(nearest) if nearest else None,
        "path_edit": edit_distance(nodes, nearest) / max(len(nodes), len(nearest)),
    }


def edge_types_value(wanted: Expectation, recall: SearchAnswer) -> MetricValues:
    """`edge_types_hit`: whether the best path has every required kind of edge."""
    required = {own_edge(name) for name in wanted.required_edge_types if name not in FOREIGN_EDGES}
    if not required:
        return {"edge_types_hit": None}
    walked = {step.via for path in recall.paths[:1] for step in path.steps}
    return {"edge_types_hit": float(required <= walked)}


class EdgeBook:
    """The edges of a graph, to look up whether one is there."""

    def __init__(self, graph: MemoryGraph) -> None:
        table = graph.edges
        self._graph = graph
        rows = zip(table.source.tolist(), table.target.tolist(), table.kind.tolist(), strict=True)
        self._numbers = {row: number for number, row in enumerate(rows)}

    def number(self, before: PathStep, step: PathStep) -> int | None:
        """The edge that a step from the one before it walked, in the direction in which it did; None if there is none."""
        if step.via is None:
            return None
        ends = (before.node, step.node) if not step.backwards else (step.node, before.node)
        return self._find(*ends, step.via)

    def between(self, one: str, other: str, kind: StepKind) -> set[int]:
        """The edges of a kind between two nodes, in either direction."""
        return {number for ends in ((one, other), (other, one)) if (number := self._find(*ends, kind)) is not None}

    def _find(self, source: str, target: str, kind: StepKind) -> int | None:
        if kind == "synonym":  # names that are alike are no edge of the graph
            return None
        return self._numbers.get((self._graph.number(source), self._graph.number(target), EDGE_KINDS.index(kind)))


def validity_value(paths: Sequence[SearchPath], book: EdgeBook) -> MetricValues:
    """`edge_validity`: the share of the edges of all returned paths that exist; a step between synonyms claims none."""
    pairs = [pair for path in paths for pair in pairwise(path.steps) if pair[1].via != "synonym"]
    walked = [book.number(*pair) is not None for pair in pairs]
    return {"edge_validity": sum(walked) / len(walked) if walked else None}


def _fits_step(expected: ExpectedStep, step: PathStep) -> bool:
    kind = own_edge(expected.via_edge_type) if expected.via_edge_type else None
    return expected.node_id == step.node and (kind is None or kind == step.via)


def matches(expected: Sequence[A], found: Sequence[B], fits: Callable[[A, B], bool], mode: MatchMode) -> bool:
    """`exact`: as long, and each fits its place; `prefix`: the first ones do; `subsequence`: in order, gaps allowed."""
    if mode == "subsequence":
        rest = iter(found)
        return all(any(fits(want, have) for have in rest) for want in expected)
    if len(expected) > len(found) or (mode == "exact" and len(expected) < len(found)):
        return False
    return all(fits(want, have) for want, have in zip(expected, found, strict=False))


def longest_common(expected: Sequence[str], found: Sequence[str]) -> int:
    """The length of the longest sequence that is a subsequence of both."""
    best = [0] * (len(found) + 1)
    for want in expected:
        before = best
        best = [0]
        for place, have in enumerate(found, 1):
            best.append(before[place - 1] + 1 if want == have else max(before[place], best[-1]))
    return best[-1]


def edit_distance(expected: Sequence[str], found: Sequence[str]) -> int:
    """How many nodes must be put in, taken out or exchanged to make one of the other (Levenshtein 1966)."""
    row = list(range(len(found) + 1))
    for number, want in enumerate(expected, 1):
        before, row = row, [number]
        for place, have in enumerate(found, 1):
            row.append(min(before[place] + 1, row[-1] + 1, before[place - 1] + (want != have)))
    return row[-1]
