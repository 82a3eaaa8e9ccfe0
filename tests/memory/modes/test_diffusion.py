"""Spreading and PageRank against the same sums written as plain loops, and against the linear system they solve."""

from __future__ import annotations

import sys
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings

from constraintsuite.core.errors import MissingExtraError
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.results import SearchAnswer
from memory.modes.lease import lease, memories, queries
from memory.tiny_parts import part


def scores(found: SearchAnswer) -> dict[str, float]:
    return {each.unit: each.score for each in found.ranking}


def started(found: SearchAnswer) -> dict[str, float]:
    """What each node began with, as the trace and the parts say."""
    assert found.parts is not None
    own = {unit: parts["start"] for unit, parts in found.parts.items()}
    return own | {each.node: each.passed for each in found.trace if each.seed}


@settings(max_examples=50)
@given(memory=memories(), query=queries)
def test_spreading_is_what_a_loop_over_nodes_gives(memory: Memory, query: str) -> None:
    found = load_mode("activation_spreading_static,decay=0.6,threshold=0.02,hops=4", memory).search(query, 99)
    neighbours = loop_neighbours(memory)
    held: dict[str, float] = defaultdict(float, started(found))
    total = defaultdict(float, held)
    for _ in range(4):
        arriving: dict[str, float] = defaultdict(float)
        for node, activation in held.items():
            leaving = sum(weight for _, weight in neighbours[node])
            for other, weight in neighbours[node] if activation >= 0.02 else []:
                arriving[other] += 0.6 * activation * weight / leaving
        held = arriving
        for node, activation in arriving.items():
            total[node] += activation
    for unit, score in scores(found).items():
        assert score == pytest.approx(total[unit], rel=1e-9)


def loop_neighbours(memory: Memory) -> dict[str, list[tuple[str, float]]]:
    neighbours: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for number in range(len(memory.graph.edges.source)):
        edge = memory.graph.edge(number)
        neighbours[edge.source].append((edge.target, edge.weight * edge.confidence))
        if edge.source != edge.target:
            neighbours[edge.target].append((edge.source, edge.weight * edge.confidence))
    return neighbours


@pytest.mark.parametrize("damping", [0.0, 0.5, 0.85])
@settings(max_examples=50)
@given(memory=memories(), query=queries)
def test_ppr_solves_its_linear_system(damping: float, memory: Memory, query: str) -> None:
    found = load_mode(f"ppr,damping={damping},entities=0.2", memory).search(query, 99)
    graph = memory.graph
    matrix = np.zeros((graph.size, graph.size))
    for node, others in loop_neighbours(memory).items():
        for other, weight in others:
            matrix[graph.number(node), graph.number(other)] += weight
    leaving = matrix.sum(axis=1, keepdims=True)
    shares = np.divide(matrix, leaving, out=np.zeros_like(matrix), where=leaving > 0)
    start = np.zeros(graph.size)
    for node, held in started(found).items():
        start[graph.number(node)] = held
    solved = np.linalg.solve(np.eye(graph.size) - damping * shares.T, start)
    for unit, score in scores(found).items():
        assert score == pytest.approx(solved[graph.number(unit)], abs=1e-5)


@settings(max_examples=50)
@given(memory=memories(), query=queries)
def test_walks_begin_at_a_distribution(memory: Memory, query: str) -> None:
    found = load_mode("ppr,damping=0.5,starts=99,entities=0.2", memory).search(query, 99)
    assert not found.ranking or sum(started(found).values()) == pytest.approx(0.5)


def test_an_entity_of_the_query_counts_the_less_the_more_units_name_it() -> None:
    rare = part("a", ["x"], mentions=[(1, "bolt")])
    common = part("b", ["x", "y", "z"], mentions=[(1, "acme"), (2, "acme"), (3, "acme")])
    found = load_mode("ppr", Memory.of([rare, common])).search("Acme or Bolt", 4)
    begun = {each.node: each.passed for each in found.trace if each.seed}
    assert begun["entity:bolt"] == pytest.approx(3 * begun["entity:acme"])
    assert found.ranking[0].unit == "a:1"


@pytest.mark.parametrize(("name", "begins"), [("ppr", 0.0), ("ppr,entities=0.2", 0.2)])
def test_where_units_match_names_of_the_query_begin_with_the_part_that_was_asked_for(name: str, begins: float) -> None:
    memory = Memory.of([part("a", ["The roof leaks."]), part("b", ["It rained."], mentions=[(1, "bolt")])])
    found = load_mode(f"{name},damping=0.5", memory).search("Did Bolt mend the roof?", 2)
    begun = {each.node: each.passed for each in found.trace if each.seed}
    assert begun.get("entity:bolt", 0.0) == pytest.approx(0.5 * begins)
    assert begun["a:1"] == pytest.approx(0.5 * (1 - begins))


def test_two_units_are_joined_by_what_both_name() -> None:
    one = part("a", ["The author of the play was Bolt.", "It rained."], mentions=[(1, "bolt")])
    two = part("b", ["Bolt was born in Sale.", "Sale is a town."], mentions=[(1, "bolt")])
    found = load_mode("ppr", Memory.of([one, two])).search("author of the play", 2)
    assert [each.unit for each in found.ranking] == ["a:1", "b:1"]
    assert [step.node for step in found.paths[0].steps] == ["a:1", "entity:bolt", "b:1"]


@pytest.mark.parametrize("name", ["ppr", "activation_spreading_static"])
def test_activation_of_all_seeds_is_summed(name: str) -> None:
    joined = part(
        "d",
        ["roof", "rent", "middle", "edge"],
        [("d:1", "d:3", "next"), ("d:2", "d:3", "next"), ("d:1", "d:4", "next")],
    )
    found = scores(load_mode(name, Memory.of([joined])).search("roof rent", 4))
    assert found["d:3"] > 2 * found["d:4"]


def test_a_hub_passes_less_to_each_than_a_node_with_one_way() -> None:
    hub = part("h", ["roof", *["x"] * 9], [("h:1", f"h:{n}", "refers_to") for n in range(2, 11)])
    lane = part("l", ["roof", "x"], [("l:1", "l:2", "refers_to")])
    found = scores(load_mode("ppr", Memory.of([hub, lane])).search("roof", 20))
    assert found["l:2"] == pytest.approx(9 * found["h:2"], rel=0.2)


def test_kinds_that_are_not_asked_for_are_not_walked() -> None:
    memory = Memory.of([lease()])
    found = load_mode("ppr,kinds=exception_to", memory).search("rent monthly", 5)
    assert [each.unit for each in found.ranking] == ["lease:3"]


@settings(max_examples=30)
@given(memory=memories(), query=queries)
def test_rows_of_few_nodes_and_the_whole_matrix_give_the_same_digits(memory: Memory, query: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        found = []
        for few in (0, 10**9):  # always by rows; always the whole matrix
            patch.setattr("constraintsuite.memory.modes.spread._FEW", few)
            found.append(load_mode("ppr", memory).search(query, 9))
    assert found[0] == found[1]


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(MissingExtraError, match=r"needs the extra \[memory\]"):
        load_mode("ppr", Memory.of([lease()])).search("boiler", 3)
