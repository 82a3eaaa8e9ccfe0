"""A path is the computation that was done: on graphs of any shape."""

from __future__ import annotations

import tracemalloc
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings

from constraintsuite.memory.graph import EDGE_KINDS, MemoryGraph
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.results import PathStep, SearchAnswer, SearchPath
from memory.modes.lease import is_plain, lease, memories, queries
from memory.tiny_parts import part

MODES = ["structure_only,hops=3", "weighted_graph_static", "activation_spreading_static", "ppr", "ppr,entities=0.2"]


def edge_walked(graph: MemoryGraph, before: PathStep, step: PathStep) -> int:
    """The number of the edge that a step names."""
    assert step.via is not None
    ends = [graph.number(before.node), graph.number(step.node)]
    source, target = reversed(ends) if step.backwards else ends
    table = graph.edges
    found = (table.source == source) & (table.target == target) & (table.kind == EDGE_KINDS.index(step.via))
    assert found.sum() == 1, f"no edge {before} -> {step}"
    return int(np.flatnonzero(found)[0])


def edges_walked(graph: MemoryGraph, path: SearchPath) -> list[int]:
    return [edge_walked(graph, a, b) for a, b in zip(path.steps, path.steps[1:], strict=False)]


@pytest.mark.parametrize("name", MODES)
@settings(max_examples=50)
@given(memory=memories(), query=queries)
def test_every_step_is_an_edge_in_that_direction_and_no_node_comes_twice(name: str, memory: Memory, query: str) -> None:
    found = load_mode(name, memory).search(query, 5)
    ranked = {each.unit for each in found.ranking}
    for path in found.paths:
        edges_walked(memory.graph, path)
        nodes = [step.node for step in path.steps]
        assert len(set(nodes)) == len(nodes)
        assert nodes[-1] in ranked
    assert [path.score for path in found.paths] == sorted((path.score for path in found.paths), reverse=True)


@pytest.mark.parametrize("name", MODES)
@settings(max_examples=50)
@given(memory=memories(), query=queries)
def test_without_backwards_only_the_edges_own_directions_are_walked(name: str, memory: Memory, query: str) -> None:
    found = load_mode(f"{name},backwards=no", memory).search(query, 5)
    for path in found.paths:
        edges_walked(memory.graph, path)
        assert not any(step.backwards for step in path.steps)


@pytest.mark.parametrize("name", MODES)
@settings(max_examples=50)
@given(memory=memories(), query=queries)
def test_the_trace_has_every_step_of_every_path_and_more_is_never_passed_than_was_held(
    name: str, memory: Memory, query: str
) -> None:
    found = load_mode(name, memory).search(query, 5)
    told = {(each.source, each.node, each.edge, each.hop): each for each in found.trace}
    for path in found.paths:
        for hop, (before, step) in enumerate(zip(path.steps, path.steps[1:], strict=False), 1):
            entry = told[before.node, step.node, step.via, hop]
            assert 0 < step.score <= entry.passed * (1 + 1e-9)
            assert before.score <= entry.incoming * (1 + 1e-9)
            assert entry.passed < entry.incoming
    assert all(each.passed == each.incoming for each in found.trace if each.seed)


@pytest.mark.parametrize("name", MODES)
@settings(max_examples=50)
@given(memory=memories(), query=queries)
def test_removing_a_traced_edge_changes_the_result(name: str, memory: Memory, query: str) -> None:
    found = load_mode(name, memory).search(query, 7)
    for edge in {edge for path in found.paths for edge in edges_walked(memory.graph, path)}:
        assert load_mode(name, memory.without([edge])).search(query, 7) != found


@settings(max_examples=50)
@given(memory=memories().filter(lambda memory: is_plain(memory.graph)), query=queries)
def test_where_nothing_stands_in_for_it_a_traced_edge_shows_in_the_scores(memory: Memory, query: str) -> None:
    """Of PageRank this can be proved; a sum over few hops can come out the same by chance."""
    found = load_mode("ppr,entities=0.2", memory).search(query, 7)
    for edge in {edge for path in found.paths for edge in edges_walked(memory.graph, path)}:
        assert largest_change(found, load_mode("ppr,entities=0.2", memory.without([edge])).search(query, 7)) > 1e-9


def largest_change(one: SearchAnswer, other: SearchAnswer) -> float:
    before, after = ({each.unit: each.score for each in found.ranking} for found in (one, other))
    return max((abs(before.get(unit, 0.0) - after.get(unit, 0.0)) for unit in before | after), default=-inf)


def test_the_path_to_a_rule_goes_over_the_edge_of_its_exception() -> None:
    found = load_mode("ppr", Memory.of([lease()])).search("a boiler that the tenant has altered", 2)
    assert [each.unit for each in found.ranking] == ["lease:2", "lease:1"]
    assert [(step.node, step.via, step.backwards) for step in found.paths[0].steps] == [
        ("lease:2", None, False),
        ("lease:1", "exception_to", False),
    ]


def test_many_seeds_do_not_cost_a_place_for_every_node() -> None:
    """A page that names a thousand entities is searched in the room of what is reached, not of seeds times nodes."""
    count = 2_000
    units = [f"thing{n}" for n in range(count)]
    memory = Memory.of([part("d", units, mentions=[(n, f"name{n}") for n in range(1, count + 1)])])
    query = " ".join(f"name{n}" for n in range(1, 1_001))
    mode = load_mode("ppr", memory)
    mode.search("thing1", 5)  # what is kept between searches
    tracemalloc.start()
    found = mode.search(query, 5)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(each.seed for each in found.trace) == 1_000
    assert most < 8_000_000  # one byte for each seed and node would be 4 million, a number for each 32


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("activation_spreading_static,threshold=0.9", "below_threshold"),
        ("activation_spreading_static,hops=1", "max_hops"),
        ("activation_spreading_static,kinds=part_of", "disallowed_edge_type"),
        ("weighted_graph_static,hops=1", "max_hops"),
        ("weighted_graph_static,beam=1", "budget"),
    ],
)
def test_the_trace_says_why_nothing_went_on(name: str, reason: str) -> None:
    found = load_mode(name, Memory.of([lease()])).search("boiler altered rent", 5)
    assert reason in {each.stopped for each in found.trace}
