"""One form for all mentions of an entity, and the entities that a query names."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.memory.entities import EntityFinder, normalise_entity


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("The Tenant", "tenant"),
        ("  a   Party\n", "party"),
        ("Kurosawa's", "kurosawa"),
        ("Kurosawa’s", "kurosawa"),
        ("the drivers'", "drivers"),
        ("The The", "the"),
        ("the", "the"),
        ("Theatre", "theatre"),
        ("An Apple a Day", "apple a day"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("ﬁle №5", "file no5"),
        ("Москва", "москва"),
        ("İstanbul", "i̇stanbul"),
        ("rock 'n' roll", "rock 'n' roll"),
        ("nobody 's", "nobody 's"),
        ("", ""),
    ],
)
def test_a_name_is_normalised(name: str, form: str) -> None:
    assert normalise_entity(name) == form


@given(st.one_of(st.text(), st.text("THEthe anAN's’ ").map(str.strip)))
def test_what_is_normalised_stays(name: str) -> None:
    assert normalise_entity(normalise_entity(name)) == normalise_entity(name)


NAMES = ("akira kurosawa", "boiler", "c++", "new york", "new york city", "u.s. army", "york", "o'brien", "peanut")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Who directed Akira Kurosawa's last film?", ["akira kurosawa"]),
        ("New York City or New York?", ["new york city", "new york"]),
        ("NEW\n YORK", ["new york"]),
        ("york, then the boiler; York again", ["york", "boiler"]),
        ("boilers and reboiler", []),
        ("Is C++ used by the U.S. Army?", ["c++", "u.s. army"]),
        ("O’Brien is peanut-free", ["o'brien", "peanut"]),
        ("new", []),
        ("", []),
    ],
)
def test_entities_are_found_at_word_boundaries_the_longest_first(text: str, found: list[str]) -> None:
    assert [NAMES[i] for i in EntityFinder(NAMES).find(text)] == found


def test_a_name_that_is_not_among_the_known_ones_hides_no_shorter_one() -> None:
    among = np.array([name != "new york city" for name in NAMES])
    assert [NAMES[i] for i in EntityFinder(NAMES).find("New York City", among)] == ["new york"]


def test_of_names_of_one_form_the_first_of_those_asked_for_is_found() -> None:
    finder = EntityFinder(["Ring", "The Ring"])
    assert finder.find("who has the ring") == [0]
    assert finder.find("who has the ring", np.array([False, True])) == [1]


def test_names_that_were_not_normalised_are_found_all_the_same() -> None:
    assert EntityFinder(["The Boiler", ""]).find("a boiler") == [0]


@given(st.lists(st.text("ab c'.", min_size=1, max_size=6), max_size=5), st.text("ab c'.", max_size=20))
def test_what_is_found_stands_in_the_text(names: list[str], text: str) -> None:
    forms = [normalise_entity(name) for name in names]
    folded = " ".join(text.lower().split())
    assert all(forms[number] in folded for number in EntityFinder(names).find(text))
