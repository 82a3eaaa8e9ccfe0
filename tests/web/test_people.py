"""Tokens: whose they are, that they last, and that nothing else opens the door."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.errors import UserError
from constraintsuite.web.people import KEY as KEY_FILE
from constraintsuite.web.people import Door, Person, load_key
from web.site import ANNA, BEN, JUDGE, KEY, OWNER, PEOPLE


@pytest.mark.parametrize("person", PEOPLE)
def test_a_token_is_its_persons(person: Person) -> None:
    door = Door(KEY, PEOPLE)
    assert door.whose(door.token(person)) == person


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param("", id="empty"),
        pytest.param("olga", id="a name"),
        pytest.param(Door(KEY, PEOPLE).token(OWNER)[:-1], id="cut short"),
        pytest.param(Door(KEY, PEOPLE).token(OWNER) + "A", id="too long"),
        pytest.param(Door(b"another key, also of 32 bytes...", PEOPLE).token(OWNER), id="of another key"),
        pytest.param(Door(KEY, PEOPLE).guard(OWNER), id="a guard"),
        pytest.param(Door(KEY, PEOPLE).token(Person("anna", "owner")), id="of another role"),
        pytest.param(Door(KEY, PEOPLE).token(Person("mallory", "owner")), id="of nobody here"),
        pytest.param("tökén\u0000🙂", id="no token at all"),
    ],
)
def test_nothing_else_is_a_token(wrong: str) -> None:
    assert Door(KEY, PEOPLE).whose(wrong) is None


def test_the_same_key_gives_the_same_links() -> None:
    assert Door(KEY, [OWNER]).token(OWNER) == Door(KEY, [ANNA, OWNER]).token(OWNER)


def test_no_two_words_are_the_same() -> None:
    door = Door(KEY, PEOPLE)
    words = [door.token(person) for person in PEOPLE] + [door.guard(person) for person in PEOPLE]
    assert len(set(words)) == 2 * len(PEOPLE)


def test_a_person_has_one_role() -> None:
    with pytest.raises(UserError, match="'anna' is named twice"):
        Door(KEY, [ANNA, BEN, Person("anna", "adjudicator")])


@pytest.mark.parametrize("name", ["", "../etc", "a b", "<b>", "a" * 65, "x\n"])
def test_a_name_that_could_be_taken_for_something_else_is_refused(name: str) -> None:
    with pytest.raises(UserError):
        Door(KEY, [JUDGE, Person(name, "annotator")])


def test_a_key_is_made_once_and_is_its_owners_alone(tmp_path: Path) -> None:
    made = load_key(tmp_path)
    assert load_key(tmp_path) == made
    assert len(made) == 32
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600


def test_each_folder_has_a_key_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert load_key(tmp_path / "a") != load_key(tmp_path / "b")


def test_a_damaged_key_is_told(tmp_path: Path) -> None:
    (tmp_path / KEY_FILE).write_bytes(b"short")
    with pytest.raises(UserError, match="this is no key"):
        load_key(tmp_path)
