"""Shortcuts are right as often as wrong in every split of what is selected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from constraintsuite.core.records.examples import Split
from constraintsuite.suites.balancing import SMALL_PART, balance, lean_of, measure_leans
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.pairs.leans import BALANCED, Lean
from constraintsuite.suites.pairs.records import AcceptedPair, PairDraft
from suites.build_factory import make_draft, make_proposal

Leans = Mapping[PairDraft, Lean]
STATED = ("directed_by", "starring")


def lean(position: int = 0, length: int = 0) -> Lean:
    found = dict.fromkeys(BALANCED, 0) | {"position_of_y": position, "shorter": length}
    return tuple(found.values())


def singles(leans: Sequence[Lean], split: Split = "train", first: int = 0) -> dict[PairDraft, Lean]:
    """A draft for each lean; later ones cost more."""
    return {make_draft(first + n, split=split, cost=float(n)): one for n, one in enumerate(leans)}


def kept(leans: Leans) -> list[PairDraft]:
    found = balance([[draft] for draft in leans], leans, lambda unit: unit[0].cost, STATED, BALANCED)
    return [draft for unit in found.kept for draft in unit]


def test_the_most_expensive_of_the_side_that_wins_are_left_out() -> None:
    leans = singles([lean(1), lean(-1), lean(1), lean(1), lean(0)])
    found = balance([[draft] for draft in leans], leans, lambda unit: unit[0].cost, STATED, BALANCED)
    assert sorted(unit[0].cost for unit in found.kept) == [0.0, 1.0, 4.0]
    assert [(reason, unit[0].cost) for reason, unit in found.left_out] == [
        ("unbalanced_position", 3.0),
        ("unbalanced_position", 2.0),
    ]


def test_every_split_is_balanced_by_itself() -> None:
    leans = singles([lean(1), lean(1)]) | singles([lean(-1), lean(-1)], "test", first=10)
    assert kept(leans) == []


def of_relation(relation: str, one: Lean, count: int, first: int) -> dict[PairDraft, Lean]:
    return {make_draft(first + n, relation=relation): one for n in range(count)}


def test_a_relation_with_many_units_is_balanced_by_itself() -> None:
    many = of_relation("directed_by", lean(1), SMALL_PART, 0) | of_relation("starring", lean(-1), SMALL_PART, 100)
    assert kept(many) == []


def test_relations_with_few_units_are_balanced_together() -> None:
    few = of_relation("directed_by", lean(1), 3, 0) | of_relation("starring", lean(-1), 2, 100)
    assert Counter(draft.relation for draft in kept(few)) == {"directed_by": 2, "starring": 2}


def test_the_sides_of_a_question_are_balanced_each_by_itself() -> None:
    below, above = (replace(make_draft(n), side=side) for n, side in ((1, "below"), (2, "above")))
    assert kept({below: lean(1), above: lean(-1)}) == []


def test_a_unit_that_mends_two_surpluses_goes_first() -> None:
    leans = singles([lean(1, 1), lean(1, 0), lean(-1, 0), lean(0, 1), lean(0, -1)])
    assert sorted(draft.cost for draft in kept(leans)) == [1.0, 2.0, 3.0, 4.0]


def test_all_balanced_solvers_end_at_zero() -> None:
    leans = singles([lean(1, 1), lean(1, -1), lean(1, 1), lean(-1, 1), lean(-1, -1), lean(0, 1)])
    assert Counter(sum(leans[draft][place] for draft in kept(leans)) for place in range(len(BALANCED))) == {
        0: len(BALANCED)
    }


def test_near_balance_as_few_as_possible_are_left_out() -> None:
    leans = singles([lean(-1, 1), lean(-1, 0), lean(-1, -1), lean(1, 1), lean(0, -1)])
    assert sorted(draft.cost for draft in kept(leans)) == [1.0, 3.0, 4.0]  # one by one, nothing would be left


def test_length_and_cues_of_a_couple_cancel_out() -> None:
    near, far = "A campsite without showers.", "A large campsite on the hill with warm showers."
    one = make_draft(1, slice="explicit", couple="c", satisfying=near, violating=far)
    other = make_draft(2, slice="explicit", couple="c", satisfying=far, violating=near)
    proposals = {f"p{n}": replace(make_proposal("showers"), id=f"p{n}") for n in (1, 2)}
    cues = {"satisfying": ("without",), "violating": ()}
    exchanged = {"satisfying": (), "violating": ("without",)}
    constraint = proposals["p1"].constraint
    assert isinstance(constraint, Exclude)
    pairs = [
        AcceptedPair(one, replace(constraint, cues=cues)),
        AcceptedPair(other, replace(constraint, cues=exchanged)),
    ]
    leans = measure_leans(pairs, proposals, BALANCED)
    assert dict(zip(BALANCED, leans[one], strict=True)) == {
        "position_of_y": 1,
        "fewer_cues": -1,
        "fewer_negations": -1,
        "fewer_forms_of_y": 0,
        "shorter": 1,
    }
    assert set(lean_of([one, other], leans)) == {0}


def test_what_silence_decides_in_omission_is_not_balanced() -> None:
    draft = make_draft(1, slice="omission")
    proposal = replace(make_proposal("showers"), id="p1")
    leans = measure_leans([AcceptedPair(draft, proposal.constraint)], {"p1": proposal}, BALANCED)
    assert dict(zip(BALANCED, leans[draft], strict=True))["fewer_forms_of_y"] == 0
