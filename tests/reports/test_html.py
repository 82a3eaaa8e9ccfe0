from __future__ import annotations

import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

import pytest

from constraintsuite.build.audit.results import Audit, AuditRow
from constraintsuite.errors import UserError
from constraintsuite.evaluate.run import evaluate_suites
from constraintsuite.execution.progress import Silent
from constraintsuite.records.examples import Example, ExampleDocument
from constraintsuite.records.scores import Interval
from constraintsuite.reports.html import write_report
from constraintsuite.store.artifact import Artifact
from constraintsuite.store.files import write_text
from constraintsuite.store.jsonl import adapter
from evaluate.tiny_suite import CONTROLS, EXAMPLES, write_suite

AUDIT = Audit(
    seed=0,
    rows=(
        AuditRow(
            "all",
            "length",
            Interval(0.51, 0.4, 0.6, 5),
            Interval(0.49, 0.4, 0.6, 5),
            tie_rate=0.0,
            verdict="by_construction",
            reason="edits",
            groups="clusters",
        ),
    ),
    warnings=("Shorter texts win.",),
)
HOSTILE = "<script>alert('1')</script>\"'&amp;"


def evaluate(suite: Path, *models: str) -> list[Path]:
    runs = evaluate_suites(suite, models or ("bm25", "random"), suite.parent / "runs", Silent())
    return [run.path for run in runs]


