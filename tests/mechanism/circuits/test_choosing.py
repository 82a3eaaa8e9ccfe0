from __future__ import annotations

import random
from collections import Counter

import pytest

from constraintsuite.mechanism.circuits.records import ChanceMatch
from constraintsuite.mechanism.circuits.runner import curve_sizes, random_circuits, random_parts
from constraintsuite.mechanism.sites import Site, parse_site

SITES = [Site(layer, "head", head) for layer in range(3) for head in range(6)] + [Site(n, "mlp") for n in range(3)]
CIRCUIT = frozenset(map(parse_site, ["L0.H1", "L0.H4", "L1.mlp", "L2.H0"]))


@pytest.mark.parametrize(("sites", "sizes"), [(2, [1]), (8, [1, 2, 3, 5]), (78, [1, 2, 3, 5, 8, 13, 21, 34, 55])])
def test_sizes_grow_and_stay_below_all(sites: int, sizes: list[int]) -> None:
    assert curve_sizes(sites) == sizes


def test_random_circuits_have_as_many_sites_of_each_layer() -> None:
    circuits, possible = random_circuits(CIRCUIT, SITES, "layer", 100, random.Random(0))
    assert possible == 21 * 7 * 7 - 1
    assert len(set(circuits)) == 100
    assert all(Counter(site.layer for site in circuit) == {0: 2, 1: 1, 2: 1} for circuit in circuits)
    assert CIRCUIT not in circuits


def test_random_circuits_have_as_many_sites_of_each_kind() -> None:
    circuits, possible = random_circuits(CIRCUIT, SITES, "kind", 100, random.Random(0))
    assert possible == 816 * 3 - 1
    assert all(Counter(site.kind for site in circuit) == {"head": 3, "mlp": 1} for circuit in circuits)


@pytest.mark.parametrize(("match", "others"), [("layer", 6), ("kind", 17)])
def test_where_there_are_few_all_of_them_are_taken(match: ChanceMatch, others: int) -> None:
    one = frozenset([parse_site("L1.H3")])
    circuits, possible = random_circuits(one, SITES, match, 100, random.Random(0))
    assert len(set(circuits) - {one}) == len(circuits) == possible == others


def test_chance_is_the_seed_s_alone() -> None:
    first, again = (random_circuits(CIRCUIT, SITES, "layer", 30, random.Random(4)) for _ in range(2))
    assert first == again


def test_parts_are_different_and_never_empty() -> None:
    circuit = sorted(SITES[:9])
    parts = random_parts(circuit, 50, random.Random(0))
    assert len(set(parts)) == 50
    assert all(part and part <= set(circuit) for part in parts)


def test_all_parts_of_a_small_circuit() -> None:
    parts = random_parts(SITES[:3], 50, random.Random(0))
    assert sorted(map(len, parts)) == [1, 1, 1, 2, 2, 2, 3]
