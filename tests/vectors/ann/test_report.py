"""What a report shows: fronts, targets chosen on one half and told of the other, charts, and a page that needs nothing else."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from constraintsuite.cli.ann import ann
from constraintsuite.records.scores import Interval
from constraintsuite.vectors.ann.chart import make_chart, recall_axis, speed_axis
from constraintsuite.vectors.ann.frontier import arenas, front, reach
from constraintsuite.vectors.ann.listings import measured, reached
from constraintsuite.vectors.ann.results import Cell, Cost, Point, Repeat, Speed
from constraintsuite.vectors.ann.settings import Mode

BENCH = """
name: tiny
data: [{name: points, format: synthetic, rows: 200, queries: 30, dimensions: 8, metric: cosine}]
k: [5]
protocol: {modes: [serial, batch], repeats: 1, min_seconds: 0}
engines:
  - {engine: exact}
  - {engine: coded, build: {code: [int8, binary]}}
  - {name: "wide", engine: coded, build: {dimensions: 9}}
"""


def made(
    name: str, recall: float, qps: float, *, report: float | None = None, mode: Mode = "serial", exact: bool = False
) -> Cell:
    point = Point("set", "lsh", name, {}, {"probes": qps}, 1, 10, mode, 1, 1)
    whole, half = Interval(recall, None, None, 9), Interval(recall if report is None else report, None, None, 5)
    figures = {
        f"ann.{figure}@10{part}": value
        for figure, part, value in (
            ("recall", "", whole),
            ("recall_tie", "", whole),
            ("recall_tie", ".tune", whole),
            ("recall_tie", ".report", half),
            ("recall_p05", "", whole),
            ("incomplete", "", whole),
        )
    }
    speed = Speed((Repeat(1.0, int(qps)),), {"p50": 1.0, "p99": 2.0} if mode != "batch" else None, None)
    return Cell(
        f"{name}{recall}{qps}", point, "content", exact, figures, speed, Cost(1, None, None, 1, 1, 1), "numpy 2"
    )


def test_the_front_is_what_nothing_else_beats() -> None:
    cells = [made("a", r, q) for r, q in ((0.5, 900), (0.7, 800), (0.6, 700), (0.9, 100), (0.9, 200), (0.95, 50))]
    assert [(c.point.search["probes"]) for c in front(cells)] == [900, 800, 200, 50]


def test_a_target_is_chosen_on_one_half_and_told_of_the_other() -> None:
    cells = [made("a", 0.91, 500, report=0.88), made("a", 0.96, 300, report=0.97), made("b", 0.5, 900)]
    rows = [
        (row.name, row.target, row.cell and row.cell.speed.qps, row.recall and row.recall.value)
        for row in reach(cells, [0.9, 0.99])
    ]
    assert rows == [("a", 0.9, 500.0, 0.88), ("a", 0.99, None, None), ("b", 0.9, None, None), ("b", 0.99, None, None)]


def test_modes_are_never_in_one_arena() -> None:
    found = arenas([made("a", 0.9, 10), made("a", 0.9, 99, mode="batch")])
    assert [(arena.mode, len(cells)) for arena, cells in found.items()] == [("serial", 1), ("batch", 1)]


def test_a_batch_shows_no_latencies() -> None:
    titles = {
        arena.mode: [title for title, _ in measured(arena, cells).columns]
        for arena, cells in arenas([made("a", 0.9, 10), made("a", 0.9, 99, mode="batch")]).items()
    }
    assert "p99, ms" in titles["serial"]
    assert not any("ms" in title for title in titles["batch"])


def test_what_was_not_reached_is_said() -> None:
    ((arena, cells),) = arenas([made("a", 0.5, 10)]).items()
    assert reached(arena, cells, [0.9]).rows == (("a", 0.9, None, None, "not reached"),)


def test_exact_engines_are_lines_and_no_points() -> None:
    chart = make_chart([made("a", 0.9, 10), made("flat", 1.0, 5, exact=True)])
    assert chart is not None
    assert ([one.name for one in chart.series], [spot.name for spot in chart.exact]) == (["a"], ["flat"])
    assert make_chart([made("flat", 1.0, 5, exact=True)]) is None


def test_points_lie_inside_and_better_is_further() -> None:
    chart = make_chart([made("a", r, q) for r, q in ((0.0, 5000), (0.5, 400), (0.999, 30), (1.0, 2))])
    assert chart is not None
    spots = chart.series[0].front
    assert [spot.x for spot in spots] == sorted(spot.x for spot in spots)
    assert [spot.y for spot in spots] == sorted((spot.y for spot in spots), reverse=True)
    assert all(0 <= place <= 1 for spot in spots for place in (spot.x, spot.y))
    assert (spots[0].x, spots[-1].x) == (0.0, 1.0)


@pytest.mark.parametrize("recalls", [[0.2, 0.99], [0.95], [1.0], [0.0]])
def test_labels_of_recall_are_in_order_and_apart(recalls: list[float]) -> None:
    places = [place for place, _ in recall_axis(recalls).ticks]
    assert all(b - a > 0.08 for a, b in pairwise(places))
    assert recall_axis(recalls).ticks[-1] == (1.0, "1")


@pytest.mark.parametrize(
    ("speeds", "labels"),
    [
        ([120, 900], ["100", "200", "500", "1,000"]),
        ([3, 40_000], ["10", "100", "1,000", "10,000"]),
        ([500], ["500", "1,000"]),
    ],
)
def test_labels_of_speed_are_round(speeds: list[float], labels: list[str]) -> None:
    assert [label for _, label in speed_axis(speeds).ticks] == labels


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "bench.yaml").write_text(BENCH)
    runner = CliRunner()
    assert runner.invoke(ann, ["run", str(folder / "bench.yaml"), "--out", str(folder / "run")]).exit_code == 3
    result = runner.invoke(ann, ["report", str(folder / "run"), "--out", str(folder / "out"), "--json"])
    assert result.exit_code == 0, result.exception
    return Path(json.loads(result.stdout)["page"])


def test_tables_and_plots_are_files_too(page: Path) -> None:
    rows = json.loads((page.parent / "tables" / "cells_points_k5_serial_t1.json").read_text())
    assert len(rows["rows"]) == 3
    picture = ET.parse(page.parent / "plots" / "front-points_k5_serial_t1.svg").getroot()
    assert picture.find("{http://www.w3.org/2000/svg}title") is not None


def test_the_page_says_what_failed_and_where_it_was_measured(page: Path) -> None:
    text = page.read_text()
    assert "dimensions is 9, but the vectors have 8" in text
    assert "6 cells, 2 failed" in text
    assert "ann.recall_tie@5" in text
    assert "points (" in text


def test_a_report_is_written_once_and_over_nothing_else(page: Path, tmp_path: Path) -> None:
    again = ["report", str(page.parent.parent / "run"), "--out"]
    before = page.stat().st_mtime_ns
    assert CliRunner().invoke(ann, [*again, str(page.parent)]).exit_code == 0
    assert page.stat().st_mtime_ns == before
    (tmp_path / "letter.txt").write_text("dear")
    assert "Choose another --out" in str(CliRunner().invoke(ann, [*again, str(tmp_path)]).exception)
    assert [file.name for file in tmp_path.iterdir() if not file.name.startswith(".")] == ["letter.txt"]


@pytest.mark.browser
def test_the_page_opens_without_asking_for_more(page: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    asked: list[str] = []
    complaints: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for width in (1280, 360):
            view = browser.new_page(viewport={"width": width, "height": 800})
            view.on("request", lambda request: asked.append(request.url))
            view.on("console", lambda message: complaints.append(message.text))
            view.goto(page.as_uri())
            assert not view.evaluate("document.documentElement.scrollWidth > innerWidth")
            strokes = "[...document.querySelectorAll('svg path[stroke]')].map(p => getComputedStyle(p).stroke)"
            assert all(stroke.startswith("rgb(") for stroke in view.evaluate(strokes))
        browser.close()
    assert (set(asked), complaints) == ({page.as_uri()}, [])
