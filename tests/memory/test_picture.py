"""The picture of a search: where nodes stand, what is drawn, and what a browser makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from browsing import open_chromium
from constraintsuite.app.pages.walks.layout import NodeBox, lay_out, place_labels
from constraintsuite.app.pages.walks.model import Link, Node, WalkPicture
from constraintsuite.app.pages.walks.page import render_walk
from constraintsuite.app.views.memory.picture import MOST, picture_of
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.records import Edge, EntityMention, MemoryDocument, Unit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TEXTS = ("The crane <b>broke</b>.", "Norbrise repairs it.", "The office opens at nine.", "Norbrise has a night team.")


def unit(number: int) -> str:
    return f"log:{number}"


@pytest.fixture(scope="module")
def memory() -> Memory:
    units = tuple(Unit(unit(n), "log", text) for n, text in enumerate(TEXTS))
    edges = (
        Edge(unit(0), unit(1), "depends_on", because="names it"),
        Edge(unit(1), unit(0), "next"),
        Edge(unit(1), unit(1), "refers_to"),
        Edge(unit(1), unit(2), "next"),
    )
    mentions = (EntityMention(unit(1), "norbrise", "Norbrise"), EntityMention(unit(3), "norbrise", "Norbrise"))
    return Memory.of([MemoryDocument("log", "Log", "0" * 64, units, edges, mentions)])


def walk(memory: Memory, mode: str = "ppr,starts=1,background=0", budget: int = 3) -> WalkPicture:
    return picture_of(memory, load_mode(mode, memory).search("broke", budget), budget, around=2)


def test_a_search_is_drawn_from_its_start_over_the_edges_it_walked(memory: Memory) -> None:
    found = walk(memory)
    parts = {node.id: (node.part, node.layer) for node in found.nodes}
    assert (parts[unit(0)], parts[unit(1)]) == (("start", 0), ("reached", 1))
    walked = {(link.source, link.target) for link in found.links if link.passed}
    assert (unit(0), unit(1)) in walked


def test_what_was_not_touched_lies_in_the_last_layer(memory: Memory) -> None:
    found = walk(memory, budget=1)
    near = {node.id: node.layer for node in found.nodes if node.part == "near"}
    assert set(near.values()) == {len(found.layers) - 1}
    assert unit(1) in near


def test_a_mode_that_does_not_walk_says_so(memory: Memory) -> None:
    found = walk(memory, "lexical_baseline")
    assert {node.part for node in found.nodes} == {"found", "near"}
    assert "reached nothing through an edge" in found.remarks[0]


def test_a_name_says_how_many_units_mention_it() -> None:
    units = (Unit("d:1", "d", "Orla met Finn."), Unit("d:2", "d", "Finn left."))
    mentions = (
        EntityMention("d:1", "orla", "Orla"),
        EntityMention("d:1", "finn", "Finn"),
        EntityMention("d:2", "finn", "Finn"),
    )
    memory = Memory.of([MemoryDocument("d", "D", "0" * 64, units, (), mentions)])
    found = picture_of(memory, load_mode("lexical_baseline", memory).search("met", 1), 1, around=9)
    said = {node.label: node.text for node in found.nodes if node.entity}
    assert said == {"orla": "A name that one unit mentions.", "finn": "A name that 2 units mention."}


@pytest.mark.parametrize(("texts", "why"), [(TEXTS, "shares no word"), ((), "holds no unit")])
def test_an_empty_answer_says_so(texts: tuple[str, ...], why: str) -> None:
    units = tuple(Unit(unit(n), "log", text) for n, text in enumerate(texts))
    memory = Memory.of([MemoryDocument("log", "Log", "0" * 64, units)])
    found = picture_of(memory, load_mode("ppr", memory).search("zzz", 3), 3, around=2)
    page = render_walk(found)
    assert why in page
    assert "There is nothing to draw." in page
    assert "found directly." not in page


@pytest.mark.parametrize("per_row", [2, 6])
def test_labels_lie_inside_on_no_node_and_not_on_each_other(per_row: int) -> None:
    names = [f"d:{n}" for n in range(8)]
    nodes = tuple(Node(name, name, "found", n // 5, "text") for n, name in enumerate(names))
    pairs = [(0, 1), (0, 7), (1, 6), (2, 5), (0, 4), (1, 5)]
    links = tuple(Link(names[a], names[b], "exception_to", "", 1.0) for a, b in pairs)
    layout = lay_out(WalkPicture("q", "", ("first", "second"), nodes, links, ()), per_row)
    boxes = [NodeBox(x - 36, y - 9, 72, 11) for x, y in place_labels(links, layout)]
    for number, box in enumerate(boxes):
        assert box.x >= 0
        assert box.x + box.width <= layout.width
        for other in (*layout.places.values(), *boxes[number + 1 :]):
            apart = box.x + box.width <= other.x or other.x + other.width <= box.x
            assert apart or box.y + box.height <= other.y or other.y + other.height <= box.y


@pytest.mark.parametrize("per_row", [1, 2, 6])
def test_no_two_nodes_lie_on_each_other_and_all_inside(memory: Memory, per_row: int) -> None:
    layout = lay_out(walk(memory), per_row)
    places = list(layout.places.values())
    for number, one in enumerate(places):
        assert one.x >= 0
        assert one.x + one.width <= layout.width
        assert one.y + one.height <= layout.height
        for other in places[number + 1 :]:
            apart = one.x + one.width <= other.x or other.x + other.width <= one.x
            assert apart or one.y + one.height <= other.y or other.y + other.height <= one.y


def test_the_same_search_gives_the_same_page(memory: Memory) -> None:
    assert render_walk(walk(memory)) == render_walk(walk(memory))


def test_texts_are_escaped(memory: Memory) -> None:
    page = render_walk(walk(memory))
    assert "<b>broke" not in page
    assert "&lt;b&gt;broke" in page


def test_a_large_answer_is_cut_and_says_so() -> None:
    units = tuple(Unit(f"d:{n}", "d", "crane") for n in range(MOST + 5))
    found = walk_of(Memory.of([MemoryDocument("d", "D", "0" * 64, units)]), MOST + 5)
    assert len(found.nodes) == MOST
    assert found.remarks[0].startswith("5 of the returned units do not fit")


def walk_of(memory: Memory, budget: int) -> WalkPicture:
    return picture_of(memory, load_mode("lexical_baseline", memory).search("crane", budget), budget, around=4)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def file(memory: Memory, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("picture") / "walk.html"
    path.write_text(render_walk(walk(memory)), encoding="utf-8")
    return path


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_picture_asks_for_nothing_and_fits(
    browser: Browser, file: Path, scheme: Literal["light", "dark"], width: int
) -> None:
    view = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    asked: list[str] = []
    complaints: list[str] = []
    view.on("request", lambda request: asked.append(request.url))
    view.on("console", lambda message: complaints.append(message.text))
    view.on("pageerror", lambda error: complaints.append(str(error)))
    view.goto(file.as_uri())
    assert not view.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert view.locator("svg.walk:visible").count() == 1
    view.close()
    assert (asked, complaints) == ([file.as_uri()], [])


@pytest.fixture
def page(browser: Browser, file: Path) -> Iterator[Page]:
    view = browser.new_page(viewport={"width": 1280, "height": 800})
    view.goto(file.as_uri())
    yield view
    view.close()


@pytest.mark.browser
def test_a_node_that_the_keyboard_reaches_is_told(page: Page) -> None:
    page.locator("svg.wide .node").nth(1).focus()
    told = page.locator("#detail").inner_text()
    assert told.startswith(unit(1))
    assert TEXTS[1] in told
    assert page.locator("svg.wide .edge.held").count() > 0
    page.keyboard.press("Escape")
    assert page.locator("svg.wide .edge.held").count() == 0


@pytest.mark.browser
def test_a_node_under_the_pointer_is_told(page: Page) -> None:
    page.locator("svg.wide .node.start").hover()
    assert "rank 1, score" in page.locator("#detail").inner_text()
