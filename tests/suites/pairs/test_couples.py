"""Couples: two documents and two Y, each document right once and wrong once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from constraintsuite.core.records.examples import Split
from constraintsuite.suites.pairs.couples import Couple, find_couples, natural_drafts
from constraintsuite.suites.pairs.matching import Matching, length_ratio
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import PairSettings
from suites.build_factory import make_matching, make_proposal

SILENT = {
    "oak": "Quiet Oak is a campsite by the river with showers for the guests.",
    "barn": "Red Barn is a campsite on the hill with dogs at the gate.",
}
DENYING = {
    "oak": "Quiet Oak is a campsite with showers but no dogs at all.",
    "barn": "Red Barn is a campsite with no showers but dogs at the gate.",
}
SHOWERS = make_proposal("showers", satisfying=["barn"], violating=["oak"])
DOGS = make_proposal("dogs", satisfying=["oak"], violating=["barn"])


def couples(
    matching: Matching,
    *proposals: Proposal,
    explicit: bool = False,
    settings: PairSettings | None = None,
    rejects: Counter[str] | None = None,
) -> list[Couple]:
    given = proposals or (SHOWERS, DOGS)
    counted = Counter[str]() if rejects is None else rejects
    return list(find_couples(given, matching, settings or PairSettings(), counted, explicit=explicit))


def rejected(matching: Matching) -> dict[str, int]:
    rejects: Counter[str] = Counter()
    assert couples(matching, rejects=rejects) == []
    return dict(rejects)


def test_two_documents_that_each_affirm_one_y_and_are_silent_on_the_other_are_a_couple() -> None:
    (couple,) = couples(make_matching(SILENT, [SHOWERS, DOGS]))
    assert {(couple.p.constraint.value, couple.a), (couple.q.constraint.value, couple.b)} == {
        ("showers", "oak"),
        ("dogs", "barn"),
    }
    assert couple.denials == 0


def test_a_couple_is_two_examples_with_the_roles_exchanged() -> None:
    matching = make_matching(SILENT, [SHOWERS, DOGS])
    drafts = {draft.proposal: draft for draft in natural_drafts(couples(matching), matching)}
    assert drafts["p-showers"].sources == ("barn", "oak")
    assert drafts["p-dogs"].sources == ("oak", "barn")
    assert drafts["p-showers"].satisfying.text == drafts["p-dogs"].violating.text == SILENT["barn"]
    assert {draft.slice for draft in drafts.values()} == {"open_omission"}
    assert len({draft.couple for draft in drafts.values()}) == 1


def test_documents_that_deny_the_other_y_make_explicit_mentions() -> None:
    matching = make_matching(DENYING, [SHOWERS, DOGS])
    found = couples(matching, explicit=True)
    assert [couple.denials for couple in found] == [2]
    assert {draft.slice for draft in natural_drafts(found, matching)} == {"explicit"}
    assert couples(matching, explicit=False) == []


def test_a_couple_that_denies_later_than_it_affirms_is_left_to_single_pairs() -> None:
    texts = {**DENYING, "barn": "Red Barn is a campsite on the hill with dogs at the gate but it has no showers."}
    matching = make_matching(texts, [SHOWERS, DOGS])
    rejects: Counter[str] = Counter()
    assert couples(matching, explicit=True, rejects=rejects) == []
    assert rejects == {"couple:denials_late": 1}


def test_a_couple_of_which_one_half_denies_and_one_is_silent_is_in_neither_slice() -> None:
    matching = make_matching({"oak": SILENT["oak"], "barn": DENYING["barn"]}, [SHOWERS, DOGS])
    assert couples(matching, explicit=True) == couples(matching, explicit=False) == []


def test_a_document_that_affirms_both_satisfies_neither() -> None:
    both = {"oak": "Quiet Oak is a campsite with showers and dogs at the gate.", "barn": SILENT["barn"]}
    assert rejected(make_matching(both, [SHOWERS, DOGS])) == {"couple:holds_the_other_y": 1}


def test_near_duplicates_are_no_couple() -> None:
    matching = make_matching(SILENT, [SHOWERS, DOGS], clusters={"barn": "oak"})
    assert rejected(matching) == {"couple:near_duplicates": 1}


def test_documents_of_unlike_lengths_are_no_couple() -> None:
    long = {**SILENT, "barn": SILENT["barn"] + " The meadow is wide and the nights are quiet here."}
    assert length_ratio(*(len(text.split()) for text in long.values())) > 1.6
    assert rejected(make_matching(long, [SHOWERS, DOGS])) == {"couple:length_ratio": 1}


@pytest.mark.parametrize(("years", "found"), [({"oak": 1950, "barn": 1981}, 0), ({"oak": 1950, "barn": 1980}, 1)])
def test_documents_of_far_apart_years_are_no_couple(years: Mapping[str, int], found: int) -> None:
    assert len(couples(make_matching(SILENT, [SHOWERS, DOGS], years=years))) == found


def test_a_document_outside_the_pools_is_not_used() -> None:
    assert rejected(make_matching(SILENT, [SHOWERS, DOGS], pooled=["oak"])) == {"couple:not_in_pool": 1}


def test_documents_of_another_split_are_not_used() -> None:
    splits: dict[str, Split] = {"oak": "train", "barn": "test"}
    assert couples(make_matching(SILENT, [SHOWERS, DOGS], splits=splits)) == []


def test_proposals_of_other_topics_splits_or_relations_are_not_coupled() -> None:
    matching = make_matching(SILENT, [SHOWERS, DOGS])
    for other in (
        make_proposal("dogs", violating=["barn"], topic="hotels"),
        make_proposal("dogs", violating=["barn"], relation="directed_by"),
    ):
        assert couples(matching, SHOWERS, other) == []


MANY = {f"oak{i}": f"Oak {i} is a campsite by the river with showers for all guests." for i in range(8)} | {
    f"barn{i}": f"Barn {i} is a campsite on the hill with dogs at the gate." for i in range(8)
}
MANY_SHOWERS = make_proposal("showers", violating=[name for name in MANY if name.startswith("oak")])
MANY_DOGS = make_proposal("dogs", violating=[name for name in MANY if name.startswith("barn")])


@pytest.mark.parametrize(("cap", "count"), [(1, 1), (3, 3), (6, 6), (50, 8)])
def test_uses_of_a_y_are_capped(cap: int, count: int) -> None:
    matching = make_matching(MANY, [MANY_SHOWERS, MANY_DOGS])
    settings = PairSettings(max_uses_per_y=cap, max_uses_per_document=1)
    assert len(couples(matching, MANY_SHOWERS, MANY_DOGS, settings=settings)) == count


@pytest.mark.parametrize("cap", [1, 2, 3])
def test_uses_of_a_document_are_capped(cap: int) -> None:
    matching = make_matching(MANY, [MANY_SHOWERS, MANY_DOGS])
    settings = PairSettings(max_uses_per_y=50, max_uses_per_document=cap)
    found = couples(matching, MANY_SHOWERS, MANY_DOGS, settings=settings)
    uses = Counter(document for couple in found for document in (couple.a, couple.b))
    assert max(uses.values()) == cap
    assert len({frozenset((couple.a, couple.b)) for couple in found}) == len(found)


def test_the_best_matched_are_taken_first() -> None:
    texts = {
        "oak": "Quiet Oak is a campsite with showers for the guests.",
        "near": "Near Barn is a campsite with dogs at the gate.",
        "far": "Far Barn is a campsite with dogs at the gate and more.",
    }
    dogs = make_proposal("dogs", violating=["near", "far"])
    matching = make_matching(texts, [SHOWERS, dogs])
    (first,) = couples(matching, SHOWERS, dogs, settings=PairSettings(max_uses_per_document=1))
    assert {first.a, first.b} == {"oak", "near"}


def test_couples_do_not_depend_on_the_order_of_the_proposals() -> None:
    matching = make_matching(MANY, [MANY_SHOWERS, MANY_DOGS])
    forth = couples(matching, MANY_SHOWERS, MANY_DOGS)
    back = couples(matching, MANY_DOGS, MANY_SHOWERS)
    assert [couple.id for couple in forth] == [couple.id for couple in back]


@pytest.mark.parametrize(("first", "second", "ratio"), [(2, 3, 1.5), (3, 2, 1.5), (2, 2, 1.0), (0, 2, 2.0)])
def test_length_ratio(first: int, second: int, ratio: float) -> None:
    assert length_ratio(first, second) == ratio
