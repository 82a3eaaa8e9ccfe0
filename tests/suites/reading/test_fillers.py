"""Names and places as they follow a trigger, whole or not at all."""

from __future__ import annotations

import pytest

from constraintsuite.suites.reading.fillers import read_fillers
from constraintsuite.text.base import Token
from suites.reading.reader import KNOWLEDGE, both_analysers, read


def directors(after: str, analyser: str) -> list[str]:
    text = f"Red Weir is a 1961 drama film directed by {after}"
    return [fact.y for fact in read(text, analyser).facts if fact.relation == "directed_by"]


def birthplaces(after: str, analyser: str) -> list[str]:
    text = f"Bob Stone is an American actor. He was born in {after}"
    return [fact.y for fact in read(text, analyser).facts if fact.relation == "born_in"]


@both_analysers
@pytest.mark.parametrize(
    "name",
    [
        "J. R. Smith",
        "John R. Smith",
        "John R. Smith Jr.",
        "Guillermo del Toro",
        "Jean-Luc Godard",
        "Seán O'Casey",
        "Luis García Berlanga",
    ],
)
def test_names_are_read_whole(name: str, analyser: str) -> None:
    assert directors(f"{name} and starring Carl Berg.", analyser) == [name]


@both_analysers
@pytest.mark.parametrize("after", ["Hitchcock.", "someone else.", "him.", "Studio 54 Group.", "Sir John Smith."])
def test_what_is_not_surely_a_person_is_not_read(after: str, analyser: str) -> None:
    assert directors(after, analyser) == []


@both_analysers
def test_one_doubtful_name_spoils_the_list(analyser: str) -> None:
    assert directors("Ann Example and Hitchcock.", analyser) == []


@both_analysers
@pytest.mark.parametrize(
    ("after", "place"),
    [
        ("Boston.", "Boston"),
        ("Columbia, South Carolina.", "Columbia, South Carolina"),
        ("London, England, and raised in Paris.", "London, England"),
        ("New York City.", "New York City"),
    ],
)
def test_places_keep_their_region(after: str, place: str, analyser: str) -> None:
    assert birthplaces(after, analyser) == [place]


@both_analysers
@pytest.mark.parametrize("after", ["1950.", "the city of Boston.", "Boston district.", "a small town."])
def test_what_is_not_surely_a_place_is_not_read(after: str, analyser: str) -> None:
    assert birthplaces(after, analyser) == []


def tokens_of(text: str) -> list[Token]:
    """Words with their places and nothing else, as any tokeniser would give them."""
    tokens, at = [], 0
    for word in text.split(" "):
        tokens.append(Token(at, at + len(word), word))
        at += len(word) + 1
    return tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a goalkeeper .", ["goalkeeper"]),
        ("a right winger .", ["right winger"]),
        ("an outside left", ["outside left"]),
        ("a midfielder or defender .", []),
        ("a mascot .", []),
    ],
)
def test_a_closed_relation_takes_one_of_its_values(text: str, expected: list[str]) -> None:
    fillers = read_fillers(tokens_of(text), 0, KNOWLEDGE.relations["plays_as"])
    assert [filler.text for filler in fillers] == expected
