"""Checks of an answer, one function per group of values. A value is None where the case does not ask for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from math import inf
from statistics import fmean
from typing import TypeVar

import numpy as np

from constraintsuite.memory.cases.model import (
    UNSUPPORTED_STOPS,
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

TOP = 3
"""Number of ranks that `top3_recall` looks at, whatever the budget."""
UnitPair = frozenset[str]
A = TypeVar("A")
B = TypeVar("B")


def evidence_values(case: BenchmarkCase, ranking: Sequence[str], budget: int) -> MetricValues:
    """How much of the gold evidence is in the ranking: at the budget, except for `top3_recall`."""
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
    """Compare the ranks of evidence and hard negatives.

    `hard_negatives_hit`: no hard negative ranks above the best ranked evidence. If a negative is returned and no evidence is, it
    fails; if neither is, it is None. `negative_order`: of the pairs of evidence and negative of which at least one is returned,
    the share in which the evidence comes first.
    """
    places = {node: place for place, node in enumerate(ranking)}
    gold = [places.get(node, inf) for node in case.expectation.evidence_node_ids]
    wrong = [places.get(node, inf) for node in case.hard_negatives]
    best, tempting = min(gold), min(wrong, default=inf)
    pairs = [right < false for right in gold for false in wrong if min(right, false) < inf]
    hit = float(best < tempting) if wrong and min(best, tempting) < inf else None
    return {"hard_negatives_hit": hit, "negative_order": fmean(pairs) if pairs else None}


def roles_values(wanted: Expectation, ranking: Sequence[str], graph: MemoryGraph) -> MetricValues:
    """`roles_known`: the memory sees every required role in the evidence. `roles_hit`: the roles that it sees there are also in
    the evidence that was returned. Another unit with the same role does not count.
    """
    if not wanted.required_semantic_roles:
        return {"roles_hit": None, "roles_known": None}
    required, gold = set(wanted.required_semantic_roles), set(wanted.evidence_node_ids)
    seen = required & _roles(graph, gold)
    hit = float(seen <= _roles(graph, gold.intersection(ranking))) if seen else None
    return {"roles_hit": hit, "roles_known": float(seen == required)}


def conflicts_of(graph: MemoryGraph) -> frozenset[UnitPair]:
    """All pairs of units of which one is an exception to the other, or which contradict each other, as the memory has it."""
    table = graph.edges
    chosen = np.isin(table.kind, [EDGE_KINDS.index("exception_to"), EDGE_KINDS.index("contradicts")])
    ends = zip(table.source[chosen].tolist(), table.target[chosen].tolist(), strict=True)
    return frozenset(frozenset(map(graph.node_id, pair)) for pair in ends)


def contradiction_values(wanted: Expectation, ranking: Sequence[str], conflicts: frozenset[UnitPair]) -> MetricValues:
    """`contradiction_recall`: share of the required pairs of which both units are returned. `contradiction_hit`: all are.

    `conflict_known`: the memory has an edge for every required pair, whatever was returned.
    `contradiction_precision`: share of required pairs among the returned pairs for which the memory has an edge.
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


def _roles(graph: MemoryGraph, nodes: Collection[str]) -> set[SemanticRole]:
    return {role for node in nodes for role in graph.units[graph.unit_numbers[node]].roles}


def trace_values(wanted: Expectation, recall: SearchAnswer) -> MetricValues:
    """`trace_hit`: the trace of the best path has the expected steps, all required stop reasons, and a length within the
    bounds. `snapshot_hit`: the complete trace has the expected steps.
    """
    best = best_path_trace(recall)
    shape = _shape(wanted.activation_trace, best)
    required = [reason for reason in wanted.required_trace_stop_reasons if reason not in UNSUPPORTED_STOPS]
    stops = {step.stopped for step in best}.issuperset(required) if required else None
    length = _length(wanted, len(best) if recall.paths else None)
    asked = [check for check in (shape, stops, length) if check is not None]
    snapshot = _shape(wanted.activation_snapshot, recall.trace)
    return {
        "trace_hit": float(all(asked)) if asked else None,
        "snapshot_hit": None if snapshot is None else float(snapshot),
    }


def best_path_trace(recall: SearchAnswer) -> list[TraceStep]:
    """The steps of the trace that make up the best path, in its order."""
    if not recall.paths:
        return []
    steps = recall.paths[0].steps
    walked: list[tuple[int, str | None, str]] = [(0, None, steps[0].node)]
    walked += [(hop, before.node, step.node) for hop, (before, step) in enumerate(pairwise(steps), 1)]
    by_place = {(step.hop, step.source, step.node): step for step in recall.trace}
    return [by_place[place] for place in walked if place in by_place]


