"""Approving proposals: verdicts and words are events beside the file, and a build takes what comes out."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from app.web.site import ANNA, JUDGE, OpenSite, Visitor, open_site
from constraintsuite.app.web.access import Person
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.suites.annotation.batch import open_batch, write_batch
from constraintsuite.suites.annotation.kinds.proposals import proposal_items, read_proposal_file
from constraintsuite.suites.annotation.records import EventDraft
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.queries.approval import check_approval
from constraintsuite.suites.queries.records import Proposal, Snippet
from constraintsuite.suites.recipe import AnalysisSettings, Recipe
from constraintsuite.suites.stages.queries import read_proposals as read_mined
from suites.annotation.small_batch import START
from suites.annotation.test_kinds import CAKES, COTTAGES, SOUPS, TENTS

PLACE = "/proposals/food/proposals.jsonl"
SAID = (
    Snippet("d1", "affirms", "A soup finished with cream."),
    Snippet("d2", "denies", "A soup made without cream <script>alert(1)</script>."),
)


@pytest.fixture
def site(tmp_path: Path) -> OpenSite:
    write_jsonl(tmp_path / "food" / "proposals.jsonl", [replace(SOUPS, evidence=SAID), TENTS, CAKES])
    return open_site(tmp_path)


def seen_in(page: str, proposal: str) -> str:
    """What the form of a proposal says is known."""
    found = re.search(rf'name="proposal" value="{proposal}"><input type="hidden" name="seen" value="([^"]*)"', page)
    assert found is not None
    return found[1]


def answer(owner: Visitor, proposal: str, verdict: str = "accept", **words: str) -> str:
    """Where one comes to afterwards, with the form as the page gives it."""
    sent = {"proposal": proposal, "seen": seen_in(owner.page(PLACE), proposal), "verdict": verdict, **words}
    location: str = owner.post(f"{PLACE}/answer", sent).headers["location"]
    return location


def tally(owner: Visitor) -> dict[str, tuple[int, int]]:
    """Proposals and examples by state, as the page tells them."""
    found = re.findall(r"<dt>([a-z ]+)</dt><dd>(\d+) <span class=\"soft\">about (\d+) examples", owner.page(PLACE))
    return {state: (int(count), int(examples)) for state, count, examples in found}


def approved(site: OpenSite, number: int = 1) -> dict[str, Proposal]:
    file = site.shelf.root / "food" / f"proposals.approved-{number}.jsonl"
    return {one.id: one for one in read_jsonl(file, Proposal)}


def test_evidence_is_marked_and_escaped(site: OpenSite) -> None:
    page = site.visit().page(PLACE)
    assert '<mark class="affirmed" title="affirmed">cream</mark>' in page
    assert '<mark class="cue" title="cue">without</mark> <mark class="negated" title="negated">cream</mark>' in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_a_limit_marks_its_value_and_offers_no_other(tmp_path: Path) -> None:
    quoted = Snippet("d1", "obeys", "It costs 640 pounds a week.")
    write_jsonl(tmp_path / "food" / "proposals.jsonl", [replace(COTTAGES, evidence=(quoted,))])
    page = open_site(tmp_path).visit().page(PLACE)
    assert 'It costs <mark class="evidence" title="evidence">640 pounds a week</mark>.' in page
    assert 'name="query"' in page
    assert 'name="value"' not in page
    assert "read as" not in page


def test_looking_writes_nothing(site: OpenSite) -> None:
    site.visit().page(PLACE)
    assert [path.name for path in (site.shelf.root / "food").iterdir()] == ["proposals.jsonl"]


def test_verdicts_are_events_of_a_batch_beside_the_file(site: OpenSite) -> None:
    owner = site.visit()
    assert tally(owner) == {"undecided": (3, 9), "accepted": (0, 0), "rejected": (0, 0)}
    answer(owner, SOUPS.id)
    answer(owner, TENTS.id, "reject")
    assert tally(owner) == {"undecided": (1, 3), "accepted": (1, 3), "rejected": (1, 3)}
    batch = open_batch(site.shelf.root / "food" / "proposals.jsonl.gold")
    assert [(event.annotator, event.item, event.value) for event in batch.store.events()] == [
        ("olga", SOUPS.id, "accept"),
        ("olga", TENTS.id, "reject"),
    ]


def test_the_same_verdict_twice_is_one_event_and_one_undo(site: OpenSite) -> None:
    owner = site.visit()
    answer(owner, SOUPS.id)
    owner.post(f"{PLACE}/answer", {"proposal": SOUPS.id, "seen": "0", "verdict": "accept"})  # pressed twice
    undo(owner)
    assert tally(owner)["accepted"] == (0, 0)


def undo(owner: Visitor) -> str:
    last = re.search(r'name="last" value="(\d+)"', owner.page(PLACE))
    assert last is not None
    location: str = owner.post(f"{PLACE}/undo", {"last": last[1]}).headers["location"]
    return location


def test_undo_takes_a_verdict_back_with_its_words(site: OpenSite) -> None:
    owner = site.visit()
    answer(owner, SOUPS.id, "reject")
    answer(owner, SOUPS.id, topic="stews", query="stews lacking cream")
    assert undo(owner) == f"{PLACE}?at={SOUPS.id}&told=undone#{SOUPS.id}"
    assert tally(owner)["rejected"] == (1, 3)
    assert "stews" not in owner.page(PLACE)
    undo(owner)
    assert undo(owner) == f"{PLACE}?told=nothing"


def test_an_undo_from_a_page_that_is_no_longer_true_is_told(site: OpenSite) -> None:
    owner = site.visit()
    answer(owner, SOUPS.id)
    assert owner.post(f"{PLACE}/undo", {"last": "0"}).headers["location"] == f"{PLACE}?told=stale"
    assert tally(owner)["accepted"] == (1, 3)


def test_queries_follow_a_reworded_topic_and_value(site: OpenSite) -> None:
    owner = site.visit()
    words = {"topic": "stews", "value": "double cream", "opposite": SOUPS.opposite, "query": SOUPS.query}
    answer(owner, SOUPS.id, "accept", **words)
    owner.post(f"{PLACE}/approved")
    soups = approved(site)[SOUPS.id]
    assert (soups.topic, soups.constraint.value) == ("stews", "double cream")
    assert (soups.opposite, soups.query) == ("stews with double cream", "stews without double cream")
    assert soups.constraint.forms == ("double cream", "double creams"), "what is cream alone does not count"


def test_a_reworded_query_brings_its_own_cue(site: OpenSite) -> None:
    owner = site.visit()
    answer(owner, SOUPS.id, "accept", query="soups lacking cream")
    owner.post(f"{PLACE}/approved")
    assert approved(site)[SOUPS.id].constraint.cue == "lacking"


@pytest.mark.parametrize(
    ("fields", "status", "message"),
    [
        ({"proposal": "soups-cream", "verdict": "perhaps"}, 422, "a verdict is accept or reject"),
        ({"proposal": "none", "verdict": "accept"}, 404, "no such proposal"),
        ({"proposal": "soups-cream", "verdict": "accept", "topic": "  "}, 422, "topic must hold a word"),
        (
            {"proposal": "soups-cream", "verdict": "accept", "query": "soups with cream"},
            422,
            "The query and its opposite are the same",
        ),
        ({"proposal": "soups-cream", "verdict": "accept", "value": "x" * 301}, 422, "at most 300 characters"),
    ],
)
def test_what_cannot_be_kept_changes_nothing(site: OpenSite, fields: dict[str, str], status: int, message: str) -> None:
    owner = site.visit()
    assert message in unescape(owner.post(f"{PLACE}/answer", {"seen": "0", **fields}, status).text)
    assert tally(owner)["undecided"] == (3, 9)
    assert [path.name for path in (site.shelf.root / "food").iterdir()] == ["proposals.jsonl"], "no batch either"


def test_words_that_are_refused_stay_in_the_form(site: OpenSite) -> None:
    owner = site.visit()
    words = {"topic": "stews", "query": 'with "cream"', "opposite": 'with "cream"'}
    fields = {"proposal": SOUPS.id, "verdict": "accept", **words}
    page = owner.post(f"{PLACE}/answer?q=soup", fields, 422).text
    card = page[page.index(f'id="{SOUPS.id}"') :]
    assert "The query and its opposite are the same" in card
    assert '<details class="reword" open>' in card
    shown = dict(re.findall(r'<input id="[^"]*" name="(\w+)" value="([^"]*)"', card))
    assert {name: unescape(shown[name]) for name in words} == words
    assert shown["value"] == SOUPS.constraint.value
    assert owner.get(f"{PLACE}/answer?q=soup", 303).headers["location"] == f"{PLACE}?q=soup"


def test_refused_words_are_told_where_the_proposal_is_not_shown(site: OpenSite) -> None:
    fields = {"proposal": SOUPS.id, "verdict": "accept", "topic": " ", "query": "stews, creamless"}
    page = site.visit().post(f"{PLACE}/answer?domain=travel", fields, 422).text
    assert "topic must hold a word" in page
    assert "stews, creamless" in page


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", ["soups-cream", "tents-poles", "cakes-nuts"]),
        ("state=accepted", ["tents-poles"]),
        ("state=undecided", ["soups-cream", "cakes-nuts"]),
        ("q=CREAM", ["soups-cream"]),
        ("q=finished+with", ["soups-cream"]),  # what documents say is searched too
        ("relation=contains&split=test&domain=food&status=doubtful", ["soups-cream", "tents-poles", "cakes-nuts"]),
        ("domain=travel", []),
        ("page=99", ["soups-cream", "tents-poles", "cakes-nuts"]),
        ("page=-1", ["soups-cream", "tents-poles", "cakes-nuts"]),
    ],
)
def test_filters_stand_in_the_address(site: OpenSite, query: str, shown: list[str]) -> None:
    owner = site.visit()
    answer(owner, TENTS.id)
    page = owner.page(f"{PLACE}?{query}")
    assert re.findall(r'<article class="proposal \w+" id="([^"]+)"', page) == shown


def test_after_a_verdict_one_comes_to_the_next_under_the_same_filter(tmp_path: Path) -> None:
    write_jsonl(
        tmp_path / "proposals.jsonl", [replace(SOUPS, id=f"p{n}", query=f"soups without {n}") for n in range(45)]
    )
    owner = open_site(tmp_path).visit()
    fields = {"proposal": "p19", "seen": "0", "verdict": "reject", "next": "p20"}
    found = owner.post("/proposals/proposals.jsonl/answer?page=1&q=soups", fields)
    assert found.headers["location"] == "/proposals/proposals.jsonl?at=p20&q=soups&page=2#p20"
    found = owner.post("/proposals/proposals.jsonl/answer?state=undecided&page=2", {**fields, "proposal": "p20"})
    assert found.headers["location"] == "/proposals/proposals.jsonl?state=undecided&page=2"


def test_each_file_for_a_build_has_a_new_name(site: OpenSite) -> None:
    owner = site.visit()
    assert "there is nothing to write" in owner.post(f"{PLACE}/approved", status=400).text
    answer(owner, SOUPS.id)
    owner.post(f"{PLACE}/approved")
    answer(owner, TENTS.id)
    owner.post(f"{PLACE}/approved")
    files = sorted(path.name for path in (site.shelf.root / "food").glob("*.jsonl"))
    assert files == ["proposals.approved-1.jsonl", "proposals.approved-2.jsonl", "proposals.jsonl"]
    assert [one.id for one in approved(site, 2).values() if one.status == "accepted"] == [SOUPS.id, TENTS.id]
    check_approval(site.shelf.root / "food" / files[0])
    page = owner.page(f"{PLACE}/approved")
    assert page.index(f"--approved {site.shelf.root}/food/{files[1]}") < page.index(files[0])
    assert len(site.shelf.of_kind("proposals")) == 1


def test_what_another_person_says_counts_too(site: OpenSite) -> None:
    file = site.shelf.root / "food" / "proposals.jsonl"
    items = proposal_items(read_proposal_file(file)[:2], file)
    batch = write_batch(site.shelf.root / "elsewhere", items)
    owner = site.visit()
    answer(owner, SOUPS.id)
    answer(owner, TENTS.id)
    batch.store.append([EventDraft("anna", SOUPS.id, "verdict", "reject")], START)
    assert not (file.parent / "proposals.jsonl.gold").exists()
    assert tally(owner) == {"undecided": (1, 3), "accepted": (1, 3), "rejected": (0, 0), "people differ": (1, 3)}
    assert "anna: reject, olga: accept" in owner.page(PLACE)
    assert (
        "is not among the proposals"
        in owner.post(f"{PLACE}/answer", {"proposal": CAKES.id, "verdict": "accept"}, 422).text
    )


def test_a_file_that_was_written_anew_begins_anew(site: OpenSite) -> None:
    owner = site.visit()
    answer(owner, SOUPS.id)
    write_jsonl(site.shelf.root / "food" / "proposals.jsonl", [CAKES])
    assert tally(owner)["undecided"] == (1, 3)
    answer(owner, CAKES.id)
    assert sorted(path.name for path in (site.shelf.root / "food").iterdir() if path.is_dir()) == [
        "proposals.jsonl.gold",
        "proposals.jsonl.gold-2",
    ]


@pytest.mark.parametrize("person", [ANNA, JUDGE], ids=["annotator", "adjudicator"])
def test_only_an_owner_sees_them(site: OpenSite, person: Person) -> None:
    visitor = site.visit(person)
    visitor.get(PLACE, 403)
    visitor.get(f"{PLACE}/approved", 403)
    visitor.post(f"{PLACE}/answer", {"proposal": SOUPS.id, "verdict": "accept"}, 403)
    visitor.post(f"{PLACE}/approved", status=403)
    visitor.post(f"{PLACE}/undo", status=403)


def test_a_read_only_site_shows_no_buttons(site: OpenSite) -> None:
    answer(site.visit(), SOUPS.id)
    owner = open_site(site.shelf.root, read_only=True).visit()
    assert 'method="post"' not in owner.main(PLACE) + owner.main(f"{PLACE}/approved")


def test_a_build_takes_what_was_approved(tmp_path: Path) -> None:
    recipe = Recipe(
        corpus=SourceSettings(source="sample", limit=25), analysis=AnalysisSettings(analyser="rules"), seed=0
    )
    stages = build_suite(recipe, tmp_path / "suite", reporter=Silent(), until="queries").path / "stages"
    proposals = read_mined(stages / "queries")
    write_jsonl(tmp_path / "proposals.jsonl", proposals)
    rejected, second = proposals[:2]
    owner = open_site(tmp_path).visit()
    place = "/proposals/proposals.jsonl"
    owner.post(f"{place}/answer", {"proposal": rejected.id, "seen": "0", "verdict": "reject"})
    reworded = f"{second.topic} lacking {second.constraint.value}"
    owner.post(f"{place}/answer", {"proposal": second.id, "seen": "0", "verdict": "accept", "query": reworded})
    owner.post(f"{place}/approved")
    given = recipe.model_copy(update={"approved": tmp_path / "proposals.approved-1.jsonl"})
    build_suite(given, tmp_path / "suite", reporter=Silent(), until="tagged")
    built = {example.proposal: example.query for example in read_examples(stages / "tagged")}
    assert built[second.id] == reworded
    assert rejected.id not in built
