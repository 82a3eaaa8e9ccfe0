"""What stands on the page before anything is unfolded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.pages.conftest import Reported
from constraintsuite.app.pages.first_page import MOST_BARS, make_first_page, state_verdict
from constraintsuite.app.pages.run_report import write_report
from constraintsuite.app.pages.sections.systems import types
from constraintsuite.app.pages.view import ReportView, make_view
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.experiments.load import Run, Suite, load_suite
from constraintsuite.suites.constraints.time import Time
from experiments.paired_runs import RIGHT, WRONG, make_examples, make_run, make_suite
from experiments.tiny_suite import write_suite


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return make_suite(tmp_path / "suite")


def run(suite: Suite, name: str, right: int, folder: str = "runs") -> Run:
    """A run that gets so many of the 40 examples right."""
    place = suite.artifact.path.parent / folder / name
    return make_run(suite, place, name, [RIGHT] * right + [WRONG] * (40 - right))


@pytest.mark.parametrize(
    ("right", "words"),
    [
        (36, "90.0 % of 40 examples (95 % interval 80.0–97.5); guessing gives 25.0 %."),
        (10, "that could be guessing, which gives 25.0 %."),
        (1, "that is below guessing, which gives 25.0 %."),
    ],
)
def test_the_verdict_of_one_system_stands_beside_chance(suite: Suite, right: int, words: str) -> None:
    said = state_verdict(make_view(suite, [run(suite, "one", right)]))
    assert said.startswith("one does what it was asked in ")
    assert said.endswith(words)


def test_the_verdict_says_whether_the_best_beats_the_next_by_more_than_chance(suite: Suite) -> None:
    good, near, bad = run(suite, "good", 36), run(suite, "near", 35), run(suite, "bad", 10)
    assert state_verdict(make_view(suite, [bad, good])).endswith("It is better than bad by 65.0 points.")
    level = state_verdict(make_view(suite, [good, run(suite, "too", 36)]))
    assert level.endswith("too does just as well.")
    said = state_verdict(make_view(suite, [bad, near, good]))
    assert said.endswith("It is not clearly better than near: chance alone could explain the 2.5 points between them.")


def test_a_model_that_guesses_is_a_line_and_no_system(suite: Suite) -> None:
    view = make_view(suite, [run(suite, "random:7", 40), run(suite, "good", 36)])
    assert view.labels == ["good"]
    chart = make_first_page(view).chart
    assert "random" not in chart.body
    assert ">chance</text>" in chart.body
    assert make_view(suite, [run(suite, "random", 20)]).labels == ["random"]  # alone, it is all there is to show


def test_of_many_systems_the_chart_shows_the_best(suite: Suite) -> None:
    view = make_view(suite, [run(suite, f"m{i}", i) for i in range(MOST_BARS + 2)])
    first = make_first_page(view)
    assert first.chart.body.count('class="bar"') == MOST_BARS
    assert first.notes[-1] == "The chart shows the best 12 of 14 systems; the leaderboard has all of them."


def test_with_several_constraint_types_the_chart_shows_each(tmp_path: Path) -> None:
    examples = make_examples(40, 20)
    limit = Time(value="1960", cue="before", forms=(), measure="released", position="below", limit=1960)
    mixed = [replace(one, constraint=limit) if n % 2 else one for n, one in enumerate(examples)]
    suite = load_suite(write_suite(tmp_path / "mixed", mixed, ()))
    view = make_view(suite, [run(suite, "one", 30), run(suite, "two", 10)])
    first = make_first_page(view)
    chart = first.chart
    shown = [failure.example for failure in first.failures]
    assert {one.constraint.type for one in shown[:2] if one.constraint} == {"exclude", "time"}
    section = types(view)
    assert section is not None
    assert [[row[0] for row in table.rows] for table in section.tables()] == [["exclude", "time"]] * 2
    assert chart.body.count('class="bar"') == 4
    for label in ("exclude: one", "exclude: two", "time: one", "time: two"):
        assert f">{label}</text>" in chart.body


def test_what_changed_since_the_baseline_is_said_of_each_system(suite: Suite, tmp_path: Path) -> None:
    before, now, other = run(suite, "m", 10, "old"), run(suite, "m", 30), run(suite, "n", 9)
    first = make_first_page(make_view(suite, [now, other, before], baseline=before))
    assert first.changes[0].startswith(
        "m (runs/m) has 75.0 %, the baseline (m) 25.0 %: a change of +50.0 points (95 % interval "
    )
    assert first.changes[0].endswith("). 20 examples are right that were not, 0 no longer are.")
    assert "n has 22.5 %, the baseline (m) 25.0 %: a change of −2.5 points" in first.changes[1]
    assert first.changes[1].endswith(
        ", which chance alone could explain. 0 examples are right that were not, 1 no longer are."
    )
    assert len(first.changes) == 2  # not of the baseline itself
    assert first.verdict.endswith("That is 50.0 points more than the baseline, m.")
    assert make_first_page(make_view(suite, [now])).changes == ()


def test_the_page_has_the_baseline_and_names_it_in_its_command(suite: Suite, tmp_path: Path) -> None:
    before, now = run(suite, "m", 10, "old"), run(suite, "m", 30)
    place, out = suite.artifact.path, tmp_path / "report"
    plain = write_report(place, [now.artifact.path], out).read_text()
    html = write_report(place, [now.artifact.path], out, baseline=before).read_text()
    assert ("Since the baseline" in plain, "Since the baseline" in html) == (False, True)
    assert "--baseline BASELINE" in html
    assert Artifact.open(out).manifest.inputs["baseline"] == before.artifact.manifest.content


def test_the_page_begins_with_title_verdict_chart_and_failures(reported: Reported) -> None:
    html = reported.page.read_text()
    places = [html.index(words) for words in ("<h1>", 'class="conclusion"', "<svg", 'id="failures"', "<details")]
    assert places == sorted(places)
    assert "<h1>Constraint suite: tiny</h1>" in html
    assert html.index('class="conclusion"') < html.index("does what it was asked in")
    assert "random" not in html[html.index("<main>") : html.index("<details")]


def test_random_scores_are_in_no_table(reported: Reported, view: ReportView) -> None:
    assert view.labels == ["bm25:nostop", "tfidf"]
    for file in (reported.report / "tables").glob("*.csv"):
        assert not [line for line in file.read_text().splitlines() if line.startswith("random")]


def test_the_audit_is_concluded_in_one_sentence(reported: Reported) -> None:
    html = reported.page.read_text()
    assert html.index("Trust it: nothing wins.") < html.index("<details")
    assert html.count("Trust it: nothing wins.") == 2  # before anything is unfolded, and at the head of the audit


def test_where_nothing_was_asked_there_is_no_figure(suite: Suite) -> None:
    view = make_view(suite, [run(suite, "one", 4)])
    (label, only), none = next(iter(view.runs.items())), Interval(None, None, None, 0)
    metrics = {**only.summary.headline.metrics, "paired_accuracy": none, "accuracy": none}
    summary = replace(only.summary, headline=replace(only.summary.headline, metrics=metrics))
    said = state_verdict(replace(view, runs={label: replace(only, summary=summary)}))
    assert said == "one has no result on the examples of the headline, so it has no figure."
