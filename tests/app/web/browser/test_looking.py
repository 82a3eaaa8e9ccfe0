"""Suites browsed and proposals approved in a browser, with mouse, keys and either colours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.web.browser.conftest import Enter
from app.web.served import serve
from app.web.site import ANNA, OWNER
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.suites.queries.approval import check_approval
from constraintsuite.suites.queries.records import Proposal, Snippet
from experiments.tiny_suite import CONTROLS, EXAMPLES, write_suite
from suites.annotation.test_kinds import CAKES, SOUPS, TENTS

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
DARK = "rgb(20, 23, 27)"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
SAID = (Snippet("d1", "affirms", "A soup finished with cream."), Snippet("d2", "denies", "A soup without cream."))
MORE = replace(
    CAKES,
    id="cakes-eggs",
    constraint=replace(CAKES.constraint, value="eggs", forms=("eggs",)),
    query="cakes without eggs",
    opposite="cakes with eggs",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("looking")
    many = [replace(one, id=f"{one.id}-{turn}", couple="") for turn in range(12) for one in EXAMPLES]
    write_suite(made / "suite", many, CONTROLS)
    write_jsonl(made / "proposals.jsonl", [replace(SOUPS, evidence=SAID), TENTS, CAKES, MORE])
    return made


def found(page: Page) -> str:
    page.wait_for_load_state()
    return str(page.locator(".found strong").first.inner_text())


def test_a_suite_is_filtered_searched_and_read(enter: Enter) -> None:
    page = enter(OWNER)
    page.get_by_role("link", name="suite", exact=True).click()
    page.wait_for_url("**/suite/suite")
    assert found(page) == "60"
    page.get_by_label("domain").select_option("travel")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**/suite/suite?domain=travel")
    assert found(page) == "24"
    page.get_by_label("words in queries and documents").fill("showers")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=showers*")
    assert found(page) == "12"
    assert page.locator(".hit mark").first.inner_text() == "showers"
    page.get_by_role("link", name="domain: travel").click()
    page.wait_for_url("**/suite/suite?q=showers")
    page.locator("table.examples a").first.click()
    page.wait_for_url("**/example?*")
    page.locator("mark.affirmed").first.wait_for()
    page.get_by_text("1 of 12").wait_for()
    page.get_by_role("link", name="Next").click()
    page.get_by_text("2 of 12").click()
    page.wait_for_url("**/suite/suite?q=showers")
    page.go_back()
    page.wait_for_url("**/example?*")


def test_a_minimal_pair_is_shown_as_a_difference(enter: Enter) -> None:
    page = enter(OWNER)
    page.goto(f"{page.url}suite/suite/example?id=creamless-0")
    page.locator(".diff.panel del").first.wait_for()
    page.locator(".diff.panel ins").first.wait_for()


def test_proposals_are_approved_by_keyboard(enter: Enter, folder: Path) -> None:
    page = enter(OWNER)
    page.get_by_role("link", name="proposals.jsonl").click()
    page.get_by_text("Keys:").wait_for()
    press = page.keyboard.press
    states = page.locator("article.proposal .verdict")

    def shown(*expected: str) -> None:
        """What the page that answers says of all of them; its script has run when its keys are told."""
        page.wait_for_function(
            "said => [...document.querySelectorAll('article.proposal .verdict')].map((one) => one.innerText).join() === said",
            arg=",".join(expected),
        )
        page.wait_for_load_state()

    press("a")
    shown("accepted", "undecided", "undecided", "undecided")
    press("r")
    shown("accepted", "rejected", "undecided", "undecided")
    press("u")
    page.get_by_text("Undone.").wait_for()
    shown("accepted", "undecided", "undecided", "undecided")
    for key in "jke":  # to the next, back, and into the words of the one that was taken back
        press(key)
    press("Escape")  # letters are keys again
    press("j")
    press("e")
    page.keyboard.type("ice cakes")  # instead of the words that stood there
    press("Escape")
    assert states.all_inner_texts() == ["accepted", "undecided", "undecided", "undecided"]
    press("e")
    press("Enter")
    shown("accepted", "undecided", "accepted", "undecided")
    page.get_by_role("link", name="Write the file for a build").click()
    page.get_by_role("button", name="Write the file").click()
    page.get_by_text("csuite build --corpus CORPUS --approved").wait_for()
    written = folder / "proposals.approved-1.jsonl"
    check_approval(written)
    accepted = [one.query for one in read_jsonl(written, Proposal) if one.status == "accepted"]
    assert accepted == ["soups without cream", "ice cakes without nuts"]


def test_words_that_are_refused_are_under_the_cursor_again(enter: Enter) -> None:
    page = enter(OWNER)
    page.goto(f"{page.url}proposals/proposals.jsonl")
    page.keyboard.press("e")
    page.get_by_label("Opposite", exact=True).first.fill("soups without cream")
    page.get_by_role("button", name="Accept in these words").first.click()
    page.get_by_role("alert").get_by_text("The query and its opposite are the same").wait_for()
    page.wait_for_load_state()
    assert page.get_by_label("Opposite", exact=True).first.input_value() == "soups without cream"
    assert page.evaluate("document.activeElement.name") == "topic"
    page.reload()


def test_colours_follow_the_system_or_the_person_from_page_to_page(enter: Enter) -> None:
    page = enter(OWNER, scheme="dark")
    assert page.evaluate(BACKGROUND) == DARK
    button = page.get_by_role("button", name="Colours")
    assert button.inner_text() == "Colours: system"
    button.click()
    light = page.evaluate(BACKGROUND)
    assert light != DARK
    page.get_by_role("link", name="suite", exact=True).click()
    page.wait_for_url("**/suite/suite")
    page.get_by_text("Colours: light").click()
    assert (button.inner_text(), page.evaluate(BACKGROUND)) == ("Colours: dark", DARK)


def test_two_sites_in_one_browser_do_not_put_each_other_out(enter: Enter, tmp_path: Path) -> None:
    page = enter(OWNER)
    first = page.url
    with serve(tmp_path) as other:
        window = page.context.browser.new_context()  # type: ignore[union-attr]
        try:
            both = window.new_page()
            window.add_cookies(page.context.cookies())  # type: ignore[arg-type]
            both.goto(other.links[ANNA.name])
            both.get_by_text("anna, annotator").wait_for()
            both.goto(first)
            both.get_by_text("olga, owner").wait_for()
            both.goto(f"{other.origin}/")
            both.get_by_role("button", name="Leave").click()
            both.get_by_role("heading", name="You are not signed in").wait_for()
            both.goto(first)
            both.get_by_text("olga, owner").wait_for()
        finally:
            window.close()
