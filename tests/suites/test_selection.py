"""Which of the good pairs make the suite."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from constraintsuite.core.records.examples import EXPLICIT, MINPAIRS, OMISSION
from constraintsuite.suites.pairs.leans import BALANCED
from constraintsuite.suites.pairs.records import PairDraft
from constraintsuite.suites.recipe import SizeSettings
from constraintsuite.suites.selection import select, slice_of
from suites.build_factory import make_draft

NEUTRAL = (0,) * len(BALANCED)


def selected(
    drafts: Sequence[PairDraft], sizes: SizeSettings, stated: str = ""
) -> tuple[list[PairDraft], list[tuple[str, PairDraft]]]:
    """What is selected where no shortcut decides anything; only the relations named by a letter in `stated` are capped."""
    return select(drafts, sizes, dict.fromkeys(drafts, NEUTRAL), set(stated), BALANCED)


def chosen(drafts: Sequence[PairDraft], sizes: SizeSettings) -> list[PairDraft]:
    return selected(drafts, sizes)[0]


def couples(count: int, *, slice: str, relations: Sequence[str], edit: str = "") -> list[PairDraft]:
    """`count` couples of each relation."""
    return [
        make_draft(2 * number + half, slice=slice, relation=relation, couple=f"{slice}-{relation}-{number}", edit=edit)
        for relation in relations
        for number in range(count)
        for half in (0, 1)
    ]


def many(relations: Sequence[str] = ("a", "b", "c", "d", "e", "f")) -> list[PairDraft]:
    """Far more of everything than is asked for."""
    parts = (
        couples(20, slice=name, relations=relations, edit="moved" if name == MINPAIRS else "")
        for name in (MINPAIRS, EXPLICIT, OMISSION)
    )
    return [draft for part in parts for draft in part]


def test_the_slices_have_their_shares() -> None:
    found = chosen(many(), SizeSettings(main=100, minpairs_share=0.2, explicit_share=0.3, omission_share=0.5))
    assert Counter(draft.slice for draft in found) == {"minpairs": 20, "explicit": 30, "omission": 50}


def test_silence_about_attributes_has_the_share_of_omission_too() -> None:
    drafts = [draft for name in ("omission", "open_omission") for draft in couples(30, slice=name, relations=["a"])]
    found = chosen(drafts, SizeSettings(main=40, minpairs_share=0, explicit_share=0.5, omission_share=0.5))
    assert Counter(draft.slice for draft in found) == {"omission": 20, "open_omission": 20}


def test_couples_are_whole() -> None:
    found = chosen(many(), SizeSettings(main=51))
    assert set(Counter(draft.couple for draft in found).values()) == {2}


def test_all_that_was_given_is_chosen_or_surplus() -> None:
    drafts = many()
    found, surplus = selected(drafts, SizeSettings(main=100), "abcdef")
    assert sorted(map(repr, [*found, *(draft for _, draft in surplus)])) == sorted(map(repr, drafts))
    assert {reason for reason, _ in surplus} <= {"surplus", "relation_cap"}


def test_relations_take_turns() -> None:
    found = chosen(many(), SizeSettings(main=60, minpairs_share=0, explicit_share=0, omission_share=1))
    assert set(Counter(draft.relation for draft in found).values()) == {10}


ONLY_OMISSION = SizeSettings(main=200, omission_share=1, explicit_share=0, minpairs_share=0, max_relation_share=0.2)


def test_no_relation_has_more_than_its_share() -> None:
    drafts = couples(50, slice="omission", relations=["a"])
    drafts += couples(3, slice="omission", relations=list("bcdefghijk"))
    found, surplus = selected(drafts, ONLY_OMISSION, "abcdefghijk")
    assert Counter(draft.relation for draft in found)["a"] == 0.2 * 200
    assert Counter((reason, draft.relation) for reason, draft in surplus) == {("relation_cap", "a"): 60}


def test_attributes_and_slots_are_not_capped() -> None:
    drafts = couples(50, slice="omission", relations=["slot"])
    drafts += couples(3, slice="omission", relations=list("bcdefghijk"))
    found, surplus = selected(drafts, ONLY_OMISSION, "bcdefghijk")
    assert (len(found), surplus) == (160, [])


def test_with_few_relations_the_cap_grows_to_what_is_possible() -> None:
    found, _ = selected(couples(100, slice="omission", relations=["a"]), ONLY_OMISSION, "a")
    assert len(found) == 200


def test_splits_are_selected_in_proportion() -> None:
    drafts = [make_draft(n, split="train", cost=0.0) for n in range(60)]
    drafts += [make_draft(100 + n, split="test", cost=1.0) for n in range(20)]
    found = chosen(drafts, ONLY_OMISSION.model_copy(update={"main": 40}))
    assert Counter(draft.split for draft in found) == {"train": 30, "test": 10}


def test_the_best_matched_are_chosen() -> None:
    drafts = [make_draft(number, cost=number / 10) for number in range(10)]
    found = chosen(drafts, SizeSettings(main=3, omission_share=1, explicit_share=0, minpairs_share=0))
    assert {draft.cost for draft in found} == {0.0, 0.1, 0.2}


def test_natural_text_goes_before_edited_text() -> None:
    drafts = couples(5, slice="explicit", relations=["a"], edit="insert")
    drafts += [make_draft(100 + i, slice="explicit", relation="a", cost=3.0) for i in range(6)]
    found = chosen(drafts, SizeSettings(main=8, explicit_share=1, omission_share=0, minpairs_share=0))
    assert Counter(draft.is_edited for draft in found) == {False: 6, True: 2}


def test_the_choice_does_not_depend_on_the_order_of_the_couples() -> None:
    drafts = many()
    halves = [drafts[i : i + 2] for i in range(0, len(drafts), 2)]
    random.Random(3).shuffle(halves)
    shuffled = [draft for couple in halves for draft in couple]
    sizes = SizeSettings(main=60)
    assert chosen(shuffled, sizes) == chosen(drafts, sizes)


@pytest.mark.parametrize(
    ("slices", "expected"),
    [
        (("explicit", "omission"), "explicit"),
        (("omission", "omission"), "omission"),
    ],
)
def test_a_couple_with_one_explicit_half_counts_as_explicit(slices: tuple[str, ...], expected: str) -> None:
    assert slice_of([make_draft(i, slice=name) for i, name in enumerate(slices)]) == expected
