"""Where two models disagree, as a reader meets it."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from app.web.site import ANNA, JUDGE, Visitor, open_site
from app.web.test_runs import ids, link
from constraintsuite.app.web.access import Person
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.examples import QUERY_PREFERENCE
from constraintsuite.experiments.compare import Comparison
from constraintsuite.experiments.experiment import compare_experiments
from constraintsuite.experiments.load import load_suite
from constraintsuite.experiments.run import evaluate_suites
from experiments.paired_runs import RIGHT, TIED, WRONG, make_examples, make_run, make_suite
from experiments.tiny_suite import write_suite

ONE_QUERY = (1.0, 1.0)


@pytest.fixture
def reader(tmp_path: Path) -> Visitor:
    """Of 10 examples: both right on 2, only the first on 3, only the second on 1, neither on 4."""
    suite = make_suite(tmp_path / "suite", count=10, passages=10)
    make_run(suite, tmp_path / "one", "one", [RIGHT] * 5 + [TIED] * 5)
    second = [RIGHT, ONE_QUERY, WRONG, (-9.0, 1.0), TIED, RIGHT, *[WRONG] * 4]
    make_run(suite, tmp_path / "two", "two", second)
    return open_site(tmp_path).visit()


def counts(page: str) -> list[str]:
    """Both, only the first; only the second, neither."""
    return re.findall(r'<td class="count(?: chosen)?"><a href="[^"]*">([\d,]*)</a>', page)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["2", "3", "1", "4"]),
        ("&metric=paired_accuracy", ["1", "4", "1", "4"]),
        ("&metric=opposite_accuracy", ["1", "4", "1", "4"]),
        ("&slice=minpairs", ["2", "3", "0", "0"]),
        ("&right=first", ["2", "3", "1", "4"]),  # the other cells stay to be chosen
    ],
)
def test_four_cells_are_counted(reader: Visitor, query: str, expected: list[str]) -> None:
    assert counts(reader.page(f"/compare?a=one&b=two{query}")) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("both", ["e000", "e001"]),
        ("first", ["e003", "e002", "e004"]),  # the furthest apart first
        ("second", ["e005"]),
        ("neither", ["e006", "e007", "e008", "e009"]),
    ],
)
def test_a_cell_shows_its_examples(reader: Visitor, cell: str, expected: list[str]) -> None:
    page = reader.page(f"/compare?a=one&b=two&right={cell}")
    assert ids(page) == expected
    assert f"<strong>{len(expected)}</strong>" in page


def test_each_number_leads_to_its_cell_and_keeps_the_filter(reader: Visitor) -> None:
    page = reader.page("/compare?a=one&b=two&metric=paired_accuracy&slice=minpairs")
    target = link(page, "4</a>")
    assert target == "/compare?a=one&b=two&metric=paired_accuracy&slice=minpairs&right=first"
    assert len(ids(reader.page(target))) == 4


def test_both_gaps_stand_beside_each_other(reader: Visitor) -> None:
    page = reader.page("/compare?a=one&b=two&right=second")
    row = page[page.index("<tbody>", page.index('class="examples compared"')) :]
    shown = re.findall(r'<span class="outcome (\w+)">.*?<span class="gap">([^<]*)</span>', row)
    assert [outcome for outcome, _ in shown] == ["tie", "tie", "right", "right"]
    assert shown[0][1] == "0"
    assert shown[2][1].startswith("+")
    assert shown[3][1].startswith("−")


def test_examples_that_differ_come_first(reader: Visitor) -> None:
    assert set(ids(reader.page("/compare?a=one&b=two"))[:4]) == {"e002", "e003", "e004", "e005"}


def test_the_paired_test_is_the_one_of_the_command(reader: Visitor) -> None:
    page = reader.page("/compare?a=one&b=two")
    assert "one → two: Accuracy" in page
    row = re.search(r"headline.*?</tr>", page, re.DOTALL)
    assert row is not None
    cells = re.findall(r"<td[^>]*>([^<]*)", row[0])
    assert cells[:2] == ["50.0", "30.0"]
    assert cells[2] == "−20.0"
    assert cells[3:5] == ["3", "1"]


def test_the_test_by_group(reader: Visitor) -> None:
    page = reader.page("/compare?a=one&b=two&by=slice")
    assert re.findall(r'<th scope="row" class="text">(\w+)<br>', page)[:3] == ["headline", "explicit", "minpairs"]


def test_runs_can_be_swapped(reader: Visitor) -> None:
    swapped = link(reader.page("/compare?a=one&b=two&right=first"), "Swap")
    assert counts(reader.page(swapped)) == ["2", "1", "3", "4"]


def test_pages_keep_what_is_compared(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", count=60)
    make_run(suite, tmp_path / "one", "one", [RIGHT] * 60)
    make_run(suite, tmp_path / "two", "two", [WRONG] * 60)
    reader = open_site(tmp_path).visit()
    first = reader.page("/compare?a=one&b=two&right=first&by=slice")
    second = reader.page(link(first, "Next"))
    assert len({*ids(first), *ids(second)}) == 50
    assert "page 2 of 3" in second
    assert 'value="slice" selected' in second


def test_examples_that_one_run_lacks_are_left_out_and_told(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", count=10)
    make_run(suite, tmp_path / "all", "all", [RIGHT] * 10)
    make_run(suite, tmp_path / "some", "some", [WRONG] * 6)
    page = open_site(tmp_path).visit().page("/compare?a=all&b=some")
    assert counts(page) == ["0", "6", "0", "0"]
    assert "4 examples or controls are left out" in page


def test_controls_are_not_counted(tmp_path: Path) -> None:
    evaluate_suites(write_suite(tmp_path / "suite"), ("bm25", "tfidf"), tmp_path / "runs", Silent())
    page = open_site(tmp_path).visit().page("/compare?a=runs/suite/bm25&b=runs/suite/tfidf")
    assert sum(map(int, counts(page))) == 5
    assert not {"loud", "orphan", "idiom"} & set(ids(page))


def test_a_metric_that_no_example_has_counts_nothing(tmp_path: Path) -> None:
    examples = [replace(e, opposite=None, preferences=(QUERY_PREFERENCE,)) for e in make_examples(4, 4)]
    suite = load_suite(write_suite(tmp_path / "suite", examples, ()))
    for name in ("one", "two"):
        make_run(suite, tmp_path / name, name, [RIGHT] * 4)
    page = open_site(tmp_path).visit().page("/compare?a=one&b=two&metric=paired_accuracy")
    assert counts(page) == ["0"] * 4
    assert "<strong>No example</strong> matches" in page


def test_a_form_with_empty_fields_leads_to_a_short_address(reader: Visitor) -> None:
    answer = reader.get("/compare?a=one&b=two&metric=accuracy&by=&q=&right=first", 303)
    assert unescape(answer.headers["location"]) == "/compare?a=one&b=two&metric=accuracy&right=first"


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ("", 404, "There is no run at &#39;&#39;"),
        ("?a=one", 404, "There is no run at"),
        ("?a=one&b=suite", 404, "There is no run at &#39;suite&#39;"),
        ("?a=one&b=one", 400, "named twice"),
        ("?a=one&b=alien", 400, "runs of different suites"),
        ("?a=alien&b=alien2", 400, "is not in the served folder"),
        ("?a=one&b=guess", 400, "guess is a run of the random system"),
        ("?a=one&b=two&metric=gap", 400, "&#39;gap&#39; cannot be compared here"),
        ("?a=one&b=two&by=slize", 400, "Did you mean &#39;slice&#39;?"),
        ("?a=one&b=two&page=7", 400, "There is no page 7"),
        ("?a=one&b=two&rigth=first", 400, "Did you mean &#39;right&#39;?"),
    ],
)
def test_what_cannot_be_compared_is_told(
    reader: Visitor, tmp_path: Path, query: str, status: int, message: str
) -> None:
    other = make_suite(tmp_path / "gone", count=4)
    for name in ("alien", "alien2"):
        make_run(other, tmp_path / name, name, [RIGHT] * 4)
    shutil.rmtree(tmp_path / "gone")
    make_run(load_suite(tmp_path / "suite"), tmp_path / "guess", "random", [RIGHT] * 4)
    assert 'value="guess"' not in reader.page("/compare?a=one&b=two")
    assert message in reader.get(f"/compare{query}", status).text


@pytest.mark.parametrize("person", [ANNA, JUDGE], ids=lambda person: person.role)
def test_outcomes_are_for_the_owner_alone(tmp_path: Path, person: Person) -> None:
    suite = load_suite(write_suite(tmp_path / "suite"))
    make_run(suite, tmp_path / "one", "one", [RIGHT] * 5)
    make_run(suite, tmp_path / "two", "two", [WRONG] * 5)
    visitor = open_site(tmp_path).visit(person)
    assert "right" not in visitor.get("/compare?a=one&b=two", 403).text


def test_turning_pages_does_not_draw_again(reader: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(*given: object, **named: object) -> Comparison:
        calls.append(named)
        return compare_experiments(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("constraintsuite.app.web.pages.compare.compare_experiments", counted)
    for query in ("", "&right=first", "&q=dish", "&by=slice", "&metric=paired_accuracy"):
        reader.page(f"/compare?a=one&b=two{query}")
    assert len(calls) == 3  # once for each metric and grouping
    os.utime(tmp_path / "two" / "manifest.json", ns=(1, 1))
    reader.page("/compare?a=one&b=two")
    assert len(calls) == 4
