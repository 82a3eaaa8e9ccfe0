"""Circuits that chance makes, and which sizes are looked at."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from math import comb, prod
from typing import NamedTuple

from constraintsuite.errors import UserError
from constraintsuite.mechanism.circuits.records import ChanceMatch
from constraintsuite.mechanism.circuits.running import Circuit
from constraintsuite.mechanism.sites import Site

_GROUPS: dict[ChanceMatch, Callable[[Site], str]] = {
    "layer": lambda site: str(site.layer),
    "kind": lambda site: site.kind,
}


class Drawn(NamedTuple):
    """Random circuits, all different, and how many there are besides the one they are like."""

    circuits: tuple[Circuit, ...]
    possible: int


def curve_sizes(sites: int) -> list[int]:
    """1, 2, 3, 5, 8, 13, … and all but none: sizes in steps that grow with what is there already."""
    sizes = [1, 2]
    while sizes[-1] < sites:
        sizes.append(sizes[-1] + sizes[-2])
    return [size for size in sizes if size < sites]


def asked_sizes(sites: int, size: int | None) -> list[int]:
    """Those of the curve, and the one that a user asks for."""
    if size is not None and size >= sites:
        raise UserError(f"--size {size}: a circuit has fewer sites than the model, which has {sites}.")
    return sorted({*curve_sizes(sites), *([size] if size else [])})


def random_circuits(
    circuit: Circuit, sites: Sequence[Site], match: ChanceMatch, count: int, chance: random.Random
) -> Drawn:
    """At most `count` other circuits with as many sites of each layer or of each kind; where there are fewer, all of them."""
    group = _GROUPS[match]
    wanted = Counter(group(site) for site in circuit)
    pools = [[site for site in sites if group(site) == name] for name in sorted(wanted)]
    counts = [wanted[name] for name in sorted(wanted)]
    possible = prod(comb(len(pool), count_) for pool, count_ in zip(pools, counts, strict=True)) - 1
    if possible <= count:
        every = (frozenset(some) for some in _every(pools, counts))
        return Drawn(tuple(one for one in every if one != circuit), possible)
    found: dict[Circuit, None] = {}
    while len(found) < count:
        drawn = frozenset(site for pool, n in zip(pools, counts, strict=True) for site in chance.sample(pool, n))
        if drawn != circuit:
            found[drawn] = None
    return Drawn(tuple(found), possible)


def random_parts(circuit: Sequence[Site], count: int, chance: random.Random) -> list[Circuit]:
    """At most `count` different parts of a circuit, of any size from 1 up; where there are fewer, all of them."""
    if 2 ** len(circuit) - 1 <= count:
        return [frozenset(some) for n in range(1, len(circuit) + 1) for some in combinations(circuit, n)]
    found: dict[Circuit, None] = {}
    while len(found) < count:
        found[frozenset(chance.sample(circuit, chance.randint(1, len(circuit))))] = None
    return list(found)


def _every(pools: Sequence[Sequence[Site]], counts: Sequence[int]) -> Iterator[list[Site]]:
    for parts in product(*(combinations(pool, n) for pool, n in zip(pools, counts, strict=True))):
        yield [site for part in parts for site in part]
