"""Relations: fillers that several documents state, and the words by which each shows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from constraintsuite.suites.queries.evidence import YWords
from constraintsuite.suites.queries.records import Topic
from constraintsuite.suites.queries.relations import FactTable, fits, y_words
from constraintsuite.suites.reading.records import Fact
from suites.build_factory import knowledge


def states(relation: str, *ys: str) -> tuple[Fact, ...]:
    return tuple(Fact(relation, y, 0, 1, -1, 1) for y in ys)


def gathered(documents: Sequence[tuple[Fact, ...]], allowed: str = "directed_by") -> dict[str, dict[str, list[int]]]:
    """The documents by relation and filler, from what each document states; in two passes, as a build makes them."""
    table = FactTable(knowledge(), [allowed])
    for number, facts in enumerate(documents):
        table.add(number, facts)
    for number in table.keep_frequent():
        table.name(documents[number])
    return {
        key: {y: numbers.tolist() for y, numbers in found.documents.items()} for key, found in table.gather().items()
    }


def test_fillers_that_enough_documents_state_are_gathered() -> None:
    facts = [
        states("directed_by", "Ann Example"),
        states("directed_by", "Bob Stone", "Ann Example", "Bob Stone"),
        states("directed_by", "Bob Stone", "Carl Berg"),
    ]
    assert gathered(facts) == {"directed_by": {"Ann Example": [0, 1], "Bob Stone": [1, 2]}}


def test_a_relation_with_one_filler_is_nothing_to_choose_from() -> None:
    assert gathered([states("directed_by", "Ann Example")] * 3) == {}


def test_a_relation_that_is_not_asked_for_is_left_out() -> None:
    assert gathered([states("directed_by", "Ann Example", "Bob Stone")] * 3, "starring") == {}


def test_a_relation_may_ask_for_more_documents_than_others() -> None:
    relations = knowledge().relations
    (most,) = {key for key in ("genre",) if relations[key].min_documents > 2}
    table = FactTable(knowledge(), ["directed_by", most])
    facts = [*states("directed_by", "Ann Example", "Bob Stone"), *states(most, "drama", "comedy")]
    for number in range(2):
        table.add(number, facts)
    for _ in table.keep_frequent():
        table.name(facts)
    assert table.gather().keys() == {"directed_by"}
    assert (table.documents, table.by_relation) == (2, {"directed_by": 4, most: 4})


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
