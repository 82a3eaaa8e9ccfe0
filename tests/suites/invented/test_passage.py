"""A passage about something real, rewritten with invented names."""

from __future__ import annotations

import pytest

from constraintsuite.core.records.text import Document
from constraintsuite.suites.invented.passage import RealPassage, invent_passage, read_passage
from constraintsuite.suites.reading.records import NamesRead
from suites.reading.reader import read

FILM = "Red Weir is a 1961 Italian drama film written by Ann Example and directed by Bob Stone."


def passage(text: str, source: str) -> RealPassage | None:
    found = read(text, title="Red Weir")
    names = NamesRead(source, found.classes, found.facts, found.hints, found.sentences, found.names)
    return read_passage(Document(source, text, "Red Weir"), names)


def read_film(text: str = FILM, source: str = "in order") -> RealPassage:
    found = passage(text, source)
    assert found is not None
    return found


def test_every_name_is_replaced_and_nothing_else() -> None:
    made = invent_passage(read_film(), "test", {})
    ann, bob = made.people["Ann Example"], made.people["Bob Stone"]
    assert made.text == f"{made.title} is a 1961 Italian drama film written by {ann} and directed by {bob}."
    assert not {"Red", "Weir", "Ann", "Example", "Bob", "Stone"} & set(made.text.replace(".", "").split())


def test_a_name_that_is_given_is_used() -> None:
    made = invent_passage(read_film(), "test", {"Bob Stone": "Ugo Bellari"})
    assert "directed by Ugo Bellari." in made.text


def test_a_surname_follows_its_person() -> None:
    made = invent_passage(read_film(f"{FILM} In it Stone shows a small town."), "test", {"Bob Stone": "Ugo Bellari"})
    assert made.text.endswith("In it Bellari shows a small town.")


def test_the_remark_after_the_subject_is_left_out() -> None:
    made = invent_passage(read_film(FILM.replace(" is a", " (Italian: Rosso) is a")), "test", {})
    assert made.text.startswith(f"{made.title} is a 1961 Italian")


def test_the_passage_ends_before_a_name_that_cannot_be_replaced() -> None:
    assert read_film(f"{FILM} He later made the Blue Harbour Trilogy.").text == FILM


@pytest.mark.parametrize("tie", ["It is a remake of an old silent film.", "It was adapted for the stage."])
def test_the_passage_ends_before_a_tie_to_the_real_world(tie: str) -> None:
    assert read_film(f"{FILM} {tie}").text == FILM


@pytest.mark.parametrize(
    "text",
    [
        "Red Weir is a drama film directed by Bob Stone.",
        f"The story of {FILM}",
        FILM.replace("is a 1961", "shows a 1961"),
        FILM.replace("Bob Stone", "Bob Stone of the Blue Harbour Trilogy"),
    ],
    ids=["too short", "does not begin with its subject", "does not say what it is", "an unknown name at the start"],
)
def test_what_cannot_be_rewritten_is_no_passage(text: str) -> None:
    assert passage(text, "in order") is None


def test_what_is_stated_after_the_end_is_no_part_of_it() -> None:
    found = read_film(f"{FILM} It is a remake. It stars Carl Berg.")
    stated = {fact.relation for fact in found.facts}
    assert {"written_by", "directed_by"} <= stated
    assert "starring" not in stated


def test_half_of_the_passages_name_their_people_in_the_other_order() -> None:
    """Encyclopedias name the director first; the place of a name must not tell its role."""
    texts = [invent_passage(read_film(source=str(n)), "test", {}).text for n in range(40)]
    assert 10 < sum(text.index("written by") < text.index("directed by") for text in texts) < 30