def _shape(expected: ExpectedTrace | None, trace: Sequence[TraceStep]) -> bool | None:
    if expected is None or expected.is_unsupported:
        return None
    return matches(expected.steps, trace, _fits_transfer, expected.match_mode)


def _length(wanted: Expectation, length: int | None) -> bool | None:
    """Whether the length is within the bounds; without a best path it is not."""
    least, most = wanted.min_activation_trace_length, wanted.max_activation_trace_length
    if least is None and most is None:
        return None
    return length is not None and (least or 0) <= length <= (length if most is None else most)


def _fits_transfer(expected: ExpectedTransfer, step: TraceStep) -> bool:
    kind = own_edge(expected.edge_type)
    return (
        expected.node_id == step.node
        and (kind is None or kind == step.edge)
        and expected.hop in (None, step.hop)
        and expected.is_seed in (None, step.seed)
        and expected.stopped_reason in (None, step.stopped)
    )


def path_values(wanted: Expectation, recall: SearchAnswer) -> MetricValues:
    """`path_hit`: a returned path (in scope) has the expected steps. The other values are of the path nearest to the expected one.

    `path_recall`: share of the expected nodes that it visits in order. `path_precision`: share of its nodes that are expected.
    `path_edit`: edit distance divided by the longer length.
    """
    if wanted.path is None or wanted.path.is_unsupported:
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
    """`edge_types_hit`: the best path has every required kind of edge."""
    required = {own_edge(name) for name in wanted.required_edge_types} - {None}
    if not required:
        return {"edge_types_hit": None}
    walked = {step.via for path in recall.paths[:1] for step in path.steps}
    return {"edge_types_hit": float(required <= walked)}


class EdgeIndex:
    """An index of the edges of a graph, to look up whether one exists."""

    def __init__(self, graph: MemoryGraph) -> None:
        table = graph.edges
        self._graph = graph
        rows = zip(table.source.tolist(), table.target.tolist(), table.kind.tolist(), strict=True)
        self._numbers = {row: number for number, row in enumerate(rows)}

    def number(self, before: PathStep, step: PathStep) -> int | None:
        """The number of the edge that leads from one step to the next; None if there is none in that direction."""
        if step.via is None:
            return None
        ends = (before.node, step.node) if not step.backwards else (step.node, before.node)
        return self._find(*ends, step.via)

    def between(self, one: str, other: str, kind: StepKind) -> set[int]:
        """The numbers of the edges of one kind between two nodes, in either direction."""
        return {number for ends in ((one, other), (other, one)) if (number := self._find(*ends, kind)) is not None}

    def _find(self, source: str, target: str, kind: StepKind) -> int | None:
        if kind == "synonym":  # a step between similar names is not an edge of the graph
            return None
        return self._numbers.get((self._graph.number(source), self._graph.number(target), EDGE_KINDS.index(kind)))


def validity_value(paths: Sequence[SearchPath], edges: EdgeIndex) -> MetricValues:
    """`edge_validity`: share of the edges of all returned paths that exist. A step between synonyms is not an edge."""
    pairs = [pair for path in paths for pair in pairwise(path.steps) if pair[1].via != "synonym"]
    walked = [edges.number(*pair) is not None for pair in pairs]
    return {"edge_validity": fmean(walked) if walked else None}


def _fits_step(expected: ExpectedStep, step: PathStep) -> bool:
    kind = own_edge(expected.via_edge_type)
    return expected.node_id == step.node and (kind is None or kind == step.via)


def matches(expected: Sequence[A], found: Sequence[B], fits: Callable[[A, B], bool], mode: MatchMode) -> bool:
    """Compare two sequences: `exact` in length and order, as a `prefix`, or as a `subsequence` with gaps."""
    if mode == "subsequence":
        rest = iter(found)
        return all(any(fits(want, have) for have in rest) for want in expected)
    if len(expected) > len(found) or (mode == "exact" and len(expected) < len(found)):
        return False
    return all(fits(want, have) for want, have in zip(expected, found, strict=False))


def longest_common(expected: Sequence[str], found: Sequence[str]) -> int:
    """The length of the longest common subsequence: the nodes that stay if nodes are only inserted and deleted."""
    return (len(expected) + len(found) - edit_distance(expected, found, replacement=2)) // 2


def edit_distance(expected: Sequence[str], found: Sequence[str], *, replacement: int = 1) -> int:
    """The number of nodes to insert, delete or replace to turn one sequence into the other (Levenshtein 1966)."""
    row = list(range(len(found) + 1))
    for number, want in enumerate(expected, 1):
        before, row = row, [number]
        for place, have in enumerate(found, 1):
            replaced = before[place - 1] + (replacement if want != have else 0)
            row.append(min(before[place] + 1, row[-1] + 1, replaced))
    return row[-1]
