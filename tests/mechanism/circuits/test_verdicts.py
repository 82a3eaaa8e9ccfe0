from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from constraintsuite.core.records.scores import Interval
from constraintsuite.mechanism.circuits.records import (
    ChanceCircuits,
    CircuitSettings,
    CurvePoint,
    RandomModels,
    RankedSite,
)
from constraintsuite.mechanism.circuits.search import choose_point, give_verdict

SURE = Interval(2.0, 1.5, 2.5, 30)


def member(p: float = 0.001, p_check: float = 0.001) -> RankedSite:
    return RankedSite("L1.H2", SURE, 5.0, p, SURE, 5.0, p_check)


def random(possible: int, p: float | None) -> ChanceCircuits:
    return ChanceCircuits("kind", min(possible, 100), possible, 1.0, p, None)


def untrained(p: float) -> RandomModels:
    return RandomModels(20, 12, "exact", 4.0, 4.0, p, p, (), ())


class Grounds(NamedTuple):
    behaviour: bool
    total: Interval
    reached: bool
    members: Sequence[RankedSite]
    chance: Sequence[ChanceCircuits]
    untrained: RandomModels | None


GOOD = Grounds(True, SURE, True, [member()], [random(5_000, 0.01)], untrained(1 / 21))


def test_a_circuit_is_found_where_all_holds() -> None:
    said = give_verdict(*GOOD)
    assert (said.found, said.chance, said.random_models) == (True, True, True)
    assert give_verdict(*GOOD._replace(untrained=None)).found


@pytest.mark.parametrize(
    ("changed", "name", "says"),
    [
        ({"behaviour": False}, "behaviour", False),
        ({"total": Interval(-2.0, -2.5, -1.5, 30)}, "total", False),  # a share of it would be a ratio of two negatives
        ({"total": Interval(2.0, -0.1, 4.1, 30)}, "total", False),
        ({"total": Interval(2.0, None, None, 30)}, "total", False),
        ({"reached": False}, "reached", False),
        ({"members": [member(p_check=0.2)]}, "sites", False),
        ({"chance": [random(5_000, 6 / 101)]}, "chance", False),  # though 95 of 100 are less faithful
        ({"chance": [random(5_000, 0.01), random(23, 2 / 24)]}, "chance", False),
        ({"chance": [random(5_000, None)]}, "chance", False),
        ({"chance": [random(19, 1 / 20), random(4, 1 / 5)]}, "chance", None),
        ({"untrained": untrained(2 / 21)}, "random_models", False),
    ],
)
def test_no_circuit_is_found_where_one_thing_fails(changed: dict[str, Any], name: str, says: bool | None) -> None:
    said = give_verdict(*GOOD._replace(**changed))
    assert (said.found, getattr(said, name)) == (False, says)


def test_kinds_with_few_other_circuits_do_not_count() -> None:
    assert give_verdict(*GOOD._replace(chance=[random(4, 1 / 5), random(23, 1 / 24)])).found


@pytest.mark.parametrize(
    ("heights", "size", "reached"),
    [
        ([0.2, 0.9, 1.0], 2, True),
        ([0.2, 0.5, 0.5], 2, False),  # of equal ones the smaller
        ([-0.5, None, -0.7], 1, False),  # what is undefined is not better than what is bad
    ],
)
def test_the_smallest_that_reaches_the_threshold_or_else_the_best(
    heights: list[float | None], size: int, reached: bool
) -> None:
    curve = [CurvePoint(n, Interval(value, None, None, 9), SURE, None, SURE) for n, value in enumerate(heights, 1)]
    point, found = choose_point(curve, CircuitSettings())
    assert (point.size, found) == (size, reached)
