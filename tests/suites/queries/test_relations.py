"""Relations: fillers that several documents state, and the words by which each shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from constraintsuite.suites.queries.evidence import YWords
from constraintsuite.suites.queries.records import Topic
from constraintsuite.suites.queries.relations import FactTable, fits, matters, y_words
from constraintsuite.suites.reading.records import Fact
from suites.build_factory import knowledge

DRAMAS = Topic("dramas", "film", "film", modifier="drama")
INDIAN_FILMS = Topic("Indian films", "film", "film", nationality="Indian")
COOPER_FILMS = Topic("Gary Cooper films", "film", "film", name="Gary Cooper", relation="starring")


def states(relation: str, *ys: str) -> tuple[Fact, ...]:
    return tuple(Fact(relation, y, 0, 1) for y in ys)


def gathered(documents: Sequence[tuple[Fact, ...]], *allowed: str) -> dict[str, dict[str, list[int]]]:
    """The documents by relation and filler, from what each document states; in two passes, as a build makes them."""
    table = FactTable(knowledge(), allowed or ["directed_by"])
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


def test_a_relation_that_is_not_asked_for_is_left_out() -> None:
    assert gathered([states("directed_by", "Ann Example", "Bob Stone")] * 3, "starring") == {}


def test_of_a_long_cast_only_the_stars_count() -> None:
    cast = states("starring", "Ann Example", "Bob Stone", "Carl Berg", "Dan Reed")
    assert list(gathered([cast] * 2, "starring")["starring"]) == ["Ann Example", "Bob Stone", "Carl Berg"]


def test_facts_are_counted_with_all_their_relations() -> None:
    table = FactTable(knowledge(), ["directed_by"])
    for number in range(2):
        table.add(number, [*states("directed_by", "Ann Example"), *states("genre", "drama", "comedy")])
    assert (table.documents, table.by_relation) == (2, {"directed_by": 2, "genre": 4})


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
    assert y_words(knowledge().relations[relation], y) == replace(expected, is_attribute=False)


@pytest.mark.parametrize(
    ("topic", "relation", "expected"),
    [
        (DRAMAS, "genre", False),
        (INDIAN_FILMS, "genre", True),
        (INDIAN_FILMS, "work_nationality", False),
        (DRAMAS, "work_nationality", True),
        (Topic("films", "film", "film"), "work_nationality", False),
        (Topic("films", "film", "film"), "genre", False),
        (Topic("actors", "actor", "person"), "person_nationality", True),
        (DRAMAS, "directed_by", False),  # one director is too little among all dramas
        (COOPER_FILMS, "directed_by", True),
        (COOPER_FILMS, "starring", True),
        (COOPER_FILMS, "genre", True),
        (
            Topic("Universal Pictures films", "film", "film", name="Universal", relation="distributed_by"),
            "starring",
            False,
        ),
        (Topic("Ann Example films", "film", "film", name="Ann Example", relation="directed_by"), "directed_by", False),
    ],
)
def test_a_topic_is_narrow_enough_and_does_not_say_the_same(topic: Topic, relation: str, expected: bool) -> None:
    assert fits(topic, knowledge().relations[relation]) == expected


@pytest.mark.parametrize(
    ("documents", "topic", "size", "relation", "expected"),
    [
        (20, INDIAN_FILMS, 100, "genre", True),
        (19, INDIAN_FILMS, 100, "genre", False),  # too rare to leave out
        (90, INDIAN_FILMS, 100, "genre", False),  # hardly anything is left
        (2, INDIAN_FILMS, 8, "genre", False),  # a quarter, but of few documents
        (1, COOPER_FILMS, 4, "genre", True),
        (1, COOPER_FILMS, 9, "directed_by", False),
        (65, DRAMAS, 100, "work_nationality", False),
    ],
)
def test_a_filler_must_be_a_real_part_of_its_topic(
    documents: int, topic: Topic, size: int, relation: str, expected: bool
) -> None:
    assert matters(documents, topic, size, knowledge().relations[relation]) == expected
