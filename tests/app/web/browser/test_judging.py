"""Gold from beginning to end in a browser: drawn, judged by two people at once with the keyboard alone, ruled on, exported."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.pages.altered import with_document
from app.web.browser.conftest import Enter
from app.web.site import ANNA, BEN, JUDGE, OWNER
from constraintsuite.core.records.examples import Example
from constraintsuite.suites.annotation.batch import open_batch, tasks_of
from constraintsuite.suites.annotation.current_answers import current_answers
from experiments.tiny_suite import EXAMPLES, write_suite

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
COUNT = 9
"""With one decoy, 10 items; some may come again."""
AWKWARD = "soups without cream, number 5"
QUEUE = "/batch/suite.gold"
LONG = "Leeks, potatoes and stock, cooked slowly. " * 200


def numbered(number: int) -> Example:
    one = EXAMPLES[number % len(EXAMPLES)]
    return replace(one, id=f"e{number:02d}", couple="", clusters=(f"c{number}",), query=f"{one.query}, number {number}")


SUITE = [numbered(number) for number in range(COUNT)]
SATISFYING = {example.query: example.satisfying.text for example in SUITE}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("judging")
    write_suite(made / "suite", SUITE, ())
    return made


def judge(page: Page, awkward: str) -> None:
    """One item, by keys, without waiting for what comes next."""
    query = page.locator(".field.lead p").inner_text()
    first = page.get_by_role("group", name="first text").inner_text()
    for key in ("2" if query == awkward else "3", "1" if SATISFYING[query] == first else "2", "3", "3", "Enter"):
        page.keyboard.press(key)


def judge_together(pages: dict[Page, str]) -> None:
    """Each item of all at the same time, until all are done; of each person, the query they find awkward."""
    open_pages = dict(pages)
    while open_pages:
        before = {page: page.url for page in open_pages}
        for page, awkward in open_pages.items():
            judge(page, awkward)
        for page, url in before.items():
            page.wait_for_url(lambda now, url=url: now != url)  # type: ignore[misc]
        open_pages = {page: awkward for page, awkward in open_pages.items() if "?row=" in page.url}


def rule_by_keys(page: Page, key: str, reason: str) -> None:
    page.keyboard.press(key)
    page.keyboard.press("n")
    page.keyboard.type(reason)
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")


def test_two_people_judge_at_once_a_third_rules_and_the_owner_exports(enter: Enter, folder: Path) -> None:
    owner = enter(OWNER)
    owner.get_by_role("link", name="suite", exact=True).click()
    owner.get_by_role("link", name="Judge a sample").click()
    owner.get_by_label("Examples, at most").fill(str(COUNT))
    owner.get_by_role("button", name="Draw a batch").click()
    owner.wait_for_url(f"**{QUEUE}")
    batch = open_batch(folder / "suite.gold")

    anna, ben = enter(ANNA), enter(BEN)
    for page in (anna, ben):
        page.get_by_role("link", name="suite.gold").press("Enter")
        page.wait_for_selector(".question.current")  # the script has begun
    judge_together({anna: "", ben: AWKWARD})
    said = current_answers(batch.store.events())
    for person, page in ((ANNA, anna), (BEN, ben)):
        tasks = tasks_of(batch, person.name)
        assert len(tasks) >= COUNT + 1
        page.get_by_text(f"You have answered all {len(tasks)} items").wait_for()
        for task in tasks:
            assert all(person.name in said.of(task.item.id, question, task.copy) for question in batch.questions)

    owner.goto(owner.url + "/agreement?by=slice")
    owner.get_by_role("region", name="Table: agreement").get_by_text("natural").first.wait_for()

    ruler = enter(JUDGE)
    ruler.get_by_role("link", name="suite.gold").click()
    ruler.get_by_text("1 open disagreement").wait_for()
    ruler.get_by_role("link", name="Begin").click()
    ruler.wait_for_url("**/rulings?item=*")
    assert AWKWARD in ruler.locator("article").inner_text()
    assert ANNA.name not in ruler.locator("main").inner_text()
    rule_by_keys(ruler, "3", "Nobody would number their soups.")
    ruler.get_by_text("Your ruling is saved.").wait_for()
    ruler.get_by_text("No disagreement is open.").wait_for()
    ruler.keyboard.press("u")  # a slip: it was to be no
    ruler.get_by_text("the item waits for a ruling again").wait_for()
    assert ruler.get_by_label("Reason, in words").input_value() == "Nobody would number their soups."
    ruler.keyboard.press("1")
    ruler.keyboard.press("Enter")
    ruler.get_by_text("No disagreement is open.").wait_for()
    ruler.get_by_role("link", name=AWKWARD).click()
    ruler.get_by_text("Ruled: no").wait_for()
    ruler.keyboard.press("2")  # no, awkward
    ruler.keyboard.press("Enter")
    ruler.get_by_text("No disagreement is open.").wait_for()

    owner.goto(owner.url.partition("/agreement")[0])
    owner.get_by_role("link", name="Export").click()
    owner.get_by_role("button", name="Export").click()
    owner.get_by_text("suite.gold.export", exact=True).first.wait_for()
    lines = (folder / "suite.gold.export" / "gold.jsonl").read_text().splitlines()
    assert len(lines) == COUNT
    repaired = [json.loads(line) for line in (folder / "suite.gold.export" / "repair.jsonl").read_text().splitlines()]
    assert [one["id"] for one in repaired] == ["e05"]


def test_keys_undo_skip_note_and_help(enter: Enter, folder: Path) -> None:
    owner = enter(OWNER)
    owner.goto(f"{owner.url}sample/suite")
    owner.get_by_role("button", name="Draw a batch").click()
    owner.wait_for_url(f"**{QUEUE}-2")
    page = enter(ANNA)
    page.get_by_role("link", name="suite.gold-2").click()
    page.wait_for_selector(".question.current")
    first = page.url
    keys = page.keyboard
    keys.press("3")
    keys.press("2")
    keys.press("u")  # the last choice
    assert page.locator("input:checked").count() == 1
    keys.press("n")
    keys.type("1 odd thing")  # in a note, keys are letters
    keys.press("Escape")
    for key in "133":
        keys.press(key)
    keys.press("Enter")
    page.wait_for_url(lambda url: url != first)
    second = page.url
    keys.press("s")
    page.wait_for_url(lambda url: url not in (first, second))
    keys.press("u")  # nothing was chosen here, so what was kept last
    page.wait_for_url(lambda url: "told=undone" in url)
    assert page.url.startswith(first)
    page.get_by_text("Undone.").wait_for()
    assert page.locator("input:checked").count() == 4, "as it was filled in"
    assert page.get_by_label("Note").input_value() == "1 odd thing"
    keys.press("?")
    page.get_by_text("choose an option of the framed question").wait_for()
    events = open_batch(folder / "suite.gold-2").store.events()
    assert [event.kind for event in events] == ["answer"] * 4 + ["undo"] * 4
    assert {event.note for event in events if event.kind == "answer"} == {"1 odd thing"}


UNCOVERED = """() => {
  const one = document.activeElement, box = (one.closest("label") ?? one).getBoundingClientRect();
  const bottom = Math.min(box.bottom, box.top + 200) - 2; // of a tall text, where it begins
  const points = [box.top + 2, bottom].map((y) => document.elementFromPoint(box.left + box.width / 2, y));
  return points.every((found) => found && (one.closest("label") ?? one).contains(found));
}"""
"""Whether nothing lies over what has the focus, at its upper and its lower edge."""


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_that_has_the_focus_lies_under_the_bar(enter: Enter, folder: Path, width: int) -> None:
    owner = enter(OWNER)
    owner.goto(f"{owner.url}sample/suite")
    owner.get_by_label("Examples, at most").fill(str(COUNT))
    owner.get_by_role("button", name="Draw a batch").click()
    owner.wait_for_url("**/batch/suite.gold*")
    page = enter(ANNA, width=width)
    page.goto(owner.url)
    page.wait_for_selector(".question.current")
    for key in ("Tab", "Shift+Tab"):
        reached = set()
        for _ in range(24):
            page.keyboard.press(key)
            name = page.evaluate("document.activeElement.name || document.activeElement.className")
            reached.add(name)
            inside = page.evaluate("document.querySelector('form.judge')?.contains(document.activeElement)")
            assert not inside or page.evaluate(UNCOVERED), (key, name)
        assert {
            "answer.natural",
            "answer.satisfies",
            "answer.on_topic",
            "answer.grammatical",
            "note",
            "main",
        } <= reached


def test_an_item_can_be_kept_without_scrolling(enter: Enter, folder: Path) -> None:
    texts = [with_document(with_document(one, "satisfying", text=LONG), "violating", text=LONG) for one in SUITE[:3]]
    write_suite(folder / "long", texts, ())
    owner = enter(OWNER)
    owner.goto(f"{owner.url}sample/long")
    owner.get_by_role("button", name="Draw a batch").click()
    owner.wait_for_url("**/batch/long.gold")
    page = enter(ANNA)
    page.goto(owner.url)
    assert page.evaluate("document.documentElement.scrollHeight > innerHeight")
    box = page.get_by_role("button", name="Save and continue").bounding_box()
    assert box is not None
    assert 0 < box["y"] < box["y"] + box["height"] <= 800
