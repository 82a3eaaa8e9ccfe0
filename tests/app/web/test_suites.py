"""The pages of a suite, as a reader meets them."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from app.pages.altered import constraint_of, with_document, with_evidence
from app.pages.conftest import AUDIT
from app.web.site import Visitor, open_site
from constraintsuite.app.web.runs.outcomes import MOST_RUNS
from constraintsuite.core.records.examples import QUERY_PREFERENCE
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import adapter, write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.suites.audit.results import Audit
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft, RejectedPair
from experiments.paired_runs import RIGHT, WRONG, make_run, make_suite
from experiments.tiny_suite import CONTROLS, DOGLESS, EXAMPLES, write_suite

HOSTILE = "<script>alert('x')</script>\"><img src=x onerror=alert(1)></p></section>{{ 7 * 7 }}"
RTL = "בריכה \u202eno pool\u202c אין כאן"


@pytest.fixture
def reader(tmp_path: Path) -> Visitor:
    """Of the tiny suite with an audit and a card."""
    (tmp_path / "suite").mkdir()
    write_text(tmp_path / "suite" / "audit.json", adapter(Audit).dump_json(AUDIT).decode())
    write_text(tmp_path / "suite" / "README.md", f"# Tiny\n\n{HOSTILE}\n")
    write_suite(tmp_path / "suite")
    return open_site(tmp_path).visit()


def many(folder: Path, count: int) -> Visitor:
    (folder / "suite").mkdir()
    examples = [replace(DOGLESS, id=f"e{number:03d}", split="dev" if number % 2 else "test") for number in range(count)]
    write_suite(folder / "suite", examples, ())
    return open_site(folder).visit()


def ids(page: str) -> list[str]:
    return re.findall(r"/example\?id=([\w-]+)", unescape(page))


def link(page: str, words: str) -> str:
    found = re.search(rf'<a[^>]*href="([^"]*)"[^>]*>{words}', page)
    assert found is not None, words
    return unescape(found[1])


def test_all_examples_are_listed_with_links(reader: Visitor) -> None:
    page = reader.page("/suite/suite")
    assert ids(page) == [example.id for example in (*EXAMPLES, *CONTROLS)]
    assert "<strong>5</strong> examples and <strong>3</strong> controls" in page


def test_counts_stand_beside_the_values(reader: Visitor) -> None:
    page = reader.page("/suite/suite?domain=travel")
    assert '<option value="explicit">explicit (2)</option>' in page
    assert '<option value="travel" selected>travel (3)</option>' in page
    assert '<option value="food">food (5)</option>' in page


def test_a_filter_can_be_taken_away(reader: Visitor) -> None:
    page = reader.page("/suite/suite?domain=travel&q=river")
    assert link(page, "domain: travel") == "/suite/suite?q=river"
    assert link(page, "words: river") == "/suite/suite?domain=travel"
    assert link(page, "Show all") == "/suite/suite"


def test_a_form_with_empty_fields_leads_to_a_short_address(reader: Visitor) -> None:
    answer = reader.get("/suite/suite?q=&slice=explicit&domain=&page=1", 303)
    assert answer.headers["location"] == "/suite/suite?slice=explicit"


def test_pages_keep_the_filter(tmp_path: Path) -> None:
    reader = many(tmp_path, 120)
    first = reader.page("/suite/suite?split=dev&q=river")
    assert len(ids(first)) == 25
    assert "<strong>60</strong> examples, 1 to 25 shown" in first
    second = reader.page(link(first, "Next"))
    assert ids(second)[0] == "e051"
    assert ids(reader.page(link(second, "Previous"))) == ids(first)
    third = reader.page(link(second, "Next"))
    assert len(ids(third)) == 10
    assert ">Next</a>" not in third


def test_neighbours_keep_the_filter_and_lead_back_to_their_page(tmp_path: Path) -> None:
    reader = many(tmp_path, 120)
    page = reader.page("/suite/suite/example?id=e051&split=dev")
    assert link(page, "26 of 60") == "/suite/suite?split=dev&page=2"
    assert link(page, "Previous") == "/suite/suite/example?id=e049&split=dev"
    assert link(page, "Next") == "/suite/suite/example?id=e053&split=dev"


def test_an_example_outside_the_filter_is_shown_all_the_same(tmp_path: Path) -> None:
    page = many(tmp_path, 4).page("/suite/suite/example?id=e000&split=dev")
    assert "All that match the filter" in page
    assert link(page, "All that match") == "/suite/suite?split=dev"


def test_an_example_shows_both_documents_and_what_decides(reader: Visitor) -> None:
    page = reader.page("/suite/suite/example?id=creamless")
    assert '<mark class="cue" title="cue">without</mark>' in page
    assert '<mark class="negated scope" title="negated, scope">cream</mark>' in page
    assert "What differs between the two" in page
    assert re.search(r"<del>.*?</del><ins>", page)
    assert "soups with cream" in page
    assert "Ranks of the documents among the first 10 that bm25 found" in page
    assert "imported unchanged" in page  # the tiny suite has no recipe


def test_a_control_leads_to_its_original(reader: Visitor) -> None:
    page = reader.page("/suite/suite/example?id=idiom")
    assert link(page, "campsites without dogs") == "/suite/suite/example?id=dogless"
    assert '<dt>opposite</dt><dd dir="auto">campsites without dogs</dd>' in page
    assert '<dt>restated</dt><dd dir="auto">campsites with dogs</dd>' in page
    assert "idiom, “without a doubt”" in page


def test_a_constraint_is_told_by_its_type_value_and_cue(reader: Visitor) -> None:
    said = "exclude <strong>dogs</strong> by “without”"
    assert said in reader.page("/suite/suite/example?id=dogless")
    assert said in reader.page("/suite/suite?value=dogs")


def test_of_a_constraint_that_is_not_known_nothing_is_told(tmp_path: Path) -> None:
    write_suite(tmp_path / "suite", [replace(DOGLESS, constraint=None, topic=None, opposite=None, tags={},
                                             preferences=(QUERY_PREFERENCE,))], ())  # fmt: skip
    reader = open_site(tmp_path).visit()
    page = reader.page("/suite/suite/example?id=dogless")
    for words in ("<dt>constraint</dt>", "<dt>opposite</dt>", "<dt>topic</dt>", "evidence", "None"):
        assert words not in page.partition('<h2 id="raw">')[0].partition("</header>")[2], words
    assert ids(reader.page("/suite/suite")) == ["dogless"]


def test_the_record_alone(reader: Visitor) -> None:
    answer = reader.get("/suite/suite/example.json?id=creamless")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["id"] == "creamless"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/suite/suite/example", "has the id &#39;&#39;"),
        ("/suite/suite/example?id=nothing", "has the id &#39;nothing&#39;"),
        ("/suite/suite/example.json?id=nothing", "has the id"),
        ("/suite/suite?page=2", "There is no page 2"),
        ("/suite/suite?page=x", "is not an integer"),
        ("/suite/suite?slize=x", "Did you mean &#39;slice&#39;?"),
        ("/suite/suite/rejects?reason=<b>", "for the reason &#39;&lt;b&gt;&#39;"),
    ],
)
def test_what_cannot_be_shown_is_told(reader: Visitor, path: str, message: str) -> None:
    assert message in reader.get(path, 400).text


def test_nothing_found_is_said(reader: Visitor) -> None:
    assert "<strong>No example</strong> matches" in reader.page("/suite/suite?q=zebra")


def test_about_shows_counts_audit_card_and_rejects(reader: Visitor) -> None:
    page = reader.page("/suite/suite/about")
    for words in (
        "Examples by slice and split",
        "Audit of the suite",
        "Shorter texts win.",
        "How it was made",
        "Nothing was left out.",
    ):
        assert words in page
    assert "&lt;script&gt;alert" in page


def with_rejects(folder: Path) -> Visitor:
    suite = folder / "suite"
    (suite / "stages" / "kept").mkdir(parents=True)
    documents = DraftDocument("d1", f"{HOSTILE} no"), DraftDocument("d2", "yes")
    draft = PairDraft("explicit", "p1", "travel.has", "train", "", *documents, 0.0)
    write_jsonl(suite / "stages" / "kept" / "rejected.jsonl", [RejectedPair("violating_mixed_y", draft)] * 30)
    finish(suite / "stages" / "kept", ArtifactOrigin("stage", "kept", {}, {}, 0, Revision(1)), {}, {}, 0.0)
    write_jsonl(suite / "examples.jsonl", EXAMPLES)
    counts = {"kept: violating_mixed_y": 30, "queries: given:no_y_named": 45}
    finish(suite, ArtifactOrigin("suite", "tiny", {}, {}, 0, Revision(1)), {"examples": len(EXAMPLES)}, counts, 0.0)
    return open_site(folder).visit()


def test_rejects_are_listed_where_they_were_kept(tmp_path: Path) -> None:
    reader = with_rejects(tmp_path)
    about = reader.page("/suite/suite/about").replace("<wbr>", "")
    assert "queries: given:no y named" in about
    page = reader.page(link(about, "kept: violating mixed y"))
    assert page.count('<article class="example"') == 25
    assert "30 pairs" in page
    assert "<script>alert" not in page
    assert reader.page(link(page, "Next")).count('<article class="example"') == 5


def test_rejects_that_were_only_counted_say_so(tmp_path: Path) -> None:
    assert "The pairs are not listed" in with_rejects(tmp_path).page(
        "/suite/suite/rejects?reason=queries: given:no_y_named"
    )


@pytest.mark.parametrize("text", [HOSTILE, RTL, "x" * 50_000, "\x00\x07\ufffe", "</pre></details>"], ids=range(5))
def test_hostile_texts_are_text_on_every_page(tmp_path: Path, text: str) -> None:
    hostile = replace(
        with_document(with_evidence(DOGLESS), "satisfying", id=text, title=text, text=text),
        id=f"id {text[:40]}",
        query=f"without {text}",
        opposite=text,
        topic=text,
        constraint=replace(constraint_of(DOGLESS), value=text, cue=text, evidence=()),
        domain=text,
        tags={"difficulty": text, text: text},
        notes=(f"note: {text}",),
    )
    (tmp_path / "suite").mkdir()
    write_suite(tmp_path / "suite", [hostile, DOGLESS], ())
    reader = open_site(tmp_path).visit()
    listed = reader.page("/suite/suite")
    shown = reader.page(unescape(re.findall(r'href="(/suite/suite/example[^"]*)"', listed)[0]))
    for page in (listed, shown, reader.page("/suite/suite/about")):
        assert "<script>alert" not in page
        assert "<img" not in page
        assert page.count("</pre>") == page.count("<pre")
    assert unescape(shown).count(text[:200]) >= 3


@pytest.mark.parametrize("verb", ["example", "about", "rejects", "example.json"])
def test_a_suite_may_have_the_name_of_a_page(tmp_path: Path, verb: str) -> None:
    (tmp_path / "mine" / verb).mkdir(parents=True)
    write_suite(tmp_path / "mine" / verb)
    assert ids(open_site(tmp_path).visit().page(f"/suite/mine/{verb}"))[0] == "creamless"


def test_a_collection_without_pairs_has_a_card(tmp_path: Path) -> None:
    write_text(tmp_path / "README.md", "# A collection\n")
    finish(tmp_path, ArtifactOrigin("suite", "beir", {}, {}, 0, Revision(1)), {"documents": 3, "qrels": 2}, {}, 0.0)
    page = open_site(tmp_path).visit().page("/suite/.here")
    assert "There are no pairs" in page
    assert "# A collection" in page


def test_a_suite_that_was_changed_is_told(reader: Visitor, tmp_path: Path) -> None:
    with (tmp_path / "suite" / "examples.jsonl").open("a") as file:
        file.write("\n")
    assert "changed since the suite was made" in reader.get("/suite/suite", 400).text


def test_an_example_says_what_runs_made_of_it(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", count=4)
    make_run(suite, tmp_path / "good", "good", [RIGHT] * 4)
    make_run(suite, tmp_path / "half", "half", [WRONG] * 2)
    reader = open_site(tmp_path).visit()
    page = reader.page("/suite/suite/example?id=e000")
    section = page[page.index('id="runs"') : page.index('id="why"')]
    assert re.findall(r'<a href="(/run/\w+)">(\w+)</a>', section) == [("/run/good", "good"), ("/run/half", "half")]
    assert re.findall(r'class="outcome (\w+)"', section)[::2] == ["right", "wrong"]
    assert ">half</a>" not in reader.page("/suite/suite/example?id=e003")


def test_an_example_without_runs_says_nothing_of_them(reader: Visitor) -> None:
    assert 'id="runs"' not in reader.page("/suite/suite/example?id=creamless")


def test_only_so_many_runs_are_read_for_an_example(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", count=2)
    for number in range(MOST_RUNS + 2):
        make_run(suite, tmp_path / f"r{number:02d}", f"m{number}", [RIGHT] * 2)
    page = open_site(tmp_path).visit().page("/suite/suite/example?id=e000")
    assert page.count('<a href="/run/') == MOST_RUNS
    assert "2 more runs of this suite" in page
