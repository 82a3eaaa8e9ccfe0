"""Tokens: whose they are, that they last, and that nothing else opens the door."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from app.web.site import ANNA, BEN, JUDGE, KEY, OWNER, PEOPLE
from constraintsuite.app.web.access import AccessTokens, Person, key_file, load_key
from constraintsuite.core.errors import UserError


@pytest.mark.parametrize("person", PEOPLE)
def test_a_token_is_its_persons(person: Person) -> None:
    door = AccessTokens(KEY, PEOPLE)
    assert door.person_of(door.token(person)) == person


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param("", id="empty"),
        pytest.param("olga", id="a name"),
        pytest.param(AccessTokens(KEY, PEOPLE).token(OWNER)[:-1], id="cut short"),
        pytest.param(AccessTokens(KEY, PEOPLE).token(OWNER) + "A", id="too long"),
        pytest.param(AccessTokens(b"another key, also of 32 bytes...", PEOPLE).token(OWNER), id="of another key"),
        pytest.param(AccessTokens(KEY, PEOPLE).guard(OWNER), id="a guard"),
        pytest.param(AccessTokens(KEY, PEOPLE).token(Person("anna", "owner")), id="of another role"),
        pytest.param(AccessTokens(KEY, PEOPLE).token(Person("mallory", "owner")), id="of nobody here"),
        pytest.param("tökén\u0000🙂", id="no token at all"),
    ],
)
def test_nothing_else_is_a_token(wrong: str) -> None:
    assert AccessTokens(KEY, PEOPLE).person_of(wrong) is None


def test_the_same_key_gives_the_same_links() -> None:
    assert AccessTokens(KEY, [OWNER]).token(OWNER) == AccessTokens(KEY, [ANNA, OWNER]).token(OWNER)


def test_no_two_words_are_the_same() -> None:
    door = AccessTokens(KEY, PEOPLE)
    words = [door.token(person) for person in PEOPLE] + [door.guard(person) for person in PEOPLE]
    assert len(set(words)) == 2 * len(PEOPLE)


def test_a_person_has_one_role() -> None:
    with pytest.raises(UserError, match="'anna' is named twice"):
        AccessTokens(KEY, [ANNA, BEN, Person("anna", "adjudicator")])


@pytest.mark.parametrize("name", ["", "../etc", "a b", "<b>", "a" * 65, "x\n"])
def test_a_name_that_could_be_taken_for_something_else_is_refused(name: str) -> None:
    with pytest.raises(UserError):
        AccessTokens(KEY, [JUDGE, Person(name, "annotator")])


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def folder(state: Path, tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


def test_a_key_is_made_once_and_is_its_owners_alone(folder: Path, state: Path) -> None:
    made = load_key(folder)
    assert load_key(folder) == made
    assert len(made) == 32
    assert key_file(folder).is_relative_to(state)
    assert key_file(folder).stat().st_mode & 0o777 == 0o600


def test_a_key_neither_lies_in_the_folder_nor_is_taken_from_it(folder: Path) -> None:
    (folder / ".csuite-serve.key").write_bytes(KEY)
    assert load_key(folder) != KEY
    assert [file.name for file in folder.iterdir()] == [".csuite-serve.key"]


def test_each_folder_has_a_key_of_its_own(folder: Path) -> None:
    (folder / "b").mkdir()
    assert load_key(folder) != load_key(folder / "b")


def test_a_folder_has_one_key_however_it_is_reached(folder: Path) -> None:
    (folder.parent / "link").symlink_to(folder, target_is_directory=True)
    assert load_key(folder.parent / "link") == load_key(folder)


def test_a_damaged_key_is_told(folder: Path) -> None:
    load_key(folder)
    key_file(folder).write_bytes(b"short")
    with pytest.raises(UserError, match="this is not a key"):
        load_key(folder)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_key_that_others_can_read_is_refused(folder: Path, mode: int) -> None:
    load_key(folder)
    key_file(folder).chmod(mode)
    with pytest.raises(UserError, match="others can read this key"):
        load_key(folder)


def test_a_key_that_is_a_link_is_refused(folder: Path) -> None:
    load_key(folder)
    key_file(folder).rename(folder / "elsewhere")
    key_file(folder).symlink_to(folder / "elsewhere")
    with pytest.raises(UserError, match="the key cannot be read"):
        load_key(folder)


def test_many_who_begin_at_once_have_one_key(folder: Path, state: Path) -> None:
    together = Barrier(8)

    def begin(_: int) -> bytes:
        together.wait()
        return load_key(folder)

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(begin, range(8)))) == 1
    assert [file.name for file in key_file(folder).parent.iterdir()] == [key_file(folder).name], (
        "nothing is left behind"
    )


def test_a_crash_while_the_key_is_written_leaves_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as crashing:
        crashing.setattr(os, "link", crash)
        with pytest.raises(KeyboardInterrupt):
            load_key(folder)
    assert not key_file(folder).exists()
