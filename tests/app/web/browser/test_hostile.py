"""Documents that would like to be more than text: script tags, a megabyte, right to left."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.web.browser.conftest import Enter
from app.web.served import Served
from app.web.site import ANNA, BEN, JUDGE, OWNER, open_site
from constraintsuite.app.web.access import Person
from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.annotation.batch import AnnotationBatch, open_batch, tasks_of
from constraintsuite.suites.annotation.records import EventDraft
from constraintsuite.suites.queries.records import Snippet
from experiments.tiny_suite import make_example, write_suite
from suites.annotation.small_batch import START
from suites.annotation.test_kinds import SOUPS

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
TAGS = (
    '<script>alert(1); window.caught = 1</script><img src=http://127.0.0.1:9/x onerror="window.caught = 1">'
    "<svg onload=alert(2)></svg></p></div></textarea><style>body{display:none}</style><base href=http://127.0.0.1:9/>"
    "{{ 7 * 7 }} <meta http-equiv=refresh content=0;url=http://127.0.0.1:9/> <a href=javascript:alert(3)>here</a> &lt;b&gt;"
)
RTL = "בריכה ללא גג \u202eloop on\u202c وبدون سقف"
HUGE = "A pool without a roof, and so on. " * 31_000
SIDES = {
    "tags": (f"no pool {TAGS}", f"a pool {TAGS}"),
    "rtl": (f"{RTL} no pool", f"{RTL} a pool"),
    "huge": (f"{HUGE} no pool", f"{HUGE} a pool"),
}


def hostile(name: str) -> Example:
    query = {"tags": TAGS, "rtl": RTL, "huge": "x" * 5_000}[name]
    queries = (f"{query} without pool", f"{query} with pool", query)
    return make_example(name, "minpairs", queries, SIDES[name], y="pool", clusters=(name,))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that people write is hostile as well: notes, reasons, words of proposals."""
    made = tmp_path_factory.mktemp("hostile")
    write_suite(made / "suite", [hostile(name) for name in SIDES], (), name=TAGS)
    said = (Snippet(TAGS, "affirms", f"cream {TAGS}"), Snippet("d2", "denies", f"without cream {RTL}"))
    write_jsonl(made / "proposals.jsonl", [replace(SOUPS, topic=TAGS, query=f"{TAGS} without cream", evidence=said)])
    owner = open_site(made).visit()
    owner.post("/sample/suite", {"size": "3", "seed": "0"})
    owner.post("/writing", {"suite": "suite", "size": "3", "seed": "0"})
    batch = open_batch(made / "suite.gold")
    batch.store.append(
        [EventDraft(name, "tags", "natural", value, note=TAGS) for name, value in (("ben", "no"), ("anna", "yes"))],
        START,
    )
    return made


@pytest.fixture(scope="module")
def batch(folder: Path) -> AnnotationBatch:
    return open_batch(folder / "suite.gold")


@pytest.fixture(scope="module")
def owner(enter: Enter) -> Page:
    return enter(OWNER)


def assert_nothing_ran(page: Page) -> None:
    page.locator("h1").wait_for()
    assert page.evaluate("window.caught") is None
    assert page.locator("main :is(script, img, base, meta, [onload], [onerror], a[href^=javascript])").count() == 0


def row_of(batch: AnnotationBatch, item: str) -> str:
    return next(task.row for task in tasks_of(batch, BEN.name) if task.item.id == item)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "suite/suite",
        "suite/suite?q=pool",
        "suite/suite/example?id=tags",
        "batch/suite.gold/rulings",
        "proposals/proposals.jsonl",
        "writing/suite.writing",
    ],
)
def test_tags_are_text_to_an_owner(owner: Page, served: Served, path: str) -> None:
    owner.goto(f"{served.origin}/{path}")
    owner.get_by_text("<script>alert(1)").first.wait_for()  # and no style of a document hides the page
    assert_nothing_ran(owner)


@pytest.mark.parametrize("path", ["suite/suite/about", "batch/suite.gold", "batch/suite.gold/export", "writing"])
def test_names_are_text_too(owner: Page, served: Served, path: str) -> None:
    owner.goto(f"{served.origin}/{path}")
    assert_nothing_ran(owner)


@pytest.mark.parametrize("item", SIDES)
def test_an_annotator_reads_every_document_as_it_is(enter: Enter, batch: AnnotationBatch, item: str) -> None:
    page = enter(BEN)
    page.goto(f"{page.url}batch/suite.gold?row={row_of(batch, item)}")
    shown = page.evaluate("[...document.querySelectorAll('.side .text')].map((text) => text.textContent)")
    assert sorted(shown) == sorted(SIDES[item])
    assert_nothing_ran(page)
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_right_to_left_text_runs_from_the_right(enter: Enter, batch: AnnotationBatch) -> None:
    page = enter(BEN)
    page.goto(f"{page.url}batch/suite.gold?row={row_of(batch, 'rtl')}")
    directions = "[...document.querySelectorAll('.side .text')].map((text) => getComputedStyle(text).direction)"
    assert page.evaluate(directions) == ["rtl", "rtl"]


@pytest.mark.parametrize("item", SIDES)
def test_an_example_is_shown_on_a_phone(enter: Enter, item: str) -> None:
    page = enter(OWNER, width=360)
    page.goto(f"{page.url}suite/suite/example?id={item}")
    page.locator("mark.affirmed").first.wait_for()
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


@pytest.mark.parametrize("person", [ANNA, JUDGE], ids=["annotator", "adjudicator"])
def test_what_other_people_wrote_is_text_too(enter: Enter, person: Person) -> None:
    page = enter(person)
    page.goto(f"{page.url}batch/suite.gold")
    page.locator("article, form").first.wait_for()
    assert_nothing_ran(page)
