"""Rulings on pages: one disagreement at a time, without names; nothing typed is lost, and all can be thought over."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path

import pytest

from app.web.queueing import chosen_in
from app.web.site import ANNA, BEN, JUDGE, OWNER, PEOPLE, OpenSite, Visitor, open_site
from constraintsuite.app.web.access import Person
from constraintsuite.suites.annotation.batch import AnnotationBatch, AnnotationTask
from constraintsuite.suites.annotation.current_answers import current_answers
from constraintsuite.suites.annotation.records import AnnotationEvent, AnswerValue, EventDraft
from suites.annotation.small_batch import START, answer_all, make_batch

RULINGS = "/batch/batch/rulings"
REASON = "The text says so in its first sentence."
OTHER = Person("jo", "adjudicator")
DISHES = ("dish-1", "dish-3", "dish-4")


def differing(task: AnnotationTask) -> dict[str, AnswerValue]:
    return {"satisfies": "second" if task.item.id in DISHES else "first", "fit": "well"}


@pytest.fixture
def batch(tmp_path: Path) -> AnnotationBatch:
    """anna and ben differ on three dishes."""
    made = make_batch(tmp_path)
    answer_all(made, ANNA.name)
    answer_all(made, BEN.name, differing)
    return made


@pytest.fixture
def site(batch: AnnotationBatch) -> OpenSite:
    return open_site(batch.path.parent, (*PEOPLE, OTHER))


@pytest.fixture
def judge(site: OpenSite) -> Visitor:
    return site.visit(JUDGE)


def at(dish: str) -> str:
    return f"{RULINGS}?item={dish}&question=satisfies"


def form_of(page: str, answer: str = "first", reason: str = REASON) -> dict[str, str]:
    fields = {name: re.findall(rf'name="{name}" value="([^"]*)"', page)[0] for name in ("item", "question", "seen")}
    return {**fields, "answer.satisfies": answer, "reason": reason}


def back_form(page: str) -> dict[str, str]:
    assert "Withdraw this ruling" in page
    return {
        **{name: value for name, value in form_of(page).items() if name in ("item", "question", "seen")},
        "act": "back",
    }


def keep(visitor: Visitor, dish: str, answer: str = "first", reason: str = REASON) -> str:
    return visitor.post(RULINGS, form_of(visitor.page(at(dish)), answer, reason)).headers["location"]


def ruling_on(batch: AnnotationBatch, dish: str) -> AnnotationEvent | None:
    return current_answers(batch.store.events()).rulings.get((dish, "satisfies"))


def links_in(page: str) -> list[str]:
    return [unescape(link) for link in re.findall(r'href="([^"]*[?]item=[^"]*)"', page)]


def test_all_that_waits_is_listed_without_names(judge: Visitor) -> None:
    page = judge.main(RULINGS)
    assert "3 open disagreements" in page
    assert links_in(page) == [at("dish-1"), *map(at, DISHES)], "the first is where one begins"
    assert not re.search("anna|ben|dish 2", page)


def test_one_is_shown_with_what_was_said_of_it(judge: Visitor) -> None:
    page = judge.main(at("dish-3"))
    assert "dish 3 without nuts" in page
    assert sorted(re.findall(r"<li><strong>(\w+)</strong>", page)) == ["first", "second"]
    assert "2 of 3 disagreements; 3 wait" in page
    assert links_in(page) == [at("dish-1"), at("dish-4")]
    assert not re.search("anna|ben", page)


def test_a_ruling_is_kept_with_its_reason_and_the_next_is_shown(batch: AnnotationBatch, judge: Visitor) -> None:
    location = keep(judge, "dish-3")
    ruling = ruling_on(batch, "dish-3")
    assert ruling is not None
    assert (ruling.value, ruling.note, ruling.annotator) == ("first", REASON, JUDGE.name)
    assert location == f"{at('dish-4')}&told=kept"
    assert "Your ruling is saved." in judge.page(location)
    assert keep(judge, "dish-4") == f"{at('dish-1')}&told=kept", "from the beginning once more"
    last = judge.page(keep(judge, "dish-1"))
    assert "No disagreement is open" in last
    assert "Your ruling is saved." in last


def test_what_was_ruled_is_shown_and_can_be_corrected(batch: AnnotationBatch, judge: Visitor) -> None:
    keep(judge, "dish-1")
    listed = judge.page(RULINGS)
    assert f'<strong>first</strong>, by you. <span dir="auto">{REASON}' in listed
    page = judge.page(at("dish-1"))
    assert chosen_in(page) == {("satisfies", "first")}
    assert f">\n{REASON}</textarea>" in page
    keep(judge, "dish-1", "neither", "Neither of the two texts says so.")
    ruling = ruling_on(batch, "dish-1")
    assert ruling is not None
    assert (ruling.value, ruling.note) == ("neither", "Neither of the two texts says so.")


def test_a_ruling_that_is_taken_back_waits_again_and_is_still_filled_in(batch: AnnotationBatch, judge: Visitor) -> None:
    keep(judge, "dish-1", "both")
    location = judge.post(RULINGS, back_form(judge.page(at("dish-1")))).headers["location"]
    assert ruling_on(batch, "dish-1") is None
    page = judge.page(location)
    assert "the item waits for a ruling again." in page
    assert "Ruled:" not in page
    assert chosen_in(page) == {("satisfies", "both")}
    assert f">\n{REASON}</textarea>" in page
    assert "3 open disagreements" in judge.page(RULINGS)


def test_who_ruled_last_can_take_it_back_from_the_next_page(
    batch: AnnotationBatch, judge: Visitor, site: OpenSite
) -> None:
    page = judge.page(keep(judge, "dish-1"))
    assert "Withdraw this ruling" not in page
    assert "Withdraw my last ruling" in page
    assert "Withdraw" not in site.visit(OTHER).page(at("dish-3")), "it is not theirs"
    undo = form_of(page.partition('id="undo"')[2])
    assert "the item waits for a ruling again" in judge.page(
        judge.post(RULINGS, {**undo, "act": "back"}).headers["location"]
    )
    assert ruling_on(batch, "dish-1") is None


def test_another_adjudicator_sees_a_ruling_and_not_whose_it_is(site: OpenSite, judge: Visitor) -> None:
    keep(judge, "dish-1")
    page = site.visit(OTHER).main(at("dish-1"))
    assert "by another adjudicator" in page
    assert JUDGE.name not in page


@pytest.mark.parametrize(
    ("answer", "reason", "told"),
    [
        ("first", "short", "needs a reason"),
        ("first", "x" * 2_001, "10 to 2,000 characters; there are 2,001"),
        ("third", REASON, "is not an answer here"),
        ("", REASON, "is not an answer"),
    ],
)
def test_what_is_no_ruling_is_told_and_not_lost(
    batch: AnnotationBatch, judge: Visitor, answer: str, reason: str, told: str
) -> None:
    before = batch.store.events()
    page = judge.post(RULINGS, form_of(judge.page(at("dish-3")), answer, reason), 422).text
    assert told in page
    assert f">\n{reason}</textarea>" in page
    assert batch.store.events() == before


def test_the_length_of_a_reason_is_said_beside_the_field(judge: Visitor) -> None:
    page = judge.page(at("dish-1"))
    assert "From 10 to 2,000 characters" in page
    assert 'minlength="10" maxlength="2000"' in page


def test_a_ruling_on_what_people_no_longer_say_is_told(batch: AnnotationBatch, judge: Visitor) -> None:
    form = form_of(judge.page(at("dish-3")), "both")
    batch.store.append([EventDraft(BEN.name, "dish-3", "satisfies", "neither")], START)
    page = judge.post(RULINGS, form, 409).text
    assert "Somebody has answered or ruled on this in the meantime" in page
    assert "<li><strong>neither</strong></li>" in page, "what counts now"
    assert chosen_in(page) == {("satisfies", "both")}
    assert ruling_on(batch, "dish-3") is None
    judge.post(RULINGS, {**form, "seen": form_of(page)["seen"]})
    assert ruling_on(batch, "dish-3") is not None


def test_a_correction_from_before_another_ruling_is_told(
    batch: AnnotationBatch, site: OpenSite, judge: Visitor
) -> None:
    keep(judge, "dish-1")
    old = judge.page(at("dish-1"))
    keep(site.visit(OTHER), "dish-1", "neither", "Neither of the two texts says so.")
    page = judge.post(RULINGS, form_of(old, "both"), 409).text
    assert "Ruled: neither" in page
    judge.post(RULINGS, back_form(old), 409)
    ruling = ruling_on(batch, "dish-1")
    assert ruling is not None
    assert ruling.value == "neither"


def test_where_nobody_differs_any_more_the_reason_is_not_lost(batch: AnnotationBatch, judge: Visitor) -> None:
    form = form_of(judge.page(at("dish-3")))
    batch.store.append([EventDraft(BEN.name, "dish-3", "satisfies", "first")], START)
    page = judge.post(RULINGS, form, 422).text
    assert "there is no disagreement here" in page
    assert f'You wrote: <span dir="auto">{REASON}' in page


def test_a_ruling_that_lapsed_is_told_with_its_reason(batch: AnnotationBatch, judge: Visitor) -> None:
    keep(judge, "dish-3")
    batch.store.append([EventDraft(BEN.name, "dish-3", "satisfies", "neither")], START)
    page = judge.page(at("dish-3"))
    assert "Ruled before: first, by you." in page
    assert chosen_in(page) == set(), "other answers may need another ruling"


def test_of_many_rulings_at_once_one_is_kept_and_the_other_person_is_told(
    batch: AnnotationBatch, site: OpenSite
) -> None:
    form = form_of(site.visit(JUDGE).page(at("dish-3")))

    def send(person: Person) -> tuple[str, int]:
        visitor = site.visit(person)
        answer = visitor.client.post(RULINGS, data={**form, "guard": visitor.guard})
        return person.name, answer.status_code

    with ThreadPoolExecutor(8) as pool:
        sent = list(pool.map(send, [JUDGE, OTHER] * 4))
    ruling = ruling_on(batch, "dish-3")
    assert ruling is not None
    assert {(name, status) for name, status in sent} == {
        (person.name, 303 if person.name == ruling.annotator else 409) for person in (JUDGE, OTHER)
    }
    assert sum(event.kind == "ruling" for event in batch.store.events()) == 1


def test_who_has_judged_an_item_does_not_rule_on_it(batch: AnnotationBatch, judge: Visitor) -> None:
    form = form_of(judge.page(at("dish-3")))
    batch.store.append([EventDraft(JUDGE.name, "dish-3", "fit", "well")], START)
    page = judge.page(RULINGS)
    assert "2 open disagreements" in page
    assert "1 is not listed because you annotated" in page
    assert "<textarea" not in judge.page(at("dish-3"))
    assert "has judged this item" in judge.post(RULINGS, form, 422).text


@pytest.mark.parametrize(
    "place", ["item=decoy&question=satisfies", "item=dish-1&question=x", "item=x&question=satisfies", "item="]
)
def test_what_cannot_be_ruled_on_has_no_page(judge: Visitor, place: str) -> None:
    judge.get(f"{RULINGS}?{place}", 404)


def test_an_owner_reads_who_ruled_what_and_rules_nothing(
    batch: AnnotationBatch, site: OpenSite, judge: Visitor
) -> None:
    keep(judge, "dish-1")
    owner, before = site.visit(OWNER), batch.store.events()
    page = owner.main(RULINGS)
    assert "2 open disagreements" in page
    assert f"<strong>first</strong>, by {JUDGE.name}." in page
    assert "<form" not in page + owner.main(at("dish-1")) + owner.main(at("dish-3"))
    owner.post(RULINGS, form_of(judge.page(at("dish-3"))), 403)
    owner.post(RULINGS, back_form(judge.page(at("dish-1"))), 403)
    assert batch.store.events() == before


def test_without_an_adjudicator_the_owner_is_told_how_to_name_one(batch: AnnotationBatch, site: OpenSite) -> None:
    alone = open_site(batch.path.parent, (OWNER, ANNA)).visit(OWNER).page(RULINGS)
    assert f"csuite serve {batch.path.parent} --adjudicator NAME" in alone
    page = site.visit(OWNER).page(RULINGS)
    assert "--adjudicator" not in page
    assert f"Adjudicators: {JUDGE.name}, {OTHER.name}." in page


def test_many_are_listed_on_several_pages(tmp_path: Path) -> None:
    batch = make_batch(tmp_path, 120)
    answer_all(batch, ANNA.name)
    answer_all(batch, BEN.name, lambda task: {"satisfies": "both"})
    judge = open_site(tmp_path).visit(JUDGE)
    pages = [judge.main(f"{RULINGS}?page={number}") for number in (1, 2, 3)]
    assert [page.count("<li><a") for page in pages] == [50, 50, 20]


def test_a_read_only_site_takes_no_ruling(batch: AnnotationBatch) -> None:
    judge = open_site(batch.path.parent, read_only=True).visit(JUDGE)
    assert "<form" not in judge.main(at("dish-1"))
    judge.post(RULINGS, {"item": "dish-1", "question": "satisfies", "answer.satisfies": "first", "reason": REASON}, 403)
    assert ruling_on(batch, "dish-1") is None
