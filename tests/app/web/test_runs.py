"""Leaderboard, one run, and its examples, as a reader meets them."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from app.web.site import ANNA, JUDGE, Visitor, open_site
from constraintsuite.app.pages.run_report import write_report
from constraintsuite.app.web.access import Person
from constraintsuite.core.execution.progress import Silent
from constraintsuite.experiments.load import load_suite
from constraintsuite.experiments.run import evaluate_suites
from experiments.paired_runs import RIGHT, TIED, WRONG, make_run, make_suite
from experiments.tiny_suite import CONTROLS, CREAMLESS, DOGLESS, EXAMPLES, copied, write_suite

ONE_QUERY = (1.0, 1.0)
"""Right under the query alone, not under its opposite."""


@pytest.fixture
def reader(tmp_path: Path) -> Visitor:
    """Of 40 examples: `good` has 30 right, `half` 20 (none of them paired), `tied` 10 and else ties."""
    suite = make_suite(tmp_path / "suite")
    make_run(suite, tmp_path / "runs" / "good", "good", [RIGHT] * 30 + [WRONG] * 10)
    make_run(suite, tmp_path / "runs" / "half", "half", [ONE_QUERY] * 20 + [WRONG] * 20)
    make_run(suite, tmp_path / "runs" / "tied", "tied", [RIGHT] * 10 + [TIED] * 30)
    return open_site(tmp_path).visit()


def tiny(folder: Path, *models: str, many: bool = False) -> Visitor:
    """Of real scores on the tiny suite, which has controls, or on ten copies of it."""
    parts = (copied(EXAMPLES), copied(CONTROLS)) if many else (EXAMPLES, CONTROLS)
    evaluate_suites(write_suite(folder / "suite", *parts), models, folder / "runs", Silent())
    return open_site(folder).visit()


def models(page: str) -> list[str]:
    return re.findall(r'<tr><th scope="row" class="text"><a href="/run/[^"]*">([^<]*)</a>', page.replace("<wbr>", ""))


def ids(page: str) -> list[str]:
    return re.findall(r"/example\?id=([\w-]+)", unescape(page))


def link(page: str, words: str) -> str:
    found = re.search(rf'<a[^>]*href="([^"]*)"[^>]*>{words}', page)
    assert found is not None, words
    return unescape(found[1])


@pytest.mark.parametrize(
    ("metric", "order"),
    [
        ("accuracy", ["good", "half", "tied"]),
        ("paired_accuracy", ["good", "tied", "half"]),
        ("tie_rate", ["good", "half", "tied"]),  # the fewest first
    ],
)
def test_the_best_by_the_chosen_metric_comes_first(reader: Visitor, metric: str, order: list[str]) -> None:
    assert models(reader.page(f"/runs?suite=suite&metric={metric}")) == order


def test_every_figure_has_its_interval_and_n(reader: Visitor) -> None:
    page = reader.page("/runs?suite=suite")
    first = page[page.index(">good</a>") :]
    assert re.match(
        r'>good</a></th><td class="share" data-order="0.75">75.0<br><small>[\d.]+–[\d.]+<br>n=40</small>', first
    )
    assert "By chance: 25.0 %" in page
    assert ">good does what it was asked in 75.0 % of 40 examples" in page


def test_metrics_and_groupings_are_links_that_keep_each_other(reader: Visitor) -> None:
    page = reader.page("/runs?suite=suite&by=split")
    assert link(page, "Paired accuracy") == "/runs?suite=suite&metric=paired_accuracy&by=split"
    assert '<th scope="col" class="share">test, %</th>' in page
    assert '<th scope="col" class="share">minpairs, %</th>' in reader.page("/runs?suite=suite")


def test_the_sections_of_a_report_stand_below(reader: Visitor) -> None:
    page = reader.page("/runs?suite=suite")
    assert re.findall(r'<section aria-labelledby="(\w+)">', page) == [
        "failures",
        "slices",
        "errors",
        "gaps",
        "ties",
    ]


def test_all_runs_are_listed_by_suite(reader: Visitor, tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "suite", tmp_path / "zcopy")
    lonely = make_suite(tmp_path / "lonely", count=4)
    make_run(lonely, tmp_path / "runs" / "lost", "lost", [RIGHT] * 4)
    shutil.rmtree(tmp_path / "lonely")
    page = reader.page("/runs")
    assert page.count(">Leaderboard</a> of 3 runs") == 1  # the copy is the same suite
    assert models(reader.page("/runs?suite=zcopy")) == ["good", "tied", "half"]
    assert "is not in the served folder" in page
    assert 'href="/run/runs/lost"' in page


def test_a_suite_without_runs_says_how_to_make_one(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite")
    reader = open_site(tmp_path).visit()
    assert "no run of this suite yet" in reader.page("/runs?suite=suite")
    assert "no runs yet" in reader.page("/runs")


def test_a_damaged_run_hides_no_other(reader: Visitor, tmp_path: Path) -> None:
    with (tmp_path / "runs" / "half" / "summary.json").open("a") as file:
        file.write("\n")
    page = reader.page("/runs?suite=suite")
    assert models(page) == ["good", "tied"]
    assert "changed since the run was made" in page


def test_runs_of_the_same_model_are_told_apart(reader: Visitor, tmp_path: Path) -> None:
    make_run(load_suite(tmp_path / "suite"), tmp_path / "again" / "good", "good", [WRONG] * 40)
    page = reader.page("/runs?suite=suite")
    assert {"good (runs/good)", "good (again/good)"} < set(models(page))
    assert '<option value="again/good">good (again/good)</option>' in page


def test_reports_of_the_suite_are_linked(reader: Visitor, tmp_path: Path) -> None:
    write_report(tmp_path / "suite", [tmp_path / "runs" / "good"], tmp_path / "out" / "report")
    assert link(reader.page("/runs?suite=suite"), "out/report") == "/report/out/report"
    assert 'href="/report/out/report"' in reader.page("/")


def test_a_run_shows_its_figures_and_how_it_was_made(tmp_path: Path) -> None:
    page = tiny(tmp_path, "bm25", many=True).page("/run/runs/suite/bm25")
    titles = re.findall(r"<h2 id=\"\w+\">([^<]*)</h2>", page)
    assert titles[:4] == ["Figures", "Error classes", "Slices", "Score gaps"]
    assert titles[-1] == "How it was made"
    assert {"Controls", "Breakdowns"} < set(titles)
    assert "Paired accuracy by slice, with 95 % interval." in page
    assert link(page, "Leaderboard") == "/runs?suite=suite"


def test_a_run_without_its_suite_shows_the_same_figures(tmp_path: Path) -> None:
    reader = tiny(tmp_path, "bm25")
    before = reader.page("/run/runs/suite/bm25")
    shutil.rmtree(tmp_path / "suite")
    after = reader.page("/run/runs/suite/bm25")
    assert before[before.index('id="figures"') :] == after[after.index('id="figures"') :]
    assert "its figures are here, its examples are not" in after
    assert "cannot be shown" in reader.get("/run/runs/suite/bm25/examples", 400).text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", 40),
        ("outcome=right", 10),
        ("outcome=tie", 30),
        ("outcome=wrong", 0),
        ("opposite=right", 10),
        ("outcome=tie&slice=minpairs", 10),
        ("class=correct", 10),
        ("class=paired_tie&slice=explicit", 20),
        ("outcome=tie&q=%2239 with%22", 1),
    ],
)
def test_examples_are_chosen_by_outcome_and_by_what_they_are(reader: Visitor, query: str, found: int) -> None:
    page = reader.page(f"/run/runs/tied/examples?{query}")
    words = f"<strong>{found}</strong> {'example' if found == 1 else 'examples'}" if found else "<strong>No example"
    assert words in page


def test_main_examples_and_controls_are_two_parts(tmp_path: Path) -> None:
    reader = tiny(tmp_path, "bm25")
    parts = {part: ids(reader.page(f"/run/runs/suite/bm25/examples?part={part}")) for part in ("main", "control")}
    assert parts["main"] == ["creamless", "leekless", "dogless", "showerless", "nutless"]
    assert parts["control"] == ["loud", "orphan", "idiom"]
    assert link(reader.page("/run/runs/suite/bm25"), "Examples") == "/run/runs/suite/bm25/examples?part=main"


def test_an_example_shows_outcomes_and_gaps_and_leads_to_its_page(reader: Visitor) -> None:
    page = reader.page("/run/runs/half/examples")
    row = page[page.index("<tbody>") : page.index("</tr>", page.index("<tbody>"))]
    assert ids(row) == ["e000"]
    assert [re.sub("<[^>]*>", "", part).split() for part in re.findall(r"<span class=\"outcome.*", row)] == [
        ["query:", "right", "+1.81"],  # 60 scores of 1, 20 of −1 and 160 of 0 have a deviation of 0.553
        ["opposite:", "wrong", "+1.81"],
    ]
    assert reader.page(link(row, "0 "))


def test_examples_can_be_put_in_order_and_pages_keep_it(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    make_run(suite, tmp_path / "run", "m", [(float(i % 7) - i / 100, -1.0) for i in range(40)])
    reader = open_site(tmp_path).visit()
    first = reader.page("/run/run/examples?order=worst&part=main")
    second = reader.page(link(first, "Next"))
    found = ids(first) + ids(second)
    assert found[:3] == ["e035", "e028", "e021"]
    assert len(set(found)) == 40
    assert ids(reader.page("/run/run/examples?order=best"))[0] == "e006"


def test_examples_that_a_run_has_no_result_for_are_not_counted(tmp_path: Path) -> None:
    make_run(make_suite(tmp_path / "suite"), tmp_path / "run", "some", [RIGHT] * 15)
    page = open_site(tmp_path).visit().page("/run/run/examples")
    assert "<strong>15</strong> examples" in page
    assert "minpairs (15)" in page
    assert "explicit (" not in page


def test_a_form_with_empty_fields_leads_to_a_short_address(reader: Visitor) -> None:
    answer = reader.get("/run/runs/tied/examples?q=&part=&outcome=tie&order=&page=1", 303)
    assert answer.headers["location"] == "/run/runs/tied/examples?outcome=tie"


@pytest.mark.parametrize("name", ["examples", "mine/examples"])
def test_a_run_may_have_the_name_of_a_page(tmp_path: Path, name: str) -> None:
    make_run(make_suite(tmp_path / "suite"), tmp_path / "runs" / name, "named", [RIGHT] * 40)
    reader = open_site(tmp_path).visit()
    assert "<h1>named</h1>" in reader.page(f"/run/runs/{name}")
    assert "<strong>40</strong> examples" in reader.page(f"/run/runs/{name}/examples")


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("/runs?suite=nothing", 404, "There is no suite at"),
        ("/runs?suite=suite&metric=acuracy", 400, "Did you mean &#39;accuracy&#39;?"),
        ("/runs?suite=suite&by=slize", 400, "Did you mean &#39;slice&#39;?"),
        ("/run/nothing", 404, "There is no run at"),
        ("/run/suite", 404, "There is no run at"),
        ("/run/runs/good/examples?outcum=tie", 400, "Did you mean &#39;outcome&#39;?"),
        ("/run/runs/good/examples?asked=yes", 400, "cannot be filtered by"),
        ("/run/runs/good/examples?order=<b>", 400, "is not an order of examples"),
        ("/run/runs/good/examples?page=9", 400, "There is no page 9"),
    ],
)
def test_what_cannot_be_shown_is_told(reader: Visitor, path: str, status: int, message: str) -> None:
    text = reader.get(path, status).text
    assert message in text
    assert "<b>" not in text


@pytest.mark.parametrize("person", [ANNA, JUDGE], ids=lambda person: person.role)
@pytest.mark.parametrize("path", ["/runs", "/runs?suite=suite", "/run/run", "/run/run/examples"])
def test_scores_are_for_the_owner_alone(tmp_path: Path, person: Person, path: str) -> None:
    make_run(make_suite(tmp_path / "suite"), tmp_path / "run", "m", [RIGHT] * 40)
    assert "ccuracy" not in open_site(tmp_path).visit(person).get(path, 403).text


def test_hostile_names_and_texts_are_text(tmp_path: Path) -> None:
    hostile = '<script>alert(1)</script>"><img src=x>{{ 7 * 7 }}'
    bad = replace(CREAMLESS, query=f"without {hostile}", domain=hostile, couple="")
    suite = load_suite(write_suite(tmp_path / "suite", [bad, DOGLESS], (), hostile))
    make_run(suite, tmp_path / "run", hostile, [RIGHT, TIED])
    make_run(suite, tmp_path / "other", "other", [WRONG, RIGHT])
    reader = open_site(tmp_path).visit()
    paths = ("/runs", "/runs?suite=suite&by=domain", "/run/run", "/run/run/examples", "/compare?a=run&b=other")
    for path in paths:
        page = reader.page(path)
        assert "<script>alert" not in page
        assert "<img" not in page
        assert hostile in unescape(page)
