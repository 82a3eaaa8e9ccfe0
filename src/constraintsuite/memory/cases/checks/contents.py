"""What do the returned units do in their documents, and which of them stand against each other?"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from constraintsuite.memory.cases.checks.evidence import MetricValues
from constraintsuite.memory.cases.model import Expectation
from constraintsuite.memory.graph import EDGE_KINDS, MemoryGraph
from constraintsuite.memory.records import SemanticRole
from constraintsuite.memory.state import Lifecycle

UnitPair = frozenset[str]


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
