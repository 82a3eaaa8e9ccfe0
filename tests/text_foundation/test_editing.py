"""Two stretches of a text exchanged, with the articles and capitals around them mended."""

from __future__ import annotations

import pytest

from constraintsuite.text.edits import TextEdit, apply_replacements, exchange, starts_with_vowel_sound


def exchanged(text: str, first: str, second: str) -> str | None:
    a, b = text.index(first), text.index(second)
    replacements = exchange(text, (a, a + len(first)), (b, b + len(second)))
    return None if replacements is None else apply_replacements(text, replacements)[0]


@pytest.mark.parametrize(
    ("text", "first", "second", "expected"),
    [
        ("It has showers but no washing machines.", "showers", "washing machines",
         "It has washing machines but no showers."),
        ("directed by Ann Example, not Bob Stone.", "Ann Example", "Bob Stone",
         "directed by Bob Stone, not Ann Example."),
        ("It has Wi-Fi but no pool.", "Wi-Fi", "pool", "It has pool but no Wi-Fi."),
    ],
)  # fmt: skip
def test_two_stretches_change_places(text: str, first: str, second: str, expected: str) -> None:
    assert exchanged(text, first, second) == expected
    assert exchanged(text, second, first) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It has a pool but not an oven.", "It has an oven but not a pool."),
        ("A pool, but no oven.", "An oven, but no pool."),
        ("It has no pool, but an oven.", "It has no oven, but a pool."),
        ("A pool. An oven.", "An oven. A pool."),
        ("It has the pool, not the oven.", "It has the oven, not the pool."),
        ("Sauna pool and oven.", "Sauna oven and pool."),  # this "a" is no article
    ],
)
def test_articles_are_mended(text: str, expected: str) -> None:
    assert exchanged(text, "pool", "oven") == expected


@pytest.mark.parametrize(
    ("text", "first", "second", "expected"),
    [
        ("Showers are here, dogs are not.", "Showers", "dogs", "Dogs are here, showers are not."),
        ("No lift. Showers: none. There are dogs.", "Showers", "dogs", "No lift. Dogs: none. There are showers."),
        ("Showers are here. Dogs are not.", "Showers", "Dogs", "Dogs are here. Showers are not."),
        ("Only the TV, not dogs.", "TV", "dogs", "Only the dogs, not TV."),  # an abbreviation keeps its capitals
    ],
)
def test_a_sentence_start_keeps_its_capital(text: str, first: str, second: str, expected: str) -> None:
    assert exchanged(text, first, second) == expected


def test_overlapping_stretches_cannot_be_exchanged() -> None:
    assert exchange("coconut milk", (0, 12), (8, 12)) is None


def test_adjacent_stretches_can_be_exchanged() -> None:
    assert exchanged("the catdog", "cat", "dog") == "the dogcat"


def test_replacements_come_with_their_new_places() -> None:
    text, spans = apply_replacements("a b c", [TextEdit(4, 5, "CC"), TextEdit(0, 1, "AAA")])
    assert text == "AAA b CC"
    assert [text[start:end] for start, end in spans] == ["AAA", "CC"]


@pytest.mark.parametrize(
    "word", ["apple", "Egg", "ice", "oven", "umbrella", "uncle", "hour", "honest man", "FBI agent"]
)
def test_an_goes_before_a_vowel_sound(word: str) -> None:
    assert starts_with_vowel_sound(word)


@pytest.mark.parametrize(
    "word", ["pool", "Union", "university", "user", "ukulele", "hotel", "yacht", "UFO", "BBC drama"]
)
def test_a_goes_before_a_consonant_sound(word: str) -> None:
    assert not starts_with_vowel_sound(word)
