"""What do the returned units do in their documents, and which of them stand against each other?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from constraintsuite.memory.cases.checks.evidence import Values
from constraintsuite.memory.cases.model import Expectation
from constraintsuite.memory.graph import EDGE_KINDS, Graph
from constraintsuite.memory.records import SemanticRole
from constraintsuite.memory.state.strength import Lifecycle

Pair = frozenset[str]


def roles_value(wanted: Expectation, ranking: Sequence[str], graph: Graph) -> Values:
    """`roles_hit`: whether every required role is among those of the returned units."""
    if not wanted.required_semantic_roles:
        return {"roles_hit": None}
    found: set[SemanticRole] = set()
    for node in ranking:
        found.update(graph.units[graph.unit_numbers[node]].roles)
    return {"roles_hit": float(found.issuperset(wanted.required_semantic_roles))}


def conflicts_of(graph: Graph) -> frozenset[Pair]:
    """Every two units of which the memory holds that one is an exception to the other, or that they contradict."""
    table = graph.edges
    kinds = [EDGE_KINDS.index("exception_to"), EDGE_KINDS.index("contradicts")]
    numbers = np.flatnonzero(np.isin(table.kind, kinds)).tolist()
    ends = ((int(table.source[number]), int(table.target[number])) for number in numbers)
    return frozenset(frozenset(map(graph.node_id, pair)) for pair in ends)


def contradiction_values(wanted: Expectation, ranking: Sequence[str], conflicts: frozenset[Pair]) -> Values:
    """A conflict is shown where both units are returned and the memory knows that they stand against each other.

    Recall is over the required pairs, precision over those that are shown; `contradiction_hit` is full recall.
    """
    required = {frozenset(pair) for pair in wanted.required_contradiction_pairs}
    if not required:
        return dict.fromkeys(("contradiction_hit", "contradiction_recall", "contradiction_precision"))
    returned = set(ranking)
    shown = {pair for pair in conflicts if pair <= returned}
    right = len(shown & required)
    return {
        "contradiction_hit": float(right == len(required)),
        "contradiction_recall": right / len(required),
        "contradiction_precision": right / len(shown) if shown else None,
    }


def lifecycle_value(wanted: Expectation, states: Mapping[str, Lifecycle]) -> Values:
    """`lifecycle_hit`: whether every named unit is in its state after the query and its confirmation."""
    required = wanted.required_lifecycle_states
    return {"lifecycle_hit": float(all(states[node] == state for node, state in required.items()))}
