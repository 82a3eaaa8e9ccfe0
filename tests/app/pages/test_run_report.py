from __future__ import annotations

import shutil
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from app.pages.altered import constraint_of, with_document
from app.pages.conftest import AUDIT, HOSTILE, Reported, evaluate
from constraintsuite.app.pages.drawings.svg import COLOURS, SERIES
from constraintsuite.app.pages.run_report import write_report
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.formats import EXPORTED
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import adapter
from constraintsuite.suites.audit.results import Audit
from experiments.tiny_suite import CONTROLS, CREAMLESS, EXAMPLES, copied, write_suite


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
        if tag not in ("meta", "link", "br", "wbr"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        self.text += data if self.open and self.open[-1] not in ("style", "script") else ""

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def page(reported: Reported) -> Page:
    return Page(reported.page.read_text())


def test_the_page_has_its_sections_in_order(page: Page) -> None:
    assert page.open == []
    assert [a["id"] for a in page.all("h2")] == [
        "failures",
        "leaderboard",
        "slices",
        "errors",
        "gaps",
        "breakdowns",
        "hardest",
        "controls",
        "comparison",
        "ties",
        "suite",
        "audit",
        "again",
    ]
    assert len(page.all("article")) == 3 + 4  # failures, and of the couple only one
    folded = [a for a in page.all("details") if a.get("class") == "chapter"]
    assert len(folded) == len(page.all("h2")) - 1  # all but the failures


@pytest.mark.parametrize(
    "words",
    [
        "50 examples, each a query with a text that satisfies it and a text that violates it; 30 controls; 2 systems",
        "Made by hand",
        "Shorter texts win",
        "met, by definition: edits",
        "Paired accuracy by slice",
        "adversarial: accuracy under the opposite",
        "bm25:nostop → tfidf",
        "Constraint suite: tiny",
        "Headline: paired accuracy over minpairs and explicit.",
        "csuite eval SUITE --model bm25:nostop --seed 0 --out RUNS",
    ],
)
def test_the_page_tells(page: Page, words: str) -> None:
    assert words in page.text


def test_every_table_and_chart_can_be_read_aloud(page: Page) -> None:
    assert len(page.all("table")) == len(page.all("caption")) >= 10
    assert all(attributes.get("scope") in ("row", "col") for attributes in page.all("th"))
    assert all(attributes["role"] == "img" and attributes["aria-labelledby"] for attributes in page.all("svg"))
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert all(set(str(a["aria-labelledby"]).split()) <= set(ids) for _, a in page.tags if "aria-labelledby" in a)
    assert page.all("html")[0]["lang"] == "en"


def test_headings_leave_no_level_out(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.tags if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_mentions_are_marked_and_outcomes_told_in_words(page: Page) -> None:
    assert {"negated", "affirmed", "cue", "value"} <= {attributes["class"] for attributes in page.all("mark")}
    assert "✓ satisfying" in page.text
    assert "✗ violating" in page.text
    assert "bm25:nostop: wrong, opposite right, gap −" in page.text


def test_the_page_asks_nothing_of_the_network(page: Page) -> None:
    assert [a["href"] for a in page.all("link")] == ["data:,"]
    assert not any("src" in attributes for _, attributes in page.tags)
    assert all(str(a["href"]).startswith("#") for a in page.all("a"))
    (policy,) = [str(a["content"]) for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_the_tables_lie_beside_the_page_in_four_formats(reported: Reported) -> None:
    names = {path.stem for path in (reported.report / "tables").iterdir()}
    assert {
        "leaderboard",
        "error_classes",
        "comparison_accuracy",
        "ties_accuracy",
        "controls",
        "audit",
        "lengths",
    } <= names
    for name in names - {"examples"}:
        assert {p.suffix[1:] for p in (reported.report / "tables").glob(f"{name}.*")} == set(EXPORTED.values())
    assert {p.suffix for p in (reported.report / "tables").glob("examples.*")} == {".csv", ".json"}


def test_all_examples_are_in_a_file(reported: Reported) -> None:
    header, *rows = (reported.report / "tables" / "examples.csv").read_text().splitlines()
    assert len(rows) == 10 * (len(EXAMPLES) + len(CONTROLS))
    assert "relation,query,opposite," in header
    assert "bm25:nostop: outcome,bm25:nostop: outcome under the opposite," in header


def hostile(example: Example) -> Example:
    constraint = constraint_of(example)
    evidence = tuple(replace(found, value=HOSTILE) for found in constraint.evidence)
    return replace(
        with_document(example, "satisfying", id="d", title=HOSTILE, text=f"{HOSTILE} {example.satisfying.text}"),
        query=f"{HOSTILE} {example.query}",
        opposite=HOSTILE,
        constraint=replace(constraint, value=HOSTILE, cue=HOSTILE, evidence=evidence),
        domain=HOSTILE,
        relation=HOSTILE,
    )


def test_all_text_is_escaped(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", [hostile(e) for e in EXAMPLES], CONTROLS, name=f"tiny {HOSTILE}")
    (suite / "README.md").write_text(HOSTILE)
    audit = replace(AUDIT, warnings=(HOSTILE,), rows=(replace(AUDIT.rows[0], slice=HOSTILE, solver=HOSTILE),))
    write_text(suite / "audit.json", adapter(Audit).dump_json(audit).decode())
    html = write_report(suite, evaluate(suite), tmp_path / "report").read_text()
    page = Page(html)
    assert len(page.all("script")) == 1  # our own
    assert page.open == []
    assert page.text.count("<script>") > 20
    assert html.count("<script") == 1


def test_a_second_report_writes_nothing(reported: Reported, tmp_path: Path) -> None:
    index = write_report(reported.suite, reported.runs, tmp_path / "report")
    artifact, written = Artifact.open(tmp_path / "report", "report"), index.stat().st_mtime_ns
    assert artifact.verify() == []
    assert write_report(reported.suite, reported.runs[::-1], tmp_path / "report") == index
    assert index.stat().st_mtime_ns == written
    assert Artifact.open(reported.report).manifest == artifact.manifest  # the same bytes in another folder
    write_report(reported.suite, reported.runs[:1], tmp_path / "report")
    assert Artifact.open(tmp_path / "report").manifest.fingerprint != artifact.manifest.fingerprint
    assert not (tmp_path / "report" / "tables" / "comparison_accuracy.csv").exists()  # of the earlier report
    assert Artifact.open(tmp_path / "report").verify() == []


@pytest.mark.parametrize("place", ["mine.txt", "tables/mine.txt"])
def test_a_folder_with_other_files_is_left_as_it_is(reported: Reported, tmp_path: Path, place: str) -> None:
    mine = tmp_path / "report" / place
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    with pytest.raises(UserError, match=r"mine\.txt: this is not part of the report"):
        write_report(reported.suite, reported.runs, tmp_path / "report")
    assert [path.name for path in (tmp_path / "report").rglob("*.*") if path.name != ".lock"] == ["mine.txt"]


def test_runs_of_the_same_model_are_told_apart_by_folder(reported: Reported, tmp_path: Path) -> None:
    run, *_ = reported.runs
    shutil.copytree(run, tmp_path / "yesterday")
    html = write_report(reported.suite, [run, tmp_path / "yesterday"], tmp_path / "report").read_text()
    assert "bm25:nostop (bm25-nostop)" in html
    assert "bm25:nostop (yesterday)" in html
    with pytest.raises(UserError, match="Give each once"):
        write_report(reported.suite, [run, run], tmp_path / "other")


def test_runs_of_another_suite_are_refused(reported: Reported, tmp_path: Path) -> None:
    other = write_suite(tmp_path / "other", EXAMPLES[:2], (), name="other")
    with pytest.raises(UserError, match=r"another suite \(other\)"):
        write_report(reported.suite, [*reported.runs, *evaluate(other, "tfidf")], tmp_path / "report")
    with pytest.raises(UserError, match="at least one run"):
        write_report(reported.suite, [], tmp_path / "report")
    assert not (tmp_path / "report").exists()


def test_what_is_not_there_is_left_out(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", EXAMPLES, ())
    page = Page(write_report(suite, evaluate(suite, "random"), tmp_path / "report").read_text())
    gone = {"controls", "comparison", "ties", "audit", "truncation", "reproduction"}
    assert not gone & {a["id"] for a in page.all("h2")}


def test_small_groups_are_in_the_files_alone(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", [*copied(EXAMPLES[2:]), CREAMLESS], CONTROLS)
    write_text(suite / "audit.json", adapter(Audit).dump_json(with_small_row()).decode())
    report = write_report(suite, evaluate(suite, "bm25"), tmp_path / "report")
    page = Page(report.read_text())
    assert "1 row of fewer than 10 examples is left out." in page.text
    assert "controls" not in {a["id"] for a in page.all("h2")}
    assert "few_only" not in page.text
    for name, word in (("paired_accuracy_by_slice", "minpairs"), ("controls", "non-flip"), ("audit", "few_only")):
        assert word in (report.parent / "tables" / f"{name}.csv").read_text()


def with_small_row() -> Audit:
    (row,) = AUDIT.rows
    few = Interval(1.0, 0.2, 1.0, 1)
    return replace(AUDIT, rows=(row, replace(row, solver="few_only", accuracy=few, paired=few)))


def test_a_damaged_audit_is_explained(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite")
    (suite / "audit.json").write_text("{}")
    with pytest.raises(UserError, match=r"audit\.json: .*Was it edited"):
        write_report(suite, evaluate(suite, "random"), tmp_path / "report")


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


CLASSES = [name for name in COLOURS if name.startswith("class-") and name != "class-ink"]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "ground", "at_least"),
    [
        *((ink, ground, 4.5) for ink in ("ink", "soft", "link") for ground in ("page", "panel")),
        *((name, f"{name}-back", 4.5) for name in ("good", "bad", "tie")),
        ("good", "panel", 4.5),
        ("bad", "panel", 4.5),
        ("mark-ink", "mark", 4.5),
        ("cue-ink", "cue", 4.5),
        ("whisker", "panel", 3.0),
        ("whisker", "bar", 3.0),
        ("bar", "panel", 3.0),
        ("outline", "panel", 3.0),
        *((name, "panel", 3.0) for name in (*CLASSES, *SERIES)),
        *(("class-ink", name, 4.5) for name in CLASSES),
    ],
)
def test_colours_keep_their_contrast(scheme: int, ink: str, ground: str, at_least: float) -> None:
    high, low = sorted((luminance(COLOURS[ink][scheme]), luminance(COLOURS[ground][scheme])), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= at_least
