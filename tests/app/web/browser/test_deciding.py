"""Proposals decided fast: no key is lost while an answer is on its way, and words are typed over those that stand there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.web.browser.conftest import Enter
from app.web.site import OWNER
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.annotation.batch import open_batch
from constraintsuite.suites.annotation.current_answers import current_answers
from suites.annotation.test_kinds import SOUPS

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
SLOW = "const ask = fetch; window.fetch = async (...what) => { await new Promise((go) => setTimeout(go, 300)); return ask(...what); };"
"""A server that is busy."""
PROPOSALS = [
    replace(SOUPS, id=f"p{n}", topic=f"soups{n}", opposite=f"soups{n} with cream", query=f"soups{n} without cream")
    for n in range(24)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("deciding")
    for name in ("fast", "slow", "words", "page", "mouse"):  # the same file twice would have one batch
        write_jsonl(made / name / "proposals.jsonl", [replace(one, domain=name) for one in PROPOSALS])
    return made


def open_proposals(enter: Enter, name: str, query: str = "", *, slow: bool = False) -> Page:
    page = enter(OWNER)
    if slow:
        page.add_init_script(SLOW)
    page.goto(f"{page.url}proposals/{name}/proposals.jsonl{query}")
    page.get_by_text("Keys:").wait_for()
    return page


def kept(folder: Path) -> dict[str, str]:
    """Verdicts by proposal."""
    said = current_answers(open_batch(folder / "proposals.jsonl.gold").store.events())
    answers = {
        item: people[OWNER.name] for (item, _, question), people in said.answers.items() if question == "verdict"
    }
    return {item: str(event.value) for item, event in sorted(answers.items())}


def until(page: Page, tally: str) -> None:
    """All that was pressed has been answered."""
    page.wait_for_function(
        "said => [...document.querySelectorAll('.tally dd')].map((one) => parseInt(one.innerText)).join() === said",
        arg=tally,
    )


def test_keys_without_pauses_are_all_kept(enter: Enter, folder: Path) -> None:
    page = open_proposals(enter, "fast")
    for key in "jjaar":
        page.keyboard.press(key)
    until(page, "21,2,1")
    assert kept(folder / "fast") == {"p2": "accept", "p3": "accept", "p4": "reject"}


def test_keys_wait_for_a_slow_server_and_undo_waits_its_turn(enter: Enter, folder: Path) -> None:
    page = open_proposals(enter, "slow", slow=True)
    for key in "araua":
        page.keyboard.press(key)
    until(page, "21,2,1")
    assert kept(folder / "slow") == {"p0": "accept", "p1": "reject", "p2": "accept"}
    assert page.url.endswith("/proposals/slow/proposals.jsonl#p3")


def test_letters_after_reword_are_words_and_no_verdicts(enter: Enter, folder: Path) -> None:
    page = open_proposals(enter, "words", slow=True)
    page.keyboard.press("a")
    page.keyboard.type("ejar")  # while the first is on its way
    until(page, "23,1,0")
    page.keyboard.type("s")
    field = page.locator("#p1-topic")
    assert field.input_value() == "jars", "what stood there is typed over"
    assert kept(folder / "words") == {"p0": "accept"}
    page.locator("#p2 button[value=reject]").first.click()
    until(page, "22,1,1")
    assert field.input_value() == "jars", "words that were begun stay"
    field.press("Enter")
    until(page, "21,2,1")
    assert page.locator("#p1-asked").inner_text() == "jars without cream"


def test_reword_selects_the_words(enter: Enter) -> None:
    page = open_proposals(enter, "words")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("e")
    assert page.evaluate("String(getSelection())") == "soups2"


def test_keys_go_on_over_the_end_of_a_page(enter: Enter, folder: Path) -> None:
    page = open_proposals(enter, "page", "#p18")
    for key in "aara":
        page.keyboard.press(key)
    until(page, "20,3,1")
    assert kept(folder / "page") == {"p18": "accept", "p19": "accept", "p20": "reject", "p21": "accept"}
    page.get_by_text("page 2 of 2").first.wait_for()


def test_clicks_wait_as_keys_do(enter: Enter, folder: Path) -> None:
    page = open_proposals(enter, "mouse", slow=True)
    for name in ("p0", "p1", "p2"):
        page.locator(f"#{name} .verdicts [value=accept]").click()
    until(page, "21,3,0")
    assert kept(folder / "mouse") == dict.fromkeys(("p0", "p1", "p2"), "accept")
