"""Queries for several constraints: each part keeps its words, and only the broken one is turned round in the opposite."""

from __future__ import annotations

import pytest

from constraintsuite.suites.combined.wording import word_combination
from constraintsuite.suites.queries.records import Proposal
from suites.combined.parts import part

CHEAP = part("number", "under 700 pounds", "over 700 pounds", "cost less than 700 pounds", "cost more than 700 pounds")
IN_WALES = part("place", "in Wales", "outside Wales", "are in Wales", "are not in Wales")
NO_STAIRS = part("exclude", "without stairs", "with stairs", "have no stairs", "have stairs")
NO_TUB = part("exclude", "without a hot tub", "with a hot tub", "have no hot tub", "have a hot tub")
SHORT = part("number", "shorter than 8 km", "longer than 8 km", "are under 8 km", "are over 8 km")


def queries(parts: list[Proposal], broken: int) -> dict[str, tuple[str, str]]:
    return {one.template: (one.query, one.opposite) for one in word_combination(parts, broken)}


def test_a_query_states_every_part_as_a_phrase_and_as_a_sentence() -> None:
    assert {name: query for name, (query, _) in queries([IN_WALES, CHEAP, NO_STAIRS], 1).items()} == {
        "KEYWORDS": "cottages in Wales under 700 pounds without stairs",
        "WHICH": "Which cottages are in Wales, cost less than 700 pounds and have no stairs?",
        "THAT": "cottages that are in Wales, cost less than 700 pounds and have no stairs",
        "LOOKING_FOR": "I am looking for cottages in Wales under 700 pounds that have no stairs.",
    }


@pytest.mark.parametrize(
    ("broken", "opposite"),
    [
        (0, "cottages outside Wales under 700 pounds without stairs"),
        (1, "cottages in Wales over 700 pounds without stairs"),
        (2, "cottages in Wales under 700 pounds with stairs"),
    ],
)
def test_the_opposite_turns_the_broken_part_round_and_no_other(broken: int, opposite: str) -> None:
    assert queries([IN_WALES, CHEAP, NO_STAIRS], broken)["KEYWORDS"][1] == opposite


def test_denials_are_joined_until_one_is_turned_round() -> None:
    query, opposite = queries([NO_STAIRS, NO_TUB], 0)["KEYWORDS"]
    assert query == "cottages without stairs or a hot tub"
    assert opposite == "cottages with stairs and without a hot tub"


def test_a_comma_ends_what_is_left_out_and_two_limits_have_an_and_between_them() -> None:
    assert queries([NO_STAIRS, IN_WALES], 0)["KEYWORDS"][0] == "cottages without stairs, in Wales"
    assert queries([CHEAP, SHORT], 0)["KEYWORDS"][0] == "cottages under 700 pounds and shorter than 8 km"


def test_adjectives_stand_before_the_topic() -> None:
    either = part("one_of", "that are Welsh or Irish", "that are neither", before="Welsh or Irish")
    assert queries([CHEAP, either], 0)["KEYWORDS"][0] == "Welsh or Irish cottages under 700 pounds"


def test_people_are_asked_for_with_who() -> None:
    before, after = "born before 1900", "born after 1900"
    painters = part("time", before, after, f"were {before}", f"were {after}", topic="painters")
    danish = part("one_of", "who are Danish or Dutch", "who are neither", topic="painters")
    assert queries([danish, painters], 1)["THAT"][0] == "painters who are Danish or Dutch and were born before 1900"


def test_a_part_whose_opposite_stands_in_another_place_cannot_be_the_broken_one() -> None:
    either = part("one_of", "", "that are neither Welsh nor Irish", before="Welsh or Irish")
    assert word_combination([CHEAP, either], 1) == ()
    assert word_combination([CHEAP, either], 0) != ()


def test_a_birth_is_said_once() -> None:
    early = part("time", "born before 1910", "born after 1910", "were born before 1910", "were born after 1910")
    welsh = part("place", "born in Wales", "born outside Wales", "were born in Wales", "were born outside Wales")
    found = queries([early, welsh], 1)
    assert found["KEYWORDS"] == ("cottages born before 1910 in Wales", "cottages born before 1910 outside Wales")
    assert found["WHICH"][0] == "Which cottages were born before 1910 in Wales?"
