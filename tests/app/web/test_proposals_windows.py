"""Proposals in two windows: what one of them does not know of is told, and not struck out."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest

from app.web.site import OpenSite, open_site
from app.web.test_proposals import PLACE, answer, approved, seen_in, tally
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.annotation.batch import open_batch
from constraintsuite.suites.annotation.kinds.proposals import words_of
from constraintsuite.suites.annotation.records import EventDraft
from suites.annotation.small_batch import START
from suites.annotation.test_kinds import SOUPS, TENTS


@pytest.fixture
def site(tmp_path: Path) -> OpenSite:
    write_jsonl(tmp_path / "food" / "proposals.jsonl", [SOUPS, TENTS])
    return open_site(tmp_path)


def test_a_window_that_knows_of_no_rewording_strikes_none_out(site: OpenSite) -> None:
    owner = site.visit()
    mined = words_of(SOUPS)
    stale = {"proposal": SOUPS.id, "seen": seen_in(owner.page(PLACE), SOUPS.id), "verdict": "accept", **mined}
    answer(owner, SOUPS.id, topic="stews", query="stews lacking cream")
    events = open_batch(site.shelf.root / "food" / "proposals.jsonl.gold").store.events()
    page = owner.post(f"{PLACE}/answer", stale, 409).text
    assert "was answered in the meantime" in page
    assert "stews lacking cream" in page
    assert open_batch(site.shelf.root / "food" / "proposals.jsonl.gold").store.events() == events
    owner.post(f"{PLACE}/answer", {**stale, "seen": seen_in(page, SOUPS.id)})
    assert "stews lacking cream" not in owner.page(PLACE)


def test_words_that_are_refused_do_not_make_a_window_know_more(site: OpenSite) -> None:
    owner = site.visit()
    stale = {"proposal": SOUPS.id, "seen": "0", "verdict": "accept"}
    answer(owner, SOUPS.id, topic="stews")
    page = owner.post(f"{PLACE}/answer", {**stale, "topic": " "}, 422).text
    owner.post(f"{PLACE}/answer", {**stale, "seen": seen_in(page, SOUPS.id), "topic": "broths"}, 409)
    assert "stews" in owner.page(PLACE)


def test_what_others_said_meanwhile_is_shown_first(site: OpenSite) -> None:
    owner = site.visit()
    answer(owner, TENTS.id)
    batch = open_batch(site.shelf.root / "food" / "proposals.jsonl.gold")
    batch.store.append([EventDraft("anna", SOUPS.id, "verdict", "reject")], START)
    owner.post(f"{PLACE}/answer", {"proposal": SOUPS.id, "seen": "0", "verdict": "accept"}, 409)
    assert tally(owner)["rejected"] == (1, 3)


def test_words_that_differ_are_told_with_whose_they_are_and_decide_nothing(site: OpenSite) -> None:
    owner = site.visit()
    answer(owner, TENTS.id)
    batch = open_batch(site.shelf.root / "food" / "proposals.jsonl.gold")
    said = {"verdict": "accept", "topic_reworded": "stews", "query_reworded": "stews without cream"}
    batch.store.append([EventDraft("anna", SOUPS.id, question, value) for question, value in said.items()], START)
    answer(owner, SOUPS.id, topic="broths", query="broths lacking cream")
    page = unescape(owner.page(PLACE))
    assert tally(owner)["people differ"][0] == 1
    assert "anna: accept (topic “stews”, query “stews without cream”)" in page
    assert "olga: accept (topic “broths”" in page
    assert 'name="topic" value="broths"' in page, "one's own words are not lost"
    owner.post(f"{PLACE}/approved")
    assert approved(site)[SOUPS.id] == SOUPS


def test_a_rejection_that_came_too_late_opens_no_words(site: OpenSite) -> None:
    owner = site.visit()
    mined = words_of(SOUPS)
    stale = {"proposal": SOUPS.id, "seen": "0", "verdict": "reject", **mined}
    answer(owner, SOUPS.id, topic="stews")
    page = owner.post(f"{PLACE}/answer", stale, 409).text
    assert "was answered in the meantime" in page
    assert "words that you sent" not in page
    assert '<details class="reword" open' not in page
    page = owner.post(f"{PLACE}/answer", {**stale, "verdict": "accept", "topic": "broths"}, 409).text
    assert "The form below has the words that you sent." in page
    assert '<details class="reword" open' in page
