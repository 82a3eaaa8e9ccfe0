from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
import pytest

from constraintsuite.mechanism.circuits.quality import (
    CircuitEvaluator,
    area_under,
    compare_controls,
    draw_curve,
    judge_chance,
    judge_completeness,
    judge_members,
    make_evaluator,
)
from constraintsuite.mechanism.circuits.runner import Circuit, CircuitMargins, CircuitRunner
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.mechanism.sites import Site
from mechanism.planted import planted_contrasts

SITES = tuple(Site(layer, "head", head) for layer in range(2) for head in range(3))
A, B, C, D, E, F = SITES


@dataclass(frozen=True)
class Asked:
    """As much of a contrast in tokens as judging looks at."""

    contrast: MarkedContrast


@dataclass(frozen=True)
class Adding:
    """A model that can be reckoned by hand: the margin is what the kept sites add, and A and B add 4 more together."""

    weights: dict[Site, float]
    sites: tuple[Site, ...] = SITES
    together: float = 0.0
    full: Circuit = field(default=frozenset(SITES))

    def run(self, circuits: Sequence[Circuit], contrasts: Sequence[TokenContrast]) -> CircuitMargins:
        margins = self.margins(circuits, contrasts)
        return CircuitMargins(margins, margins / 10)

    def margins(self, circuits: Sequence[Circuit], contrasts: Sequence[TokenContrast]) -> FloatArray:
        sizes = np.array([1.0 + i % 3 for i in range(len(contrasts))])  # contrasts differ, shares do not
        kept = [sum(self.weights[s] for s in c) + self.together * ({A, B} <= c) for c in circuits]
        margins: FloatArray = np.array(kept)[:, None] * sizes - 1.0
        return margins


def jury_of(runner: Adding, contrasts: Sequence[MarkedContrast] | None = None) -> CircuitEvaluator:
    asked = [Asked(one) for one in contrasts or planted_contrasts(12)]
    return make_evaluator(cast(CircuitRunner, runner), cast(list[TokenContrast], asked), seed=0)


PLAIN = Adding(dict(zip(SITES, [6.0, 3.0, 1.0, 0.0, 0.0, 0.0], strict=True)))


def test_faithfulness_grows_with_what_the_members_add() -> None:
    evaluator = jury_of(PLAIN)
    curve = draw_curve(SITES, [1, 2, 3, 5], evaluator, evaluator, chance=0)
    assert [point.check.value for point in curve] == pytest.approx([0.6, 0.9, 1.0, 1.0])
    assert curve[0].chance is None
    # Asides are a tenth of margins, whose full mean is 10 x 2 - 1 and whose first is 6 x 2 - 1.
    assert curve[0].aside.value == pytest.approx(-0.8)


def test_the_area_is_that_of_trapezoids() -> None:
    # Over shares 0, 1/6, 2/6, 3/6 and 1 the heights are 0, .6, .9, 1 and 1.
    expected = (0.3 + 0.75 + 0.95) / 6 + 0.5
    assert area_under(SITES, [1, 2, 3], jury_of(PLAIN)).value == pytest.approx(expected)


def test_members_by_what_is_lost_without_them() -> None:
    found = judge_members([A, C, D], jury_of(PLAIN))
    assert [member.drop.value for member in found] == pytest.approx([0.6, 0.1, 0.0])
    assert [member.needed for member in found] == [True, True, False]


def test_a_circuit_with_all_that_matters_is_complete() -> None:
    evaluator = jury_of(PLAIN)
    found = judge_completeness([A, B, C], evaluator, evaluator, 50)
    assert found.random.value == pytest.approx(0)
    assert found.greedy.value == pytest.approx(0)
    assert [removal.how for removal in found.removals] == ["random"] * 7 + ["greedy"] * 3


def test_a_circuit_that_lacks_a_member_is_not_complete() -> None:
    # A and B are worth 4 more together: of 6 + 3 + 1 + 4 = 14, only the 1 of C is missing, whatever is taken away.
    evaluator = jury_of(replace(PLAIN, together=4.0))
    found = judge_completeness([A, B], evaluator, evaluator, 50)
    gaps = {removal.sites: removal.difference.value for removal in found.removals}
    assert gaps == {names: pytest.approx(-1 / 14) for names in [(str(A),), (str(B),), (str(A), str(B))]}
    assert found.random.value == pytest.approx(1 / 14)
    assert found.worst_random == pytest.approx(1 / 14)


def test_greedy_takes_what_makes_the_largest_gap() -> None:
    # {A, C} lacks B. Without C it has 6 and the model 13; without A, 1 and 4; without both, 0 and 3.
    evaluator = jury_of(replace(PLAIN, together=4.0))
    found = judge_completeness([A, C], evaluator, evaluator, 50)
    greedy = [removal for removal in found.removals if removal.how == "greedy"]
    assert [removal.sites for removal in greedy] == [(str(A), str(C)), (str(C),)]
    assert [removal.difference.value for removal in greedy] == pytest.approx([-3 / 14, -7 / 14])
    assert found.greedy.value == pytest.approx(7 / 14)
    assert found.random.value == pytest.approx((3 + 7 + 3) / 3 / 14)


def test_chance_counts_those_at_least_as_faithful() -> None:
    layer, kind = judge_chance(frozenset([B]), jury_of(PLAIN), 100)
    assert (layer.match, layer.circuits, layer.possible) == ("layer", 2, 2)
    assert layer.below == pytest.approx(0.5)  # A is better, C is worse
    assert layer.p == pytest.approx(2 / 3)
    assert kind.circuits == 5
    assert [kind.below, kind.p] == pytest.approx([0.8, 2 / 6])


def test_a_model_that_does_nothing_has_no_figures() -> None:
    evaluator = jury_of(Adding(dict.fromkeys(SITES, 0.0)))
    assert draw_curve(SITES, [1], evaluator, evaluator, chance=2)[0].check.value is None
    assert [(one.below, one.p) for one in judge_chance(frozenset([A]), evaluator, 5)] == [(None, None)] * 2
    assert judge_completeness([A], evaluator, evaluator, 5).worst_random is None


def test_controls_stand_beside_what_is_studied() -> None:
    main = jury_of(PLAIN)
    idioms = [replace(one, id=f"{one.id}/idiom", control="idiom") for one in planted_contrasts(12)[:6]]
    control = jury_of(Adding(dict(zip(SITES, [-1.0, 0.0, 0.0, 5.0, 0.0, 0.0], strict=True))), idioms)
    studied, idiom = compare_controls(frozenset([A]), main, {"idiom": control})
    assert (studied.control, idiom.control) == ("", "idiom")
    assert [studied.carried.value, studied.total.value] == pytest.approx([12, 20])
    assert idiom.carried.value == pytest.approx(-2)
    assert idiom.size.value == pytest.approx(2)
    assert idiom.total.value == pytest.approx(8)
    assert idiom.difference.value == pytest.approx(10)
    assert idiom.paired_clusters == idiom.clusters
    assert idiom.difference.low is not None
    assert idiom.difference.low > 0
