"""What a document is about, from the sentence that defines it."""

from __future__ import annotations

import pytest

from constraintsuite.suites.reading.records import ClassReading
from suites.reading.reader import both_analysers, read


def strongest(text: str, analyser: str) -> list[ClassReading]:
    classes = read(text, analyser).classes
    return [reading for reading in classes if reading.strength == classes[0].strength]


@both_analysers
@pytest.mark.parametrize(
    ("text", "head", "kind", "modifiers"),
    [
        ("El Verdugo is a 1963 Spanish drama film.", "film", "film", "1963 Spanish drama"),
        ("Ida Lorne (1901–1970) was an English painter.", "painter", "person", "English"),
        ("Hornet is an open-source web framework.", "web framework", "program", "open - source"),
        ("Bob Stone is an American film director.", "film director", "person", "American"),
        ("Kirkby is a village in Norfolk.", "village", "settlement", ""),
        ("These are wireless headphones.", "headphone", "product", "wireless"),
        ("Fen Cottage is a two-room apartment.", "apartment", "home", "two - room"),
    ],
)
def test_the_defining_sentence_names_the_class(text: str, head: str, kind: str, modifiers: str, analyser: str) -> None:
    (reading,) = strongest(text, analyser)
    assert (reading.head, reading.kind, " ".join(reading.modifiers)) == (head, kind, modifiers)
    assert reading.strength == 3


@both_analysers
def test_a_reading_knows_its_place(analyser: str) -> None:
    text = "El Verdugo is a 1963 Spanish drama film."
    (reading,) = strongest(text, analyser)
    assert text[reading.start : reading.end] == "1963 Spanish drama film"


@both_analysers
@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("Quiet Oak, a small campsite by the river, has showers.", "campsite"),
        ("A creamy soup with leeks. It is served hot.", "soup"),
        ("Fen Trail: a steep hiking trail along the coast.", "hiking trail"),
    ],
)
def test_an_apposition_or_fragment_is_weaker_than_a_definition(text: str, head: str, analyser: str) -> None:
    (reading,) = strongest(text, analyser)
    assert (reading.head, reading.strength) == (head, 2)


@both_analysers
def test_a_passing_mention_is_weakest(analyser: str) -> None:
    classes = read("Showers stand behind the campsite. Dogs sleep at the gate.", analyser).classes
    assert [(reading.head, reading.strength) for reading in classes] == [("campsite", 0), ("gate", 0)]


@both_analysers
@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("Breeze is a pair of headphones with a cable.", "headphone"),
        ("Ratatouille is a kind of vegetable stew.", "stew"),
        ("Harvest is a set of headphones.", "headphone"),
    ],
)
def test_of_a_pair_of_headphones_the_headphones_count(text: str, head: str, analyser: str) -> None:
    assert [reading.head for reading in strongest(text, analyser)] == [head]


@both_analysers
@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("Bob Stone was a politician and lawyer.", ["politician", "lawyer"]),
        ("Bob Stone is an American actor, director and screenwriter.", ["actor", "director", "screenwriter"]),
    ],
)
def test_coordinated_professions_all_count(text: str, heads: list[str], analyser: str) -> None:
    assert [reading.head for reading in strongest(text, analyser)] == heads


@both_analysers
def test_coordinated_professions_share_the_nationality(analyser: str) -> None:
    readings = strongest("Bob Stone is an American actor and director.", analyser)
    assert [reading.modifiers for reading in readings] == [("American",), ("American",)]


@both_analysers
@pytest.mark.parametrize(
    "text",
    [
        "She is a member of parliament.",
        "Ann was a daughter of Bob.",
        "It is one of many.",
    ],
)
def test_a_noun_that_says_how_things_stand_to_each_other_is_no_class(text: str, analyser: str) -> None:
    assert [reading for reading in read(text, analyser).classes if reading.strength == 3] == []


@both_analysers
def test_what_stands_in_brackets_is_passed_over(analyser: str) -> None:
    text = "Red Weir (not to be confused with the novel, a book of 1950) is a 1961 film."
    assert [(reading.head, reading.strength) for reading in read(text, analyser).classes] == [("film", 3)]


@both_analysers
def test_a_denied_definition_is_not_a_definition(analyser: str) -> None:
    assert all(reading.strength < 3 for reading in read("Red Weir is not a film.", analyser).classes)
