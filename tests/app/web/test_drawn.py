"""Where a batch is worked on: each kind on its own page, and one that is damaged in nobody's way."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.web.site import ANNA, JUDGE, OWNER, OpenSite, open_site
from constraintsuite.app.web.access import Person
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.annotation.batch import write_batch
from constraintsuite.suites.annotation.kinds.proposals import proposal_items, read_proposal_file
from experiments.tiny_suite import write_suite
from suites.annotation.small_batch import make_batch
from suites.annotation.test_kinds import CAKES, SOUPS


@pytest.fixture
def site(tmp_path: Path) -> OpenSite:
    """A suite with passages to write for, and proposals with a batch."""
    write_suite(tmp_path / "suite")
    file = tmp_path / "proposals.jsonl"
    write_jsonl(file, [SOUPS, CAKES])
    write_batch(tmp_path / "proposals.jsonl.gold", proposal_items(read_proposal_file(file)[:2], file))
    opened = open_site(tmp_path)
    opened.visit().post("/writing", {"suite": "suite", "size": "5", "seed": "0"})
    return opened


@pytest.mark.parametrize(
    ("person", "place", "target"),
    [
        (ANNA, "suite.writing", "/writing/suite.writing"),
        (OWNER, "suite.writing", "/writing/suite.writing/export"),
        (OWNER, "proposals.jsonl.gold", "/proposals/proposals.jsonl"),
        (ANNA, "proposals.jsonl.gold", "/batch/proposals.jsonl.gold?row="),
        (JUDGE, "proposals.jsonl.gold", "/batch/proposals.jsonl.gold/rulings"),
    ],
)
def test_a_batch_leads_each_person_to_their_page(site: OpenSite, person: Person, place: str, target: str) -> None:
    location = site.visit(person).get(f"/batch/{place}", 303).headers["location"]
    assert location.startswith(target)
    assert site.visit(person).client.get(location, follow_redirects=True).status_code == 200


@pytest.mark.parametrize("path", ["agreement", "rulings", "export"])
def test_there_is_nothing_to_judge_where_queries_are_written(site: OpenSite, path: str) -> None:
    assert "nothing to judge" in site.visit().get(f"/batch/suite.writing/{path}", 404).text


def test_an_adjudicator_is_told_so_too(site: OpenSite) -> None:
    judge = site.visit(JUDGE)
    location = judge.get("/batch/suite.writing", 303).headers["location"]
    assert "nothing to judge" in judge.get(location, 404).text
    assert "writing" not in judge.page("/")


def test_a_form_of_the_queue_is_not_taken_for_passages(site: OpenSite) -> None:
    site.visit(ANNA).post("/batch/suite.writing/answer", {"row": "r", "seen": "0"}, 404)


@pytest.mark.parametrize("person", [OWNER, ANNA], ids=["owner", "annotator"])
def test_the_first_page_leads_to_writing(site: OpenSite, person: Person) -> None:
    page = site.visit(person).page("/")
    assert '<a href="/writing">Queries</a>' in page
    assert "1 batch" in page
    assert "/batch/suite.writing" not in page


def test_nothing_waits_for_someone_new_to_an_empty_folder(tmp_path: Path) -> None:
    site = open_site(tmp_path)
    assert "There is no work for you at the moment." in site.visit(ANNA).page("/")
    assert "csuite quickstart" in site.visit().page("/")


def test_the_owner_comes_from_proposals_to_agreement_and_rulings(site: OpenSite) -> None:
    page = site.visit().page("/proposals/proposals.jsonl")
    assert 'href="/batch/proposals.jsonl.gold/agreement"' in page
    assert 'href="/batch/proposals.jsonl.gold/rulings"' in page


def test_proposals_that_were_changed_since_leave_the_state_of_the_batch(site: OpenSite) -> None:
    write_jsonl(site.shelf.root / "proposals.jsonl", [CAKES])
    assert "2 items of the kind proposals" in site.visit().page("/batch/proposals.jsonl.gold")


def test_only_batches_of_judgments_are_listed_as_drawn(site: OpenSite) -> None:
    owner = site.visit()
    owner.post("/sample/suite", {"size": "3", "seed": "0"})
    page = owner.page("/sample/suite")
    assert "/batch/suite.gold" in page
    assert "suite.writing" not in page


@pytest.mark.parametrize("file", ["batch.json", "items.jsonl"])
def test_a_damaged_batch_is_told_on_its_own_page_only(site: OpenSite, file: str) -> None:
    damaged = make_batch(site.shelf.root).path
    (damaged / file).write_text("{")
    owner = site.visit()
    assert file in owner.get("/batch/batch", 400).text
    for path in ("/", "/writing", "/sample/suite", "/proposals/proposals.jsonl"):
        owner.page(path)


@pytest.mark.parametrize("path", ["/sample/.here", "/writing"])
def test_a_suite_that_is_served_itself_says_so_before_any_work(tmp_path: Path, path: str) -> None:
    owner = open_site(write_suite(tmp_path / "suite")).visit()
    page = owner.main(path)
    assert "Serve the folder above it" in page
    assert 'method="post"' not in page
    refused = 422 if path == "/writing" else 400
    told = owner.post(path, {"suite": ".here", "size": "3", "seed": "0"}, refused).text
    assert "Serve the folder above it" in told
    assert [one.name for one in tmp_path.iterdir()] == ["suite"]


def test_a_batch_that_is_served_itself_can_be_judged_but_not_exported(tmp_path: Path) -> None:
    site = open_site(make_batch(tmp_path).path)
    anna = site.visit(ANNA)
    anna.page(anna.get("/batch/.here", 303).headers["location"])
    assert "Serve the folder above it" in site.visit().page("/batch/.here/export")
    assert "Serve the folder above it" in site.visit().post("/batch/.here/export", status=400).text
