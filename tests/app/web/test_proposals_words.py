"""Reworded proposals: what their new words would give is looked up where the documents are at hand, and said at once."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from app.web.site import OpenSite, open_site
from app.web.test_proposals import PLACE, answer, tally
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.queries.records import Snippet
from experiments.tiny_suite import write_suite
from suites.annotation.test_kinds import SOUPS, TENTS

QUOTED = (Snippet("d1", "affirms", "A soup finished with cream."),)
DOCUMENTS = (
    Document("d1", "A soup finished with cream. It is hearty.", "Leek soup"),
    Document("d2", "A hearty broth made without cream."),
)


@pytest.fixture
def site(tmp_path: Path) -> OpenSite:
    write_jsonl(tmp_path / "food" / "proposals.jsonl", [replace(SOUPS, evidence=QUOTED), TENTS])
    return open_site(tmp_path)


def add_suite(site: OpenSite, *documents: Document) -> None:
    """A suite with the documents that it was built from."""
    suite = write_suite(site.shelf.root / "suite")
    write_jsonl(suite / "stages" / "documents" / "part-00000.jsonl", documents)


def card(site: OpenSite) -> str:
    """What is said of the soups."""
    page = unescape(site.visit().page(PLACE))
    return page[page.index(f'id="{SOUPS.id}"') : page.index("<form", page.index(f'id="{SOUPS.id}"'))]


def test_a_topic_that_no_document_has_is_told_and_counts_for_nothing(site: OpenSite) -> None:
    add_suite(site, *DOCUMENTS)
    owner = site.visit()
    answer(owner, TENTS.id)
    answer(owner, SOUPS.id, topic="zzsoups")
    assert "No document with the topic “zzsoups”: this would give no examples." in card(site)
    assert tally(owner)["accepted"] == (2, 3), "only those of the tents"
    assert "this would give no examples" in unescape(owner.page(f"{PLACE}/approved"))


def test_a_topic_that_documents_have_gets_a_new_estimate(site: OpenSite) -> None:
    add_suite(site, *DOCUMENTS)
    answer(site.visit(), SOUPS.id, topic="hearty soups")
    assert "affirm Y 1 of 1 are on this topic, of those that deny it 1 of 1" in card(site)
    assert "about 1 examples" in card(site)


@pytest.mark.parametrize("documents", [(), (Document("d1", "Another corpus."), Document("d2", "With the same ids."))])
def test_without_its_documents_nothing_is_promised(site: OpenSite, documents: tuple[Document, ...]) -> None:
    add_suite(site, *documents)
    owner = site.visit()
    answer(owner, SOUPS.id, topic="broths")
    assert "examples not known" in card(site)
    assert "No sentence quoted here holds the words of the topic “broths”" in card(site)
    assert tally(owner)["accepted"] == (1, 0)
    assert "not known for 1 reworded" in owner.page(PLACE)


def test_a_value_that_no_document_says_is_told_and_counts_for_nothing(site: OpenSite) -> None:
    add_suite(site, *DOCUMENTS)
    owner = site.visit()
    answer(owner, SOUPS.id, value="saffron")
    assert "None of its documents says “saffron”: this would give no examples." in card(site)
    assert tally(owner)["accepted"] == (1, 0)


def test_a_proposal_that_nothing_can_be_set_against_is_told_when_it_is_accepted(site: OpenSite) -> None:
    write_jsonl(site.shelf.root / "food" / "proposals.jsonl", [replace(SOUPS, satisfying=()), TENTS])
    owner = site.visit()
    assert "no examples" not in card(site)
    answer(owner, SOUPS.id)
    assert "Nothing to set against it: no document denies “cream”" in card(site)


def test_an_approval_that_lies_elsewhere_is_not_read_and_a_damaged_one_hides_no_other(
    site: OpenSite, tmp_path_factory: pytest.TempPathFactory
) -> None:
    owner, food = site.visit(), site.shelf.root / "food"
    answer(owner, SOUPS.id)
    owner.post(f"{PLACE}/approved")
    secret = tmp_path_factory.mktemp("outside") / "secret"
    secret.write_text('{"password": "hunter2"}')
    (food / "proposals.approved-2.jsonl").symlink_to(secret)
    (food / "proposals.approved-3.jsonl").write_text("{")
    page = unescape(owner.page(f"{PLACE}/approved"))
    assert "hunter2" not in page
    assert "approved-2" not in page
    assert "cannot be read: food/proposals.approved-3.jsonl:1:" in page
    assert "--approved" in page, "the first is still offered"
