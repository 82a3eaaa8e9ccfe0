"""Relations: fillers that several documents state, and the words by which each shows."""

from __future__ import annotations

import pytest
from build_factory import knowledge

from constraintsuite.build.queries.evidence import YWords
from constraintsuite.build.queries.records import Topic
from constraintsuite.build.queries.relations import fits, gather, y_words
from constraintsuite.build.reading.records import Fact


def states(relation: str, *ys: str) -> tuple[Fact, ...]:
    return tuple(Fact(relation, y, 0, 1, -1, 1) for y in ys)


def test_fillers_that_enough_documents_state_are_gathered() -> None:
    facts = {
        "a": states("directed_by", "Ann Example"),
        "b": states("directed_by", "Ann Example", "Bob Stone"),
        "c": states("directed_by", "Bob Stone", "Carl Berg"),
    }
    found = gather(facts, knowledge(), ["directed_by"])
    assert found["directed_by"].documents == {"Ann Example": {"a", "b"}, "Bob Stone": {"b", "c"}}


def test_a_relation_with_one_filler_is_nothing_to_choose_from() -> None:
    facts = {name: states("directed_by", "Ann Example") for name in "abc"}
    assert gather(facts, knowledge(), ["directed_by"]) == {}


def test_a_relation_that_is_not_asked_for_is_left_out() -> None:
    facts = {name: states("directed_by", "Ann Example", "Bob Stone") for name in "abc"}
    assert gather(facts, knowledge(), ["starring"]) == {}


@pytest.mark.parametrize(
    ("relation", "y", "expected"),
    [
        ("directed_by", "Ann Example", YWords(("Ann Example", "Example"), ())),
        ("directed_by", "John R. Smith Jr.", YWords(("John R. Smith Jr.", "Smith"), ())),
        ("directed_by", "Bob Stone IV", YWords(("Bob Stone IV", "Stone"), ())),
        ("born_in", "Columbia, South Carolina", YWords(("Columbia, South Carolina", "Columbia"), ())),
        ("born_in", "Boston", YWords(("Boston",), ())),
        ("plays_as", "winger", YWords(("winger", "wingers"), ("wing", "forward"))),
        ("work_nationality", "Danish", YWords(("Danish",), ("Denmark",))),
        ("distributed_by", "Universal Pictures", YWords(("Universal Pictures",), ("Universal",))),
    ],
)
def test_a_filler_shows_by_its_forms_and_is_given_away_by_others(relation: str, y: str, expected: YWords) -> None:
    assert y_words(knowledge().relations[relation], y) == expected


@pytest.mark.parametrize(
    ("topic", "relation", "expected"),
    [
        (Topic("drama films", "film", "film", "", "drama"), "directed_by", True),
        (Topic("drama films", "film", "film", "", "drama"), "genre", False),
        (Topic("Indian films", "film", "film", "Indian", ""), "genre", True),
        (Topic("Indian films", "film", "film", "Indian", ""), "work_nationality", False),
        (Topic("drama films", "film", "film", "", "drama"), "work_nationality", True),
        (Topic("films", "film", "film"), "work_nationality", False),
        (Topic("actors", "actor", "person"), "person_nationality", True),
    ],
)
def test_a_topic_is_not_narrowed_by_what_it_already_says(topic: Topic, relation: str, expected: bool) -> None:
    assert fits(topic, knowledge().relations[relation]) == expected
