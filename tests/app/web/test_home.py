"""The first page: what there is for whom."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.web.site import ANNA, JUDGE, open_site
from constraintsuite.app.web.access import Person
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.annotation.batch import write_batch
from experiments.tiny_suite import write_suite
from suites.annotation.small_batch import dishes, make_batch
from suites.annotation.test_kinds import SOUPS, TENTS


def entries(page: str) -> list[str]:
    """Lines of the lists, as they read."""
    return [" ".join(re.sub("<[^>]*>", " ", line).split()) for line in re.findall(r"<li>(.*)</li>", page)]


def test_a_thing_is_known_by_its_place_and_then_by_its_name(tmp_path: Path) -> None:
    for place in ("one", "two/again"):
        write_suite(tmp_path / place)
    listed = entries(open_site(tmp_path).visit().page("/"))
    assert listed[:2] == ["one tiny, 5 examples", "two/again tiny, 5 examples"]


def test_an_annotator_is_told_how_much_is_left(tmp_path: Path) -> None:
    make_batch(tmp_path)
    said = entries(open_site(tmp_path).visit(ANNA).page("/"))
    assert re.fullmatch(r"batch (\d+) of \1 left", said[0])


def test_an_adjudicator_is_told_that_nothing_waits(tmp_path: Path) -> None:
    make_batch(tmp_path)
    page = open_site(tmp_path).visit(JUDGE).page("/")
    assert entries(page) == ["batch no open disagreements"]
    assert "To rule on" in page
    assert "To judge" not in page


@pytest.mark.parametrize("person", [ANNA, JUDGE], ids=lambda person: person.role)
def test_proposals_are_work_of_the_owner_alone(tmp_path: Path, person: Person) -> None:
    write_jsonl(tmp_path / "proposals.jsonl", [SOUPS, TENTS])
    site = open_site(tmp_path)
    site.visit().post("/proposals/proposals.jsonl/answer", {"proposal": SOUPS.id, "seen": "0", "verdict": "accept"})
    assert (tmp_path / "proposals.jsonl.gold").is_dir()
    assert "proposals" not in site.visit(person).page("/")


def test_a_damaged_batch_hides_no_other(tmp_path: Path) -> None:
    make_batch(tmp_path)
    write_batch(tmp_path / "damaged", dishes())
    (tmp_path / "damaged" / "items.jsonl").write_text("{")
    said = entries(open_site(tmp_path).visit(ANNA).page("/"))
    assert said[0].startswith("batch ")
    assert said[1].startswith("damaged cannot be read: damaged/items.jsonl: changed or deleted")


def test_an_empty_folder_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my things").mkdir()
    page = open_site(tmp_path / "my things").visit().page("/")
    assert "<code>csuite quickstart --out &#39;my things/quickstart&#39;</code>" in page
