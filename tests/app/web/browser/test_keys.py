"""Keys of the queue: none is taken for another question or another item than it was pressed for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.web.browser.conftest import Enter
from app.web.site import ANNA, BEN, JUDGE
from constraintsuite.suites.annotation.batch import AnnotationBatch, tasks_of
from constraintsuite.suites.annotation.current_answers import current_answers
from constraintsuite.suites.annotation.records import AnswerValue, EventDraft
from suites.annotation.small_batch import START, answer_all, make_batch

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
TYPED = ("4", "2", "Enter")
"""neither, so-so"""
GOOD = {"satisfies": "neither", "fit": "so-so"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys")


@pytest.fixture
def batch(folder: Path, request: pytest.FixtureRequest) -> AnnotationBatch:
    """One of its own for each test, so that nothing was answered in it."""
    return make_batch(folder / request.node.originalname, 8)


def queue_of(page: Page, batch: AnnotationBatch) -> None:
    page.goto(page.url + f"batch/{batch.path.parent.name}/batch")
    page.wait_for_selector(".question.current")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def said(batch: AnnotationBatch, number: int) -> dict[str, AnswerValue]:
    """What anna says of an item of her queue now, as it was shown to her."""
    task, found = tasks_of(batch, ANNA.name)[number], current_answers(batch.store.events())
    events = [found.of(task.item.id, question, task.copy).get(ANNA.name) for question in batch.questions]
    return {event.question: task.as_meant(event.value) for event in events if event is not None}


def test_keys_that_are_pressed_while_an_item_comes_are_for_that_item(enter: Enter, batch: AnnotationBatch) -> None:
    page = enter(ANNA)
    queue_of(page, batch)
    for _ in tasks_of(batch, ANNA.name):
        press(page, *TYPED)
    page.get_by_text("You have answered all 9 items").wait_for()
    assert [said(batch, number) for number in range(9)] == [GOOD] * 9


def test_words_that_are_typed_while_an_item_comes_stand_in_its_note(enter: Enter, batch: AnnotationBatch) -> None:
    page = enter(ANNA)
    queue_of(page, batch)
    press(page, *TYPED, "n", *"2 odd", "x", "Backspace", "Escape", *TYPED)
    page.get_by_text("2 of 9 done").wait_for()
    notes = {event.item: event.note for event in batch.store.events()}
    assert list(notes.values()) == ["", "2 odd"]
    assert said(batch, 1) == GOOD


def test_keys_change_what_was_answered_one_question_after_the_other(enter: Enter, batch: AnnotationBatch) -> None:
    page = enter(ANNA)
    queue_of(page, batch)
    press(page, *TYPED, "u")
    page.get_by_text("Undone.").wait_for()
    assert page.locator(".question.current").get_by_text("Which text does it?").count() == 1
    press(page, "3", "1", "Enter")
    page.get_by_text("1 of 9 done").wait_for()
    assert said(batch, 0) == {"satisfies": "both", "fit": "badly"}
    press(page, "b")
    page.get_by_text("You have answered this item").wait_for()
    press(page, "4", "Enter")
    page.wait_for_url(lambda url: "row=" in url and "told" not in url)
    page.get_by_text("This is item 2.").wait_for()
    assert said(batch, 0) == {"satisfies": "neither", "fit": "badly"}


def test_after_a_fault_keys_rest_until_it_was_read(enter: Enter, batch: AnnotationBatch) -> None:
    page = enter(ANNA)
    queue_of(page, batch)
    task = tasks_of(batch, ANNA.name)[0]
    batch.store.append([EventDraft(ANNA.name, task.item.id, "satisfies", "both")], START)  # another window
    press(page, *TYPED, *TYPED)
    page.get_by_text("Not saved.").wait_for()
    press(page, "1", "1", "Enter")
    press(page, "Escape", "Enter")
    page.get_by_text("This is item 2.").wait_for()
    assert said(batch, 0) == GOOD


@pytest.mark.parametrize("key", ["Control+u", "Alt+u", "Shift+Backspace", "Control+Backspace"])
def test_keys_with_others_held_down_are_the_browsers(enter: Enter, folder: Path, key: str) -> None:
    batch = make_batch(folder / f"modified-{key}", 2)
    answer_all(batch, ANNA.name)
    before = len(batch.store.events())
    page = enter(ANNA)
    page.goto(page.url + f"batch/modified-{key.replace('+', '%2B')}/batch")
    page.get_by_text("You have answered all").wait_for()
    press(page, key)
    page.wait_for_load_state("networkidle")
    assert len(batch.store.events()) == before
    press(page, "u")
    page.get_by_text("Undone.").wait_for()
    assert len(batch.store.events()) > before


def test_a_ruling_is_typed_at_once_and_the_next_is_ruled_on(enter: Enter, batch: AnnotationBatch) -> None:
    answer_all(batch, ANNA.name)
    answer_all(batch, BEN.name, lambda task: {"satisfies": "both" if task.item.id in ("dish-1", "dish-2") else "first"})
    page = enter(JUDGE)
    page.goto(page.url + f"batch/{batch.path.parent.name}/batch/rulings")
    page.get_by_role("link", name="Begin").click()
    for key in ("1", "3"):
        press(page, key, "n")
        page.keyboard.type("said in so many words")
        press(page, "Escape", "Enter")
    page.get_by_text("No disagreement is open.").wait_for()
    rulings = current_answers(batch.store.events()).rulings
    assert [(event.value, event.note) for event in rulings.values()] == [
        ("first", "said in so many words"),
        ("both", "said in so many words"),
    ]
    press(page, "u")
    page.get_by_text("the item waits for a ruling again").wait_for()
    assert len(current_answers(batch.store.events()).rulings) == 1


def test_going_back_shows_the_item_before(enter: Enter, batch: AnnotationBatch) -> None:
    page = enter(ANNA)
    queue_of(page, batch)
    press(page, *TYPED)
    page.get_by_text("This is item 2.").wait_for()
    page.go_back()
    page.get_by_text("This is item 1.").wait_for()
    page.get_by_text("You have answered this item").wait_for()
