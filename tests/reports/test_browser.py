"""What a browser makes of the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import pytest

from browsing import open_chromium
from reports.conftest import Reported

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser
Scheme = Literal["light", "dark"]
DARK = "rgb(20, 23, 27)"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_chromium() as opened:
        yield opened


@pytest.fixture
def page(browser: Browser, reported: Reported) -> Iterator[Page]:
    view = browser.new_page(viewport={"width": 1280, "height": 800})
    view.goto(reported.page.as_uri())
    yield view
    view.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_the_page_is_shown_without_asking_for_more(
    browser: Browser, reported: Reported, scheme: Scheme, width: int
) -> None:
    view = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    asked: list[str] = []
    complaints: list[str] = []
    view.on("request", lambda request: asked.append(request.url))
    view.on("console", lambda message: complaints.append(message.text))
    view.on("pageerror", lambda error: complaints.append(str(error)))
    view.goto(reported.page.as_uri())
    assert (view.evaluate(BACKGROUND) == DARK) == (scheme == "dark")
    assert not view.evaluate("document.documentElement.scrollWidth > innerWidth")
    view.close()
    assert (asked, complaints) == ([reported.page.as_uri()], [])


def test_the_colours_can_be_chosen(page: Page) -> None:
    button = page.get_by_role("button", name="Colours")
    light = page.evaluate(BACKGROUND)
    shown = []
    for _ in range(3):
        button.click()
        shown.append((button.inner_text(), page.evaluate(BACKGROUND)))
    assert shown == [("Colours: light", light), ("Colours: dark", DARK), ("Colours: auto", light)]


def column(table: Locator, place: int) -> list[str]:
    return [str(text).split("\n")[0] for text in table.locator(f"tbody tr > :nth-child({place})").all_inner_texts()]


def test_a_table_is_sorted_by_keyboard_and_says_so(page: Page) -> None:
    table = page.get_by_role("region", name="Table: accuracy by domain")
    head = table.get_by_role("columnheader").nth(1)
    page.keyboard.press("Tab")
    head.get_by_role("button").focus()
    before = column(table, 2)
    orders = []
    for _ in range(3):
        page.keyboard.press("Enter")
        orders.append((head.get_attribute("aria-sort"), column(table, 2)))
    by_number = sorted(before, key=float)
    assert orders == [("descending", by_number[::-1]), ("ascending", by_number), (None, before)]


def test_what_is_undefined_is_sorted_last_both_ways(page: Page) -> None:
    table = page.get_by_role("region", name="Table: invariance by control")
    head = table.get_by_role("columnheader").nth(1).get_by_role("button")
    assert "–" in column(table, 2)
    for _ in range(2):
        head.click()
        assert column(table, 2)[-1] == "–"


def test_rows_are_filtered_as_one_types(page: Page) -> None:
    field = page.get_by_label("Filter rows").first
    rows = field.locator("xpath=ancestor::div[contains(@class, 'sheet')]").locator("tbody tr")
    everything = rows.count()
    word = rows.nth(3).locator("th").inner_text().split("\n")[0]
    field.fill(word.upper())
    assert 0 < rows.filter(visible=True).count() < everything
    field.fill("no such row")
    assert rows.filter(visible=True).count() == 0
    field.fill("")
    assert rows.filter(visible=True).count() == everything


def test_examples_are_filtered_as_one_types(page: Page) -> None:
    page.get_by_label("Filter examples").fill("dogs campsite")
    articles = page.locator("article").filter(visible=True)
    assert "dogs" in articles.first.inner_text()
    assert page.locator("section", has=articles.first).locator("output").inner_text() == f"{articles.count()} of 4"


def test_without_its_script_the_page_is_whole(browser: Browser, reported: Reported) -> None:
    context = browser.new_context(java_script_enabled=False)
    view = context.new_page()
    view.goto(reported.page.as_uri())
    assert view.locator("table").first.is_visible()
    assert not view.get_by_role("button").filter(visible=True).count()  # nothing that would do nothing
    context.close()


def test_on_paper_nothing_is_cut_or_folded_and_all_is_light(browser: Browser, reported: Reported) -> None:
    view = browser.new_page(viewport={"width": 703, "height": 1000}, color_scheme="dark")  # A4 less its margins
    view.goto(reported.page.as_uri())
    view.get_by_role("button", name="Colours").click(click_count=2)
    view.emulate_media(media="print")
    cut = "[...document.querySelectorAll('table, svg, pre, p')].filter(t => t.getBoundingClientRect().right > innerWidth + 1)"
    assert view.evaluate(f"{cut}.length") == 0
    assert view.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    assert not view.locator("nav, .filter, #scheme").filter(visible=True).count()
    assert view.locator("details pre, details table").first.is_visible()
    assert view.pdf(format="A4").startswith(b"%PDF")
    view.close()
