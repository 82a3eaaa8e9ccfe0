"""structure_only and weighted_graph against all simple paths, enumerated."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings

from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.records import EdgeKind, MemoryDocument, Unit
from memory.modes.lease import lease, lease_memory, memories, queries
from memory.modes.test_diffusion import loop_neighbours
from memory.tiny_parts import part


def best_support(memory: Memory, seeds: dict[str, float], hops: int, weighted: bool) -> dict[str, float]:
    """Of every node the most that any simple path from another seed brings."""
    neighbours = loop_neighbours(memory)

    def walks(node: str, held: float, seen: tuple[str, ...]) -> Iterator[tuple[str, float]]:
        for other, strength in neighbours[node] if len(seen) <= hops else []:
            if other not in seen:
                let = 0.75 * (min(1.0, strength) if weighted else 1.0) / (1 + math.log(len(neighbours[node])))
                yield other, held * let
                yield from walks(other, held * let, (*seen, other))

    best: dict[str, float] = {}
    for seed, held in seeds.items():
        for node, value in walks(seed, held, (seed,)):
            best[node] = max(best.get(node, 0.0), value)
    return best


@pytest.mark.parametrize(("name", "weighted"), [("structure_only", False), ("weighted_graph_static", True)])
@settings(max_examples=50)
@given(memory=memories(), query=queries)
def test_support_is_the_best_of_all_simple_paths(name: str, weighted: bool, memory: Memory, query: str) -> None:
    found = load_mode(f"{name},hops=3,beam=9999", memory).search(query, 99)
    seeds = {each.node: each.passed for each in found.trace if each.seed}
    best = best_support(memory, seeds, 3, weighted)
    assert found.parts is not None or not found.ranking
    for unit, parts in (found.parts or {}).items():
        assert parts["reach"] == pytest.approx(0.25 * best.get(unit, 0.0), rel=1e-9)


@pytest.mark.parametrize("name", ["structure_only", "weighted_graph", "weighted_graph_static"])
def test_a_score_is_the_sum_of_its_parts(name: str) -> None:
    found = load_mode(name, lease_memory()).search("boiler altered by Acme Ltd", 5)
    assert found.parts is not None
    for each in found.ranking:
        parts = dict(found.parts[each.unit])
        assert parts.pop("factor", 1.0) == 1.0
        assert each.score == pytest.approx(sum(parts.values()))


def test_weights_of_edges_count_in_the_weighted_graph_alone() -> None:
    linked = part("d", ["roof", "weak", "strong"], [("d:1", "d:2", "refers_to"), ("d:1", "d:3", "refers_to")])
    edges = (replace(linked.edges[0], weight=0.2), replace(linked.edges[1], weight=0.9))
    memory = Memory.of([replace(linked, edges=edges)])
    flat = [each.unit for each in load_mode("structure_only", memory).search("roof", 3).ranking]
    weighted = [each.unit for each in load_mode("weighted_graph", memory).search("roof", 3).ranking]
    assert flat == ["d:1", "d:2", "d:3"]  # a tie, in the order of the units
    assert weighted == ["d:1", "d:3", "d:2"]


@pytest.mark.parametrize("name", ["structure_only", "weighted_graph_static", "activation_spreading_static", "ppr"])
@pytest.mark.parametrize("query", ["roof", "storm"])
def test_a_path_names_the_most_telling_of_the_edges_between_two_units(name: str, query: str) -> None:
    both: list[tuple[str, str, EdgeKind]] = [("d:1", "d:2", "next"), ("d:2", "d:1", "exception_to")]
    memory = Memory.of([part("d", ["roof", "storm"], both)])
    (path,) = (path for path in load_mode(name, memory).search(query, 2).paths if len(path.steps) > 1)
    assert path.steps[1].via == "exception_to"


def test_an_exception_that_a_walk_brought_to_its_rule_counts_more_in_the_weighted_graph() -> None:
    memory = Memory.of([lease()])
    found = load_mode("weighted_graph_static", memory).search("boiler altered", 2)
    assert found.parts is not None
    assert found.parts["lease:2"]["exception"] > 0
    assert found.parts["lease:1"]["contradiction"] > 0
    assert "exception" not in (load_mode("structure_only", memory).search("boiler", 2).parts or {})["lease:1"]


def test_a_narrow_beam_reaches_less() -> None:
    memory = Memory.of([lease()])
    wide, narrow = (load_mode(f"structure_only,hops=4,beam={n}", memory).search("boiler rent", 5) for n in (256, 1))
    assert sum(each.score for each in narrow.ranking) < sum(each.score for each in wide.ranking)


def test_roles_are_read_from_the_unit_not_from_its_words() -> None:
    unit = Unit("d:1", "d", "Unless something, except something, terminate.")
    memory = Memory.of([MemoryDocument("d", "D", "0", (unit,))])
    found = load_mode("weighted_graph", memory).search("terminate", 1)
    assert found.parts is not None
    assert found.parts["d:1"]["exception"] == 0
