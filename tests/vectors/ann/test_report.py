"""The report of a real run: a page that needs nothing else, tables and plots as files, and a comparison of its engines."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.ann import ann
from constraintsuite.app.cli.compare import compare
from constraintsuite.app.pages.page import PAGE, write_files, write_plots
from constraintsuite.app.views.ann import show_ann
from constraintsuite.app.views.display import ShowOptions

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BENCH = """
name: tiny
data: [{name: judged, format: npy, path: judged, metric: cosine}]
k: [5]
targets: [0.2, 0.9]
protocol: {modes: [serial, batch], repeats: 1, min_seconds: 0}
engines:
  - {engine: exact}
  - {engine: coded, build: {code: binary}, rerank: [1, 2]}
  - {name: cut, engine: coded, build: {dimensions: [3, 5]}}
  - {name: "wide", engine: coded, build: {dimensions: 9}}
"""
SVG = "{http://www.w3.org/2000/svg}"
PLOTS = ("front", "p99", "build", "size", "queries", "relevance")
OVERLAPS = """() => [...document.querySelectorAll('figure svg')].flatMap(svg => {
  const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
  return boxes.flatMap(([a, p], i) => boxes.slice(i + 1)
    .filter(([, q]) => Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1
                    && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 4)
    .map(([b]) => `${svg.querySelector('title').textContent}: ${a} / ${b}`)); })"""
CUT = """() => [...document.querySelectorAll('figure svg')].flatMap(svg => { const s = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(t => { const b = t.getBoundingClientRect();
    return b.left < s.left - 1 || b.right > s.right + 1 || b.bottom > s.bottom + 1; }).map(t => t.textContent); })"""


def call(*arguments: object) -> Result:
    return CliRunner().invoke(ann, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("ir_measures")
    folder = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(0)
    (folder / "judged").mkdir()
    np.save(folder / "judged" / "base.npy", rng.normal(size=(120, 8)).astype(np.float32))
    np.save(folder / "judged" / "queries.npy", rng.normal(size=(20, 8)).astype(np.float32))
    lines = [f"{query}\t{row}\t1" for query in range(20) for row in rng.choice(120, 6, replace=False)]
    (folder / "judged" / "relevance.tsv").write_text("\n".join(lines) + "\n")
    (folder / "bench.yaml").write_text(BENCH)
    assert call("run", folder / "bench.yaml", "--out", folder / "run").exit_code == 3
    found = show_ann([folder / "run"], ShowOptions())
    write_files(folder / "out", found.head, found.sections)
    write_plots(folder / "out", found.sections)
    return folder / "out" / PAGE


def test_a_run_says_how_to_see_all_of_it(tmp_path: Path) -> None:
    data = "{name: points, format: synthetic, rows: 50, queries: 5, dimensions: 4}"
    protocol = "{repeats: 1, min_seconds: 0}"
    (tmp_path / "bench.yaml").write_text(f"data: [{data}]\nprotocol: {protocol}\nengines: [{{engine: exact}}]\n")
    said = call("run", tmp_path / "bench.yaml", "--out", tmp_path / "run")
    assert said.exit_code == 0
    assert said.stdout.endswith(f"csuite report {tmp_path / 'run'} --out FOLDER\n")
    assert "compared" not in [section.id for section in show_ann([tmp_path / "run"], ShowOptions()).sections]


@pytest.fixture(scope="module")
def run(page: Path) -> Path:
    return page.parent.parent / "run"


def test_tables_and_plots_are_files_too(page: Path) -> None:
    rows = json.loads((page.parent / "tables" / "cells_judged_k5_serial_t1.json").read_text())
    assert len(rows["rows"]) == 5
    picture = ET.parse(page.parent / "plots" / "front-judged_k5_serial_t1.svg").getroot()
    assert picture.findtext(f"{SVG}title") == "Recall and speed"


@pytest.mark.parametrize(
    ("arena", "kinds"),
    [
        ("judged_k5_serial_t1", set(PLOTS)),
        ("judged_k5_batch_t1", {"front"}),  # what is found is told once, and a batch has no latency
    ],
)
def test_each_arena_has_its_plots(page: Path, arena: str, kinds: set[str]) -> None:
    files = {file.stem for file in (page.parent / "plots").iterdir()}
    assert {kind for kind in PLOTS if f"{kind}-{arena}" in files} == kinds


def test_everything_exact_is_a_dashed_line_and_no_curve(page: Path) -> None:
    picture = ET.parse(page.parent / "plots" / "front-judged_k5_serial_t1.svg").getroot()
    named = {tag: {hint.text for hint in picture.findall(f".//{SVG}{tag}/{SVG}title")} for tag in ("path", "line")}
    assert any(str(said).startswith("exact: ") for said in named["line"])
    assert not any(str(said).startswith("exact") for said in named["path"])
    assert "coded" in named["path"]


def test_the_page_says_what_failed_and_of_what_it_was_measured(page: Path) -> None:
    text = page.read_text()
    assert "dimensions is 9, but the vectors have 8" in text
    assert "10 cells, 2 failed" in text
    content = json.loads((page.parent.parent / "run" / "run.json").read_text())["data"][0]["content"]
    assert text.count(f"Data: content {content[:12]}") >= 6


def test_the_differences_to_the_ceiling_are_in_the_table_of_relevance(page: Path) -> None:
    rows = json.loads((page.parent / "tables" / "relevance_judged_k5_serial_t1.json").read_text())["rows"]
    assert rows[0]["what ranks"] == "exact search"
    assert rows[1]["rel.ndcg@5 less exact search"]["n"] == 20


def test_engines_are_compared_on_the_page_with_their_settings(page: Path) -> None:
    tests = json.loads((page.parent / "tables" / "compared_1_1.json").read_text())["rows"]
    assert {row["systems"] for row in tests} == {"coded → cut"}
    assert "judged top-5 most exact" in {row["arena"] for row in tests}
    assert all(0 < row["p"] <= row["Holm"] <= 1 for row in tests)
    settings = json.loads((page.parent / "tables" / "settings_compared_1_1.json").read_text())["rows"]
    assert {row["system"] for row in settings} == {"coded", "cut"}
    assert all(row["queries/s"] > 0 and row["mode"] == "serial" and row["setting"] for row in settings)
    assert "Speeds have no p" in page.read_text()


def test_engines_are_compared_on_the_command_line(run: Path) -> None:
    found = json.loads(CliRunner().invoke(compare, [str(run), "--json"]).stdout)
    assert {(test["first"], test["second"], test["metric"]) for test in found["tests"]} == {
        ("coded", "cut", "ann.recall_tie")
    }
    assert found["settings"].keys() == {"coded", "cut"}
    printed = CliRunner().invoke(compare, [str(run), "--metric", "ann.kth_gap"]).stdout
    assert "coded → cut: gap to the last true neighbour\n" in printed
    assert re.search(r"judged top-5 most exact +cut +.*serial +[\d,.]+\n", printed)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_the_page_opens_without_asking_for_more(
    browser: Browser, page: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    view = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    asked: list[str] = []
    complaints: list[str] = []
    view.on("request", lambda request: asked.append(request.url))
    view.on("console", lambda message: complaints.append(message.text))
    view.goto(page.as_uri())
    assert not view.evaluate("document.documentElement.scrollWidth > innerWidth")
    strokes = "[...document.querySelectorAll('svg path[stroke]')].map(p => getComputedStyle(p).stroke)"
    assert all(stroke.startswith("rgb(") for stroke in view.evaluate(strokes))
    view.close()
    assert (asked, complaints) == ([page.as_uri()], [])


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_no_label_of_a_plot_covers_another_or_is_cut(browser: Browser, page: Path, width: int) -> None:
    view = browser.new_page(viewport={"width": width, "height": 800})
    view.goto(page.as_uri())
    assert view.locator("figure svg").count() == len(PLOTS) + 1
    assert (view.evaluate(OVERLAPS), view.evaluate(CUT)) == ([], [])
    view.close()


@pytest.mark.browser
def test_on_paper_no_table_is_cut(browser: Browser, page: Path) -> None:
    view = browser.new_page(viewport={"width": 703, "height": 1000})  # A4 less its margins
    view.goto(page.as_uri())
    view.emulate_media(media="print")
    wide = "[...document.querySelectorAll('table, svg')].filter(t => t.getBoundingClientRect().right > innerWidth + 1)"
    assert view.evaluate(f"{wide}.map(t => t.textContent)") == []
    view.close()


@pytest.mark.browser
def test_a_plot_is_read_aloud_by_name_and_in_words(browser: Browser, page: Path) -> None:
    view = browser.new_page()
    view.goto(page.as_uri())
    plot = view.get_by_role("img", name="Recall and speed").first
    name, words = (plot.get_attribute("aria-labelledby") or "").split()
    assert view.locator(f"#{name}").text_content() == "Recall and speed"
    assert "queries/s" in (view.locator(f"#{words}").text_content() or "")
    view.close()
