"""Noun phrases, and the words that tie them to the subject."""

from __future__ import annotations

import pytest

from constraintsuite.suites.reading.document import is_plural
from constraintsuite.suites.reading.records import NounReading
from suites.reading.reader import both_analysers, read


def nouns(text: str, analyser: str) -> dict[str, str]:
    """Link by noun phrase."""
    return {" ".join(noun.lemmas): noun.link for noun in read(text, analyser).nouns}


@both_analysers
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The site has hot showers.", "hot shower"),
        ("There are two washing machines.", "washing machine"),
        ("It is made with coconut milk.", "coconut milk"),
        ("It comes without walnuts.", "walnut"),
    ],
)
def test_a_noun_comes_with_the_words_that_belong_to_it(text: str, expected: str, analyser: str) -> None:
    assert expected in nouns(text, analyser)


@both_analysers
@pytest.mark.parametrize(
    ("text", "noun", "link"),
    [
        ("The site has showers.", "shower", "has"),
        ("It comes with showers.", "shower", "comes with"),
        ("There are showers.", "shower", "there are"),
        ("The soup contains cream.", "cream", "contains"),
        ("It is made from cream.", "cream", "made from"),
        ("The site allows dogs.", "dog", "allows"),
        ("Dogs are welcome.", "dog", "welcome"),
        ("Breakfast is not served.", "breakfast", "served"),
        ("Showers stand behind the barn.", "shower", ""),
        ("It has a roof. Showers cost more.", "shower", ""),
    ],
)
def test_the_link_is_the_word_that_governs_the_noun(text: str, noun: str, link: str, analyser: str) -> None:
    assert nouns(text, analyser)[noun] == link


@both_analysers
def test_a_noun_knows_its_place(analyser: str) -> None:
    text = "The site has hot showers."
    (noun,) = (noun for noun in read(text, analyser).nouns if noun.lemmas[-1] == "shower")
    assert text[noun.start : noun.end] == "hot showers"


@both_analysers
def test_the_first_of_two_nouns_is_no_head(analyser: str) -> None:
    assert "washing" not in nouns("It has a washing machine.", analyser)
    assert "coffee" not in nouns("It has a coffee machine.", analyser)


TEXT = "It has hot showers, an ORM API and a pool."


def noun(*lemmas: str, words: str) -> NounReading:
    return NounReading(lemmas, TEXT.index(words), TEXT.index(words) + len(words), "has")


NOUNS = (
    noun("hot", "shower", words="hot showers"),
    noun("orm", words="ORM"),
    noun("orm", "api", words="ORM API"),
    noun("pool", words="pool"),
)


def test_a_noun_knows_its_number() -> None:
    assert [is_plural(one, TEXT) for one in NOUNS] == [True, False, False, False]
