"""Copies of a suite: which one a run or a batch belongs to."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.web.site import Visitor, open_site
from app.web.test_runs import link
from constraintsuite.app.web.artifact_index import RUN
from constraintsuite.app.web.origins import families, family_of, proposals_of, suite_of, suite_of_run
from constraintsuite.experiments.load import remember_suite
from constraintsuite.suites.annotation.batch import read_head
from experiments.paired_runs import RIGHT, WRONG, make_run, make_suite


def tamper(suite: Path) -> None:
    """With as many bytes as before: a size tells nothing."""
    file = suite / "examples.jsonl"
    file.write_bytes(file.read_bytes().replace(b"without", b"withour"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A suite with two runs and a batch, between two copies of it."""
    suite = make_suite(tmp_path / "m suite", count=10)
    for name, outcomes in (("one", [RIGHT] * 10), ("two", [WRONG] * 10)):
        make_run(suite, tmp_path / name, name, outcomes)
        remember_suite(tmp_path / name, tmp_path / "m suite")
    open_site(tmp_path).visit().post("/sample/m%20suite", {"size": "5", "seed": "0"})
    for copy in ("a copy", "z copy"):
        shutil.copytree(tmp_path / "m suite", tmp_path / copy)
    return tmp_path


@pytest.fixture
def owner(folder: Path) -> Visitor:
    return open_site(folder).visit()


def test_a_run_belongs_to_the_suite_it_was_made_from(owner: Visitor) -> None:
    assert link(owner.page("/run/one"), "Suite") == "/suite/m%20suite"
    assert "/suite/m%20suite/example?" in owner.page("/run/one/examples")
    assert "/suite/m%20suite/example?" in owner.page("/compare?a=one&b=two")
    assert link(owner.page("/runs"), "Leaderboard") == "/runs?suite=m%20suite"


def test_a_run_made_from_a_copy_belongs_to_the_copy(folder: Path, owner: Visitor) -> None:
    remember_suite(folder / "two", folder / "z copy")
    assert link(owner.page("/run/two"), "Suite") == "/suite/z%20copy"
    assert link(owner.page("/run/one"), "Suite") == "/suite/m%20suite"


def test_a_batch_belongs_to_the_suite_beside_it(folder: Path) -> None:
    shelf = open_site(folder).shelf
    batch = shelf.get("m suite.gold", "batch")
    found = suite_of(shelf, read_head(batch.path), batch)
    assert found is not None
    assert found.place == "m suite"


def test_a_copy_that_was_tampered_with_captures_nothing(folder: Path, owner: Visitor) -> None:
    tamper(folder / "a copy")
    shutil.rmtree(folder / "z copy")
    for name in ("one", "two"):
        (folder / name / ".suite").unlink()
    assert link(owner.page("/run/one"), "Suite") == "/suite/m%20suite"
    owner.page("/compare?a=one&b=two")


def test_where_the_suite_itself_was_tampered_with_a_true_copy_serves(folder: Path, owner: Visitor) -> None:
    tamper(folder / "m suite")
    assert link(owner.page("/run/one"), "Suite") == "/suite/a%20copy"
    owner.page("/compare?a=one&b=two")


def test_a_place_that_holds_another_suite_is_not_it(folder: Path) -> None:
    make_suite(folder / "other", count=4)
    remember_suite(folder / "one", folder / "other")
    shelf = open_site(folder).shelf
    run = shelf.get("one", RUN)
    found = suite_of_run(shelf, family_of(shelf, run), run)
    assert found is not None
    assert found.place == "a copy"


def test_a_note_of_a_place_that_cannot_be_read_says_nothing(folder: Path) -> None:
    (folder / "one" / ".suite").write_bytes(b"\xff\xfe")
    shelf = open_site(folder).shelf
    assert [family.suites[0].place for family in families(shelf)] == ["m suite"]


def test_proposals_of_a_batch_are_those_beside_it(tmp_path: Path) -> None:
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "proposals.jsonl").write_text("{}")
    shelf = open_site(tmp_path).shelf
    content = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"  # of "{}"
    batch = tmp_path / "b" / "proposals.jsonl.gold"
    batch.mkdir()
    (batch / "batch.json").write_text(
        f'{{"kind":"proposals","source":"p {content}","seed":0,"repeats":0,"questions":[],"items_sha256":""}}'
    )
    one = shelf.get("b/proposals.jsonl.gold", "batch")
    found = proposals_of(shelf, read_head(batch), one)
    assert found is not None
    assert found.place == "b/proposals.jsonl"


def test_the_only_suite_is_none_if_it_was_changed(folder: Path, owner: Visitor) -> None:
    for copy in ("a copy", "z copy"):
        shutil.rmtree(folder / copy)
    tamper(folder / "m suite")
    assert 'href="/suite/m%20suite"' not in owner.main("/run/one")
    assert 'href="/suite/m%20suite"' not in owner.main("/batch/m%20suite.gold")
