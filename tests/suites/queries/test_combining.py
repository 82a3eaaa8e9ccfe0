"""Questions for two attributes, and for the first without the second."""

from __future__ import annotations

from constraintsuite.suites.queries.attributes import AskedAttribute
from constraintsuite.suites.queries.combining import combine
from suites.build_factory import knowledge

GARDEN = AskedAttribute("garden", "garden", True, "has", "")
HOT_TUB = AskedAttribute("hot tub", "hot tub", True, "has", "")
DOG = AskedAttribute("dog", "dogs", False, "allows", "")
WALLED_GARDEN = AskedAttribute("walled garden", "walled garden", True, "has", "")


def queries(first: AskedAttribute, second: AskedAttribute) -> dict[str, tuple[str, str]]:
    return {one.name: (one.both, one.first) for one in combine("cottages", first, second, knowledge())}


def test_what_is_said_in_the_same_way_is_said_once() -> None:
    found = queries(GARDEN, HOT_TUB)
    assert found["WITHOUT_Y"] == (
        "cottages with a garden and a hot tub",
        "cottages with a garden but without a hot tub",
    )
    assert found["HAVE_NO_Y"] == (
        "cottages that have a garden and a hot tub",
        "cottages that have a garden but no hot tub",
    )


def test_other_verbs_are_said_in_full() -> None:
    found = queries(GARDEN, DOG)
    assert found["DO_NOT_ALLOW_Y"] == (
        "cottages that have a garden and allow dogs",
        "cottages that have a garden but do not allow dogs",
    )
    assert not any(both.startswith("cottages with") for both, _ in found.values())


def test_questions_and_sentences_are_among_at_least_three_wordings_of_every_link() -> None:
    for key in knowledge().links:
        second = AskedAttribute("parking", "parking", False, key, "")
        names = queries(GARDEN, second)
        assert len(names) >= 3, key
        assert any(both.startswith("Which cottages ") and both.endswith("?") for both, _ in names.values()), key


def test_an_attribute_is_not_asked_for_beside_one_that_names_it() -> None:
    assert queries(GARDEN, WALLED_GARDEN) == {}
