"""The pages of memories, vector search, bundles and trainings, as their owner meets them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.web.site import ANNA, JUDGE, Visitor, open_site
from constraintsuite.app.views import SHOWN
from constraintsuite.app.views.memory.graphs import PLAIN
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.revisions import Revision
from constraintsuite.experiments.ranking.run import RankingPlan, evaluate_retrieval
from constraintsuite.memory.folder import write_memory
from constraintsuite.vectors.ann.run import run_benchmark
from constraintsuite.vectors.ann.settings import AnnBenchmark
from constraintsuite.vectors.relevance import make_relevance
from experiments.tiny_suite import write_suite
from memory.folder_changes import update_memory
from memory.runs.made_outcomes import made_run, outcomes
from memory.tiny_parts import part
from tiny_bundle import make_bundle

HOSTILE = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>{{ 7 * 7 }}"
LEASE = part("lease", ["late rent means a penalty", f"{HOSTILE} see below"], [("lease:2", "notice:1", "refers_to")])
NOTICE = part("notice", ["fourteen days", "the end"])


@pytest.fixture
def reader(tmp_path: Path) -> Visitor:
    write_memory(tmp_path / "papers" / "old", [LEASE, NOTICE], name=f"old {HOSTILE}")
    return open_site(tmp_path).visit()


def test_a_memory_shows_its_documents_and_a_search_box(reader: Visitor) -> None:
    page = reader.page("/graph/papers/old")
    assert "2 documents, 4 units, 0 entities." in page
    assert '<form class="choices" method="get" action="/graph/papers/old" role="search"' in page
    assert 'class="walk' not in page


def test_an_answer_is_drawn_with_its_path(reader: Visitor) -> None:
    page = reader.page("/graph/papers/old?q=see&mode=structure_only&budget=2")
    assert "Mode structure_only, 2 units at a budget of 2" in page
    assert "lease:2 —refers_to→ notice:1" in page.replace("<wbr>", "")
    assert page.count("<svg") == 2  # for a desk and for a phone
    assert '<option value="structure_only" selected>' in page


def test_what_documents_say_is_text(reader: Visitor) -> None:
    page = reader.page("/graph/papers/old?q=alert")
    assert "&lt;script&gt;alert" in page
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "{{ 7 * 7 }}" in page


def test_a_question_is_text_too(reader: Visitor) -> None:
    page = reader.page("/graph/papers/old?q=%3Cscript%3Ealert(1)%3C/script%3E")
    assert 'value="&lt;script&gt;alert(1)&lt;/script&gt;"' in page
    assert "<script>alert" not in page


def test_nothing_found_is_said(reader: Visitor) -> None:
    assert "Nothing was found: the query is empty" in reader.page("/graph/papers/old?q=zebra")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("q=a&mode=hybrid", "is not a mode that works without a model"),
        ("q=a&mode=hybrid_rerank:cross:/etc", "is not a mode that works without a model"),
        ("q=a&mode=ppr,damping=0.1", "is not a mode that works without a model"),
        ("q=a&budget=0", "is not an integer from 1 to 50"),
        ("q=a&budget=51", "is not an integer from 1 to 50"),
        ("q=a&budget=²", "is not an integer from 1 to 50"),
        (f"q={'a' * 2001}", "it may have at most 2,000 characters"),
    ],
)
def test_what_cannot_be_asked_is_refused(reader: Visitor, query: str, said: str) -> None:
    assert said in reader.get(f"/graph/papers/old?{query}", 400).text


def test_a_memory_that_grows_is_read_anew(reader: Visitor, tmp_path: Path) -> None:
    assert "zebra" not in reader.page("/graph/papers/old")
    update_memory(tmp_path / "papers" / "old", [part("zebra", ["stripes"])])
    assert "zebra" in reader.page("/graph/papers/old")
    assert "stripes" in reader.page("/graph/papers/old?q=stripes")


def test_a_memory_run_has_scores_and_tests(tmp_path: Path) -> None:
    rows = [*outcomes("lexical_baseline", "10" * 10), *outcomes("ppr", "11" * 10)]
    made_run(tmp_path / "run", rows)
    page = open_site(tmp_path).visit().page("/memory_run/run")
    assert re.findall(r'<h2 id="(\w+)">', page)[:2] == ["scores", "tests"]
    assert "100.0" in page


def test_vector_search_is_plotted(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    asked = {
        "name": "tiny",
        "k": [5],
        "data": [
            {"name": "points", "format": "synthetic", "kind": "clustered", "rows": 100, "queries": 10, "dimensions": 8}
        ],
        "protocol": {"modes": ["batch"], "repeats": 1, "min_seconds": 0, "warmup": 0},
        "engines": [{"engine": "coded", "build": {"code": ["binary"]}, "rerank": [1, 4]}],
    }
    run_benchmark(AnnBenchmark.model_validate(asked), tmp_path, tmp_path / "ann", Silent())
    page = open_site(tmp_path).visit().page("/ann/ann")
    assert "2 cells, 0 failed." in page
    assert "<figcaption>Recall and speed</figcaption><svg" in page


def test_a_bundle_says_what_it_holds_now(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    path = make_bundle(tmp_path)
    owner = open_site(tmp_path).visit()
    page = owner.page("/bundle/bundle")
    assert "A subset makes retrieval look easier" in page
    assert 'id="truth"' not in page
    make_relevance(path)
    assert 'id="truth"' in owner.page("/bundle/bundle")


def test_a_damaged_folder_says_so(tmp_path: Path) -> None:
    finish(tmp_path, ArtifactOrigin("tune", "old", {}, {}, 0, Revision(1)), {}, {}, 1.0)
    assert "Was the training written by another version?" in open_site(tmp_path).visit().get("/tune/.here", 400).text


@pytest.mark.parametrize("kind", SHOWN.names())
def test_only_the_owner_sees_them_and_only_what_is_there(reader: Visitor, tmp_path: Path, kind: str) -> None:
    assert reader.get(f"/{kind}/papers/nothing", 404).text.count("There is no") == 1
    reader.get(f"/{kind}/papers%2F..%2F..%2Fold", 404)
    for person in (ANNA, JUDGE):
        open_site(tmp_path).visit(person).get(f"/{kind}/papers/old", 403)


def test_a_ranking_has_its_measures_and_its_worst_queries(tmp_path: Path) -> None:
    pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    suite = write_suite(tmp_path / "suite")
    evaluate_retrieval(suite, RankingPlan("bm25"), tmp_path / "runs" / "suite.ranking" / "bm25", Silent())
    owner = open_site(tmp_path).visit()
    assert 'href="/ranking/runs/suite.ranking/bm25"' in owner.page("/")
    page = owner.page("/ranking/runs/suite.ranking/bm25")
    assert re.findall(r'<h2 id="(\w+)">', page) == ["measures", "groups", "queries", "made"]
    assert "nDCG@10" in page
    assert "first violating" in page


def test_each_mode_is_told_in_a_sentence(reader: Visitor) -> None:
    page = reader.page("/graph/papers/old")
    assert all(f"<dt>{mode}</dt><dd>{said}</dd>" in page for mode, said in PLAIN.items())


def test_texts_come_before_traces(reader: Visitor) -> None:
    page = reader.page("/graph/papers/old?q=see&mode=structure_only&budget=2")
    order = re.findall(r'<h2 id="(units|picture|ranking|paths|trace)">', page)
    assert order == ["units", "picture", "ranking", "paths", "trace"]
    assert [f"#{name}" for name in order] == re.findall(
        r'<li><a href="(#(?:units|picture|ranking|paths|trace))">', page
    )


def test_of_many_sections_the_later_ones_are_folded(tmp_path: Path) -> None:
    made_run(tmp_path / "run", [*outcomes("lexical_baseline", "10" * 10), *outcomes("ppr", "11" * 10)])
    page = open_site(tmp_path).visit().page("/memory_run/run")
    headings = re.findall(r'<h2 id="(\w+)">', page)
    folded = re.findall(r'<details class="chapter"><summary><h2 id="(\w+)">', page)
    assert folded == headings[2:]
    assert all(f'href="#{name}-content"' in page and f'<div id="{name}-content">' in page for name in folded)
