"""What a browser makes of the page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from app.pages.altered import constraint_of, with_document
from app.pages.conftest import Reported, evaluate
from browsing import open_chromium
from constraintsuite.app.pages.run_report import write_report
from constraintsuite.core.records.examples import Example
from experiments.tiny_suite import EXAMPLES, copied, write_suite

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


@pytest.fixture
def unfolded(page: Page) -> Page:
    """The page with every section open."""
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    return page


def column(table: Locator, place: int) -> list[str]:
    return [str(text).split("\n")[0] for text in table.locator(f"tbody tr > :nth-child({place})").all_inner_texts()]


def test_a_table_is_sorted_by_keyboard_and_says_so(unfolded: Page) -> None:
    page, table = unfolded, unfolded.get_by_role("region", name="Table: accuracy by domain")
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


def test_what_is_undefined_is_sorted_last_both_ways(unfolded: Page) -> None:
    table = unfolded.get_by_role("region", name="Table: accuracy by domain")
    head = table.get_by_role("columnheader").nth(1).get_by_role("button")
    table.locator("tbody tr:first-child td").first.evaluate(
        "cell => { delete cell.dataset.order; cell.textContent = '–'; }"
    )
    assert column(table, 2)[0] == "–"
    for _ in range(2):
        head.click()
        assert column(table, 2)[-1] == "–"


def test_rows_are_filtered_as_one_types(unfolded: Page) -> None:
    field = unfolded.get_by_label("Filter rows").first
    rows = field.locator("xpath=ancestor::div[contains(@class, 'sheet')]").locator("tbody tr")
    everything = rows.count()
    word = rows.nth(3).locator("th").inner_text().split("\n")[0]
    field.fill(word.upper())
    assert 0 < rows.filter(visible=True).count() < everything
    field.fill("no such row")
    assert rows.filter(visible=True).count() == 0
    field.fill("")
    assert rows.filter(visible=True).count() == everything


def test_examples_are_filtered_as_one_types(unfolded: Page) -> None:
    unfolded.get_by_label("Filter examples").fill("dogs campsite")
    hardest = unfolded.locator("section[aria-labelledby=hardest]")
    articles = hardest.locator("article").filter(visible=True)
    assert "dogs" in articles.first.inner_text()
    assert hardest.locator("output").inner_text() == f"{articles.count()} of 4"


HEIGHT, WIDTH = (f"document.documentElement.scroll{side}" for side in ("Height", "Width"))


def without_evidence(example: Example) -> Example:
    return replace(example, constraint=replace(constraint_of(example), evidence=()))


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of fourteen runs on texts of some thousand characters."""
    folder = tmp_path_factory.mktemp("crowded")
    filler = "It says a great deal about other things. " * 60
    long = [
        with_document(example, "satisfying", text=f"{filler}{example.satisfying.text} {filler}")
        for example in copied(EXAMPLES)
    ]
    suite = write_suite(folder / "suite", [without_evidence(example) for example in long], ())
    runs = evaluate(suite, "bm25", "tfidf", "random")
    runs += [Path(shutil.copytree(runs[0], folder / f"a-longer-name-than-most-{i}")) for i in range(11)]
    return write_report(suite, runs, folder / "report")


@pytest.mark.parametrize("name", ["reported", "crowded"])
def test_what_is_seen_first_is_short_and_the_rest_unfolds(
    browser: Browser, request: pytest.FixtureRequest, name: str
) -> None:
    found = request.getfixturevalue(name)
    address = (found.page if isinstance(found, Reported) else found).as_uri()
    view = browser.new_page(viewport={"width": 1400, "height": 900})
    view.goto(address)
    assert view.evaluate(HEIGHT) <= 3_600
    assert view.locator(".conclusion").bounding_box()["y"] < 300  # type: ignore[index]
    folds = view.locator("details.chapter")
    assert folds.count() >= 5
    assert view.locator("main table").filter(visible=True).count() == 0
    folds.first.locator("summary").click()
    folds.first.locator("table").first.wait_for()
    view.goto(f"{address}#again")
    view.locator("#again-content").wait_for()
    view.evaluate("location.hash = '#errors-content'")
    view.locator("#errors-content").wait_for(state="visible")
    view.close()


@pytest.mark.parametrize("name", ["reported", "crowded"])
def test_a_phone_shows_it_all_without_moving_sideways(
    browser: Browser, request: pytest.FixtureRequest, name: str
) -> None:
    found = request.getfixturevalue(name)
    view = browser.new_page(viewport={"width": 390, "height": 844})
    view.goto((found.page if isinstance(found, Reported) else found).as_uri())
    assert view.evaluate(WIDTH) <= 390
    view.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert view.evaluate(WIDTH) <= 390
    view.close()


def test_without_its_script_the_page_is_whole(browser: Browser, reported: Reported) -> None:
    context = browser.new_context(java_script_enabled=False)
    view = context.new_page()
    view.goto(reported.page.as_uri())
    view.locator(".conclusion").wait_for()
    assert not view.locator("table").first.is_visible()
    view.get_by_text("Leaderboard").click()
    view.locator("table").first.wait_for()
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
    view.locator("details pre, details table").first.wait_for()
    assert view.pdf(format="A4").startswith(b"%PDF")
    view.close()
