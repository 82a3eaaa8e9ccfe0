"""The proper names of a text, and what each one names."""

from __future__ import annotations

import pytest

from constraintsuite.suites.reading.names import subject_name, surname
from suites.reading.reader import both_analysers, read


def names(text: str, title: str, analyser: str = "rules") -> dict[str, str]:
    return {text[name.start : name.end]: name.kind for name in read(text, analyser, title).names}


@both_analysers
def test_the_subject_is_named_by_the_title_and_people_by_what_they_did(analyser: str) -> None:
    text = "Red Weir is a 1961 Italian drama film directed by Ann Example and starring Bob Stone."
    assert names(text, "Red Weir (1961 film)", analyser) == {
        "Red Weir": "subject",
        "Italian": "place",
        "Ann Example": "person",
        "Bob Stone": "person",
    }


@both_analysers
def test_the_last_word_of_a_name_stands_for_the_person(analyser: str) -> None:
    text = "Red Weir is a film directed by Ann Example. In it Example shows a small town."
    assert names(text, "Red Weir", analyser)["Example"] == "surname"


@both_analysers
def test_a_nationality_before_a_name_is_no_part_of_it(analyser: str) -> None:
    text = "Red Weir is a film directed by Ann Example with Italian Gina Rossi in it."
    assert names(text, "Red Weir", analyser)["Italian"] == "place"


@both_analysers
def test_what_is_neither_person_nor_place_is_something_else(analyser: str) -> None:
    text = "Red Weir is a film directed by Ann Example, who later made the Blue Harbour Trilogy."
    found = names(text, "Red Weir", analyser)
    assert {kind for name, kind in found.items() if "Blue" in name or "Trilogy" in name} == {"other"}


@both_analysers
def test_a_sentence_that_begins_with_a_common_word_begins_with_no_name(analyser: str) -> None:
    assert set(names("Red Weir is a film. It is long. Critics liked it.", "Red Weir", analyser)) == {"Red Weir"}


@pytest.mark.parametrize(("title", "name"), [("Gigi (1958 film)", "Gigi"), ("Gigi", "Gigi"), ("", "")])
def test_the_subject_is_the_title_without_its_remark(title: str, name: str) -> None:
    assert subject_name(title) == name


def test_a_surname_is_the_last_word() -> None:
    assert surname("Ann van Example") == "Example"