class Page(HTMLParser):
    """The tags of a page with their attributes, and its visible text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        self.text += data if self.open and self.open[-1] != "style" else ""

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    folder.mkdir()
    write_text(folder / "audit.json", adapter(Audit).dump_json(AUDIT).decode())
    (folder / "README.md").write_text(f"# Tiny\n\nMade by hand. {HOSTILE}\n")
    return write_suite(folder)


@pytest.fixture
def page(suite: Path, tmp_path: Path) -> Page:
    return Page(write_report(suite, evaluate(suite), tmp_path / "report").read_text())


def test_the_page_tells_of_suite_results_breakdowns_controls_and_examples(page: Page) -> None:
    assert page.open == []
    for words in (
        "5 main examples, 3 controls, 2 models",
        "Made by hand",
        "Shorter texts win",
        "n=5, by construction",
        "travel",
    ):
        assert words in page.text, words
    for words in ("Paired accuracy", "Accuracy by relation", "right under the real exclusion", "0.0–98.9", "n=5"):
        assert words in page.text, words
    assert [a["id"] for a in page.all("h2")] == ["suite", "results", "breakdowns", "controls", "examples"]
    assert len(page.all("article")) == 4  # of the couple only one


def test_every_table_and_chart_can_be_read_aloud(page: Page) -> None:
    assert len(page.all("table")) == len(page.all("caption")) >= 10
    assert all(attributes.get("scope") in ("row", "col") for attributes in page.all("th"))
    assert all(attributes["role"] == "img" and attributes["aria-labelledby"] for attributes in page.all("svg"))
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert all(set(str(a["aria-labelledby"]).split()) <= set(ids) for _, a in page.tags if "aria-labelledby" in a)
    assert page.all("html")[0]["lang"] == "en"


def test_mentions_are_marked_and_outcomes_told_in_words(page: Page) -> None:
    assert {"negated", "affirmed"} <= {attributes["class"] for attributes in page.all("mark")}
    assert "✓ satisfying" in page.text
    assert "✗ violating" in page.text
    assert "bm25: right" in page.text


def test_the_page_asks_nothing_of_the_network(page: Page) -> None:
    assert page.all("script") == []
    assert [a["href"] for a in page.all("link")] == ["data:,"]
    assert not any("src" in attributes for _, attributes in page.tags)
    assert all(str(a["href"]).startswith("#") for a in page.all("a"))


def hostile(example: Example) -> Example:
    document = ExampleDocument("d", HOSTILE, f"{HOSTILE} {example.docs.pos.text}")
    return replace(
        example,
        query=replace(example.query, neg=f"{HOSTILE} {example.query.neg}", base=HOSTILE),
        constraint=replace(example.constraint, y=HOSTILE),
        docs=replace(example.docs, pos=document),
        domain=HOSTILE,
        relation=HOSTILE,
        evidence=tuple(replace(found, verdict=HOSTILE) for found in example.evidence),
    )


def test_all_text_is_escaped(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", [hostile(e) for e in EXAMPLES], CONTROLS, name=f"tiny {HOSTILE}")
    (suite / "README.md").write_text(HOSTILE)
    audit = replace(AUDIT, warnings=(HOSTILE,), rows=(replace(AUDIT.rows[0], slice=HOSTILE, solver=HOSTILE),))
    write_text(suite / "audit.json", adapter(Audit).dump_json(audit).decode())
    html = write_report(suite, evaluate(suite), tmp_path / "report").read_text()
    page = Page(html)
    assert page.all("script") == []
    assert page.open == []
    assert page.text.count("<script>") > 20
    assert "<script" not in html


def test_a_second_report_writes_nothing(suite: Path, tmp_path: Path) -> None:
    runs = evaluate(suite)
    index = write_report(suite, runs, tmp_path / "report")
    artifact, written = Artifact.open(tmp_path / "report", "report"), index.stat().st_mtime_ns
    assert artifact.verify() == []
    assert write_report(suite, runs[::-1], tmp_path / "report") == index
    assert index.stat().st_mtime_ns == written
    write_report(suite, runs[:1], tmp_path / "report")
    assert Artifact.open(tmp_path / "report").manifest.fingerprint != artifact.manifest.fingerprint
    again = write_report(suite, runs, tmp_path / "elsewhere")
    assert Artifact.open(again.parent).manifest == artifact.manifest


def test_runs_of_the_same_model_are_told_apart_by_folder(suite: Path, tmp_path: Path) -> None:
    (run,) = evaluate(suite, "bm25")
    shutil.copytree(run, tmp_path / "yesterday")
    html = write_report(suite, [run, tmp_path / "yesterday"], tmp_path / "report").read_text()
    assert "bm25 (bm25)" in html
    assert "bm25 (yesterday)" in html


def test_runs_of_another_suite_are_refused(suite: Path, tmp_path: Path) -> None:
    other = write_suite(tmp_path / "other", EXAMPLES[:2], (), name="other")
    with pytest.raises(UserError, match=r"another suite \(other\)"):
        write_report(suite, [*evaluate(suite), *evaluate(other)], tmp_path / "report")
    with pytest.raises(UserError, match="at least one run"):
        write_report(suite, [], tmp_path / "report")
    assert not (tmp_path / "report").exists()


def test_a_suite_may_have_neither_controls_nor_audit_nor_card(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", EXAMPLES, ())
    page = Page(write_report(suite, evaluate(suite), tmp_path / "report").read_text())
    assert [a["id"] for a in page.all("h2")] == ["suite", "results", "breakdowns", "examples"]
    assert page.all("details") == []
    assert "Audit" not in page.text


def test_a_damaged_audit_is_explained(suite: Path, tmp_path: Path) -> None:
    runs = evaluate(suite)
    (suite / "audit.json").write_text("{}")
    with pytest.raises(UserError, match=r"audit\.json: .*Was it edited"):
        write_report(suite, runs, tmp_path / "report")


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "ground", "at_least"),
    [
        *((ink, ground, 4.5) for ink in ("ink", "soft", "link") for ground in ("page", "panel")),
        *((name, f"{name}-back", 4.5) for name in ("good", "bad", "tie")),
        ("good", "panel", 4.5),
        ("bad", "panel", 4.5),
        ("mark-ink", "mark", 4.5),
        ("whisker", "panel", 3.0),
        ("whisker", "bar", 3.0),
        ("bar", "panel", 3.0),
    ],
)
def test_colours_keep_their_contrast(scheme: int, ink: str, ground: str, at_least: float) -> None:
    template = (resources.files("constraintsuite.reports") / "templates" / "report.html.jinja").read_text("utf-8")
    block = re.findall(r":root \{(.*?)\}", template, re.DOTALL)[scheme]
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    high, low = sorted((luminance(colours[ink]), luminance(colours[ground])), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= at_least


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_a_browser_shows_the_page_without_asking_for_more(suite: Path, tmp_path: Path, scheme: str, width: int) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    index = write_report(suite, evaluate(suite), tmp_path / "report")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        view = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
        asked: list[str] = []
        complaints: list[str] = []
        view.on("request", lambda request: asked.append(request.url))
        view.on("console", lambda message: complaints.append(message.text))
        view.goto(index.as_uri())
        dark = view.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"
        overflow = view.evaluate("document.documentElement.scrollWidth > innerWidth")
        browser.close()
    assert (asked, complaints) == ([index.as_uri()], [])
    assert dark == (scheme == "dark")
    assert not overflow
