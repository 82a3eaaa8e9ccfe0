"""A queue on a page: one item at a time, and no answer is ever wrong, lost or given twice."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.web.queueing import GOOD, QUEUE, chosen_in, first_row, form_of, row_of, said_by_anna, values_of
from app.web.site import ANNA, BEN, JUDGE, Visitor, open_site
from constraintsuite.app.web.annotator_session import count_waiting
from constraintsuite.suites.annotation.batch import AnnotationBatch, tasks_of, write_batch
from constraintsuite.suites.annotation.current_answers import current_answers
from constraintsuite.suites.annotation.records import AnnotationQuestion, EventDraft
from suites.annotation.small_batch import START, answer_all, dishes, make_batch


@pytest.fixture
def batch(tmp_path: Path) -> AnnotationBatch:
    return make_batch(tmp_path)


@pytest.fixture
def anna(batch: AnnotationBatch) -> Visitor:
    return open_site(batch.path.parent).visit(ANNA)


def test_items_come_in_the_order_and_with_the_sides_of_the_queue(batch: AnnotationBatch, anna: Visitor) -> None:
    for task in tasks_of(batch, ANNA.name):
        location = anna.get(QUEUE, 303).headers["location"]
        assert row_of(location) == task.row
        page = anna.page(location)
        shown = task.shown()
        assert (
            page.index(shown["query"]) < page.index(shown["first"]) < page.index(shown["second"], page.index("second<"))
        )
        anna.post(f"{QUEUE}/answer", form_of(anna, task.row))
    assert "You have answered all 7 items" in anna.page(QUEUE)


def test_an_answer_is_kept_in_the_terms_of_the_item(batch: AnnotationBatch, anna: Visitor) -> None:
    turned = next(task for task in tasks_of(batch, ANNA.name) if task.turned)
    anna.post(f"{QUEUE}/answer", {**form_of(anna, turned.row, fluent="first; second", units="u2 u1"), "note": "odd ☃"})
    said = current_answers(batch.store.events())
    assert said.of(turned.item.id, "satisfies")[ANNA.name].value == "second"
    assert said.of(turned.item.id, "fluent")[ANNA.name].value == ("first", "second")
    assert said.of(turned.item.id, "units")[ANNA.name].value == ("u1", "u2")
    assert {event.note for event in batch.store.events()} == {"odd ☃"}


def test_what_was_answered_is_shown_again_as_it_was_given(batch: AnnotationBatch, anna: Visitor) -> None:
    turned = next(task for task in tasks_of(batch, ANNA.name) if task.turned)
    anna.post(f"{QUEUE}/answer", {**form_of(anna, turned.row, fluent="second", remark="fine"), "note": "see again"})
    page = anna.page(f"{QUEUE}?row={turned.row}")
    assert chosen_in(page) == {("satisfies", "first"), ("fit", "well"), ("fluent", "second")}
    assert ">\nfine</textarea>" in page
    assert ">\nsee again</textarea>" in page


def test_a_form_that_is_sent_twice_counts_once(batch: AnnotationBatch, anna: Visitor) -> None:
    form = form_of(anna, first_row(anna))
    first, second = (anna.post(f"{QUEUE}/answer", form).headers["location"] for _ in range(2))
    assert first == second
    assert len(batch.store.events()) == 2


def test_twenty_at_once_leave_one_answer_and_tell_the_others(batch: AnnotationBatch) -> None:
    site = open_site(batch.path.parent)
    row = first_row(site.visit(ANNA))
    forms = [form_of(site.visit(ANNA), row, fit=fit) for fit in ("badly", "well") for _ in range(10)]
    with ThreadPoolExecutor(8) as pool:
        statuses = list(
            pool.map(
                lambda form: (
                    site.visit(ANNA)
                    .client.post(f"{QUEUE}/answer", data={**form, "guard": site.door.guard(ANNA)})
                    .status_code
                ),
                forms,
            )
        )
    assert sorted(statuses) == [303] * 10 + [409] * 10
    assert len(batch.store.events()) == 2


def test_a_form_from_before_another_answer_is_told_and_nothing_changes(batch: AnnotationBatch, anna: Visitor) -> None:
    row = first_row(anna)
    old, other = form_of(anna, row), form_of(anna, row, satisfies="both")
    anna.post(f"{QUEUE}/answer", old)
    page = anna.post(f"{QUEUE}/answer", other, 409).text
    assert "answered this item in the meantime" in page
    assert said_by_anna(batch, row)["satisfies"] == "first"
    assert ("satisfies", "both") in chosen_in(page), "what was given is not lost"


def test_after_it_was_told_the_same_answer_can_be_kept(batch: AnnotationBatch, anna: Visitor) -> None:
    row = first_row(anna)
    old, other = form_of(anna, row), form_of(anna, row, satisfies="both")
    anna.post(f"{QUEUE}/answer", old)
    page = anna.post(f"{QUEUE}/answer", other, 409).text
    anna.post(f"{QUEUE}/answer", {**other, "seen": values_of(page, "seen")})
    assert said_by_anna(batch, row)["satisfies"] == "both"


def test_a_form_from_before_an_undo_is_told(batch: AnnotationBatch, anna: Visitor) -> None:
    row = first_row(anna)
    form = form_of(anna, row)
    anna.post(f"{QUEUE}/answer", form)
    anna.post(f"{QUEUE}/undo", {"row": row, "last": values_of(anna.page(f"{QUEUE}?row={row}"), "last")})
    anna.post(f"{QUEUE}/answer", form, 409)
    assert said_by_anna(batch, row) == {}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"answer.satisfies": "third"}, "&#39;third&#39; is not an answer here"),
        ({"answer.satisfies": ""}, "satisfies: there is no answer"),
        ({"answer.fluent": ["first", "none"]}, "is not an answer here"),
        ({"answer.fluent": ["first", "first"]}, "names something twice"),
        ({"answer.units": "u9"}, "is not an answer here"),
        ({"answer.remark": "x" * 10_001}, "10,000 are the most"),
        ({"note": "x" * 2_001}, "2,000 are the most"),
    ],
)
def test_what_is_no_answer_is_told_and_nothing_is_kept(
    batch: AnnotationBatch, anna: Visitor, change: dict[str, str], told: str
) -> None:
    form = form_of(anna, first_row(anna))
    page = anna.post(f"{QUEUE}/answer", {**form, **change}, 422).text
    assert told in page
    assert ("fit", "well") in chosen_in(page), "the rest is still filled in"
    assert batch.store.events() == []


@pytest.mark.parametrize("seen", ["", "x", "-1", "9" * 30, "²"])
def test_a_form_that_knows_of_nothing_that_was_is_stale(batch: AnnotationBatch, anna: Visitor, seen: str) -> None:
    anna.post(f"{QUEUE}/answer", {**form_of(anna, first_row(anna)), "seen": seen}, 409)
    assert batch.store.events() == []


def test_an_item_of_another_persons_queue_is_unknown(batch: AnnotationBatch, anna: Visitor) -> None:
    bens = tasks_of(batch, BEN.name)[0].row
    anna.get(f"{QUEUE}?row={bens}", 404)
    anna.post(f"{QUEUE}/answer", {"row": bens, "seen": "0", **GOOD}, 404)
    assert batch.store.events() == []


def test_undo_takes_back_the_whole_item_and_shows_it(batch: AnnotationBatch, anna: Visitor) -> None:
    first = first_row(anna)
    for _ in range(2):
        anna.post(f"{QUEUE}/answer", form_of(anna, first_row(anna)))
    second = tasks_of(batch, ANNA.name)[1].row
    form = {"row": first, "last": values_of(anna.page(f"{QUEUE}?row={first}"), "last")}
    location = anna.post(f"{QUEUE}/undo", form).headers["location"]
    assert row_of(location) == second
    assert "Undone" in anna.page(location)
    assert said_by_anna(batch, second) == {}
    assert said_by_anna(batch, first) == {"satisfies": "first", "fit": "well"}


def test_undo_of_a_change_brings_back_what_was_said_before(batch: AnnotationBatch, anna: Visitor) -> None:
    row = first_row(anna)
    for fit in ("well", "badly"):
        anna.post(f"{QUEUE}/answer", form_of(anna, row, fit=fit))
    form = {"row": row, "last": values_of(anna.page(f"{QUEUE}?row={row}"), "last")}
    page = anna.page(anna.post(f"{QUEUE}/undo", form).headers["location"])
    assert said_by_anna(batch, row) == {"satisfies": "first", "fit": "well"}
    assert "Your earlier answer counts again" in page
    form = {"row": row, "last": values_of(page, "last")}
    assert "no longer counts" in anna.page(anna.post(f"{QUEUE}/undo", form).headers["location"])


def test_what_was_taken_back_is_still_filled_in_and_does_not_count(batch: AnnotationBatch, anna: Visitor) -> None:
    turned = next(task for task in tasks_of(batch, ANNA.name) if task.turned)
    form = {**form_of(anna, turned.row, satisfies="second", fluent="first", remark="fine"), "note": "see again"}
    anna.post(f"{QUEUE}/answer", form)
    page = anna.page(f"{QUEUE}?row={turned.row}")
    back = {"row": turned.row, "last": values_of(page, "last")}
    location = anna.post(f"{QUEUE}/undo", back).headers["location"]
    page = anna.page(location)
    assert "It is still filled in, and counts again once you save it" in page
    assert chosen_in(page) == {("satisfies", "second"), ("fit", "well"), ("fluent", "first")}
    assert ">\nfine</textarea>" in page
    assert ">\nsee again</textarea>" in page
    assert said_by_anna(batch, turned.row) == {}
    assert "0 of 7 done" in page
    anna.post(f"{QUEUE}/answer", {**form, "seen": values_of(page, "seen")})
    assert said_by_anna(batch, turned.row)["satisfies"] == "second"
    assert "Undone" not in anna.page(location), "it counts again"


def test_an_address_that_says_undone_fills_in_nothing_that_was_not(batch: AnnotationBatch, anna: Visitor) -> None:
    page = anna.page(f"{QUEUE}?row={first_row(anna)}&told=undone")
    assert chosen_in(page) == set()
    assert "Undone" not in page


def test_the_heading_says_what_is_judged(batch: AnnotationBatch, anna: Visitor) -> None:
    assert "<h1>Judge dishes (batch)</h1>" in anna.page(f"{QUEUE}?row={first_row(anna)}")


def test_the_first_page_of_a_person_can_say_what_is_left(batch: AnnotationBatch) -> None:
    site = open_site(batch.path.parent)
    one = site.shelf.get("batch", "batch")
    assert count_waiting(site.shelf, one, ANNA) == (7, 7)
    answer_all(batch, ANNA.name)
    assert count_waiting(site.shelf, one, ANNA) == (0, 7)
    assert count_waiting(site.shelf, one, JUDGE) == (0, 0)
    answer_all(batch, BEN.name, lambda task: {"satisfies": "both"})
    batch.store.append([EventDraft("cy", "dish-1", "satisfies", "first", note="Since it is so.", kind="ruling")], START)
    assert count_waiting(site.shelf, one, JUDGE) == (5, 6)


def test_an_undo_that_is_sent_twice_takes_back_one_item(batch: AnnotationBatch, anna: Visitor) -> None:
    first = first_row(anna)
    for _ in range(2):
        anna.post(f"{QUEUE}/answer", form_of(anna, first_row(anna)))
    form = {"row": first, "last": values_of(anna.page(f"{QUEUE}?row={first}"), "last")}
    anna.post(f"{QUEUE}/undo", form)
    assert "Nothing was undone" in anna.page(anna.post(f"{QUEUE}/undo", form).headers["location"])
    assert said_by_anna(batch, first) == {"satisfies": "first", "fit": "well"}


def test_words_are_struck_out_by_leaving_none(batch: AnnotationBatch, anna: Visitor) -> None:
    row = first_row(anna)
    for remark in ("too long", ""):
        anna.post(f"{QUEUE}/answer", form_of(anna, row, remark=remark))
    assert said_by_anna(batch, row)["remark"] == ""


def test_what_is_count_waiting_later_comes_again_at_the_end(batch: AnnotationBatch, anna: Visitor) -> None:
    rows = [task.row for task in tasks_of(batch, ANNA.name)]
    location = anna.get(f"{QUEUE}?after={rows[0]}", 303).headers["location"]
    seen = []
    while "row=" in location:
        seen.append(row_of(location))
        location = anna.post(f"{QUEUE}/answer", form_of(anna, seen[-1])).headers["location"]
    assert seen == [*rows[1:], rows[0]]


def test_progress_and_the_time_that_is_left(batch: AnnotationBatch, anna: Visitor) -> None:
    tasks = tasks_of(batch, ANNA.name)
    for minute, task in enumerate(tasks[:3]):
        answers = [
            EventDraft(ANNA.name, task.item.id, name, value) for name, value in (("satisfies", "both"), ("fit", "well"))
        ]
        batch.store.append(answers, START.replace(minute=2 * minute))
    page = anna.page(f"{QUEUE}?row={tasks[3].row}")
    assert "3 of 7 done, about 8 minutes left. This is item 4." in page


def test_many_options_are_chosen_one_by_one(tmp_path: Path) -> None:
    question = AnnotationQuestion("which", "Which?", "choices", ("a", "b", "c"))
    batch = write_batch(tmp_path / "batch", dishes(1, questions=(question,)))
    anna = open_site(tmp_path).visit(ANNA)
    row = first_row(anna)
    page = anna.page(f"{QUEUE}?row={row}")
    assert page.count('type="checkbox"') == 4, "three, and none"
    anna.post(f"{QUEUE}/answer", {"row": row, "seen": "0", "answer.which": ["c", "a"]})
    assert json.dumps(said_by_anna(batch, row)) == '{"which": ["a", "c"]}'
    assert chosen_in(anna.page(f"{QUEUE}?row={row}")) == {("which", "a"), ("which", "c")}
