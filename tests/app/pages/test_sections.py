"""That each section shows the numbers it is about."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from app.pages.conftest import Reported, evaluate, view_of
from constraintsuite.app.pages.group_tables import group_table, groups_of
from constraintsuite.app.pages.sections import SECTIONS
from constraintsuite.app.pages.sections.behaviour import ties, truncation
from constraintsuite.app.pages.sections.reproduction import published_results
from constraintsuite.app.pages.sections.suite import dataset
from constraintsuite.app.pages.sections.systems import comparison, leaderboard, leaderboard_table, slices
from constraintsuite.app.pages.view import ReportView, make_view
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.sections import Charts, Remarks, Section, SectionBlock
from constraintsuite.core.records.tables import Table
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.core.statistics.ties import TieRule
from constraintsuite.experiments.load import Run, load_run, load_suite
from constraintsuite.experiments.summary import TruncationAudit
from constraintsuite.suites.importers.folder import import_suite
from experiments.paired_runs import make_run, make_suite

DATA = os.environ.get("CSUITE_TEST_DATA", "")
UNDEFINED = Interval(None, None, None, 0)


def tables_of(section: Section | None) -> dict[str, Table]:
    assert section is not None
    return {table.name: table for table in section.tables()}


def blocks_of(section: Section | None) -> tuple[SectionBlock, ...]:
    assert section is not None
    return section.blocks


def test_the_leaderboard_is_ranked_and_holds_the_runs_own_figures(view: ReportView) -> None:
    table = leaderboard_table(view)
    assert [column.title for column in table.columns[1:5]] == ["headline", "minpairs", "explicit", "omission"]
    values = [row[1] for row in table.rows]
    assert values == [summary.headline.metrics["paired_accuracy"] for summary in view.summaries]
    accuracies = [value.value or 0.0 for value in values if isinstance(value, Interval)]
    assert accuracies == sorted(accuracies, reverse=True)


def test_another_rule_for_ties_changes_the_leaderboard_and_is_named(reported: Reported) -> None:
    suite, runs = load_suite(reported.suite), [load_run(run) for run in reported.runs]
    strict, half = (leaderboard_table(make_view(suite, runs, TieRule(rule))) for rule in ("strict", "half"))
    of = {row[0]: row[1] for row in strict.rows}, {row[0]: row[1] for row in half.rows}
    assert [getattr(found["bm25:nostop"], "value", None) for found in of] == [0.25, 0.375]
    assert "An equal score counts as wrong." in strict.caption
    assert "An equal score counts by the rule half." in half.caption


def test_charts_name_another_rule_for_ties(reported: Reported) -> None:
    suite, runs = load_suite(reported.suite), [load_run(run) for run in reported.runs]
    for rule, ending in ((TieRule(), ", %"), (TieRule("half"), ", %, ties: half")):
        view = make_view(suite, runs, rule)
        charts = [
            block for make in (leaderboard, slices) for block in blocks_of(make(view)) if isinstance(block, Charts)
        ]
        assert all(drawing.title.endswith(ending) for block in charts for drawing in block.drawings)


def test_nevir_is_ranked_by_paired_accuracy(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", slice="nevir")
    sticks, pairs = [(1.0, 1.0)] * 40, [(1.0, -1.0)] * 10 + [(-1.0, 1.0)] * 30
    runs = [make_run(suite, tmp_path / name, name, gaps) for name, gaps in (("sticks", sticks), ("pairs", pairs))]
    view = make_view(suite, runs)
    assert view.labels == ["pairs", "sticks"]
    assert [column.title for column in leaderboard_table(view).columns] == ["system", "headline", "ties"]


def test_a_model_that_only_ties_is_pointed_out(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    view = make_view(suite, [make_run(suite, tmp_path / "run", "flat", [(0.0, 0.0)] * 40)])
    (remarks,) = [block for block in blocks_of(leaderboard(view)) if isinstance(block, Remarks)]
    assert remarks.sentences[0].startswith("flat ties on all 40 examples")


def test_a_heading_names_a_unit_only_where_the_files_hold_it(view: ReportView) -> None:
    """Shares are written to files between 0 and 1: a heading in per cent would be off by 100 there."""
    columns = [
        c for name in SECTIONS.names() if (s := SECTIONS.load(name)(view)) for t in s.tables() for c in t.columns
    ]
    assert not [c.title for c in columns if c.kind in ("share", "points") and re.search("%|points", c.title)]


def test_slices_come_in_the_order_of_the_product_and_imported_ones_before_controls(view: ReportView) -> None:
    assert groups_of(view.summaries, "slice") == [
        "minpairs",
        "explicit",
        "omission",
        "nonflip",
        "adversarial",
    ]
    groups = {"nevir": view.summaries[0].overall, "nonflip": view.summaries[0].overall}
    imported = replace(view.summaries[0], by={"slice": groups})
    assert groups_of([imported], "slice") == ["nevir", "nonflip"]


def test_a_group_that_a_run_lacks_is_undefined(view: ReportView) -> None:
    first, second = view.runs.values()
    fewer = Run(second.artifact, replace(second.summary, by={**second.summary.by, "domain": {}}), second.results)
    table = group_table({"a": first, "b": fewer}, "domain", METRICS["accuracy"])
    assert [row[0] for row in table.rows] == ["food", "travel"]
    assert [row[2] for row in table.rows] == [None, None]


def test_several_metrics_of_a_run_are_columns_under_their_titles(view: ReportView) -> None:
    metrics = [METRICS[name] for name in ("paired_accuracy", "normalised_gap")]
    label, run = next(iter(view.runs.items()))
    table = group_table({label: run}, "domain", *metrics)
    assert [column.heading for column in table.columns] == ["domain", "Paired accuracy, %", metrics[1].title]
    assert table.rows[0][1:] == tuple(run.summary.by["domain"]["food"].metrics[metric.name] for metric in metrics)
    both = group_table(view.runs, "domain", *metrics)
    assert [column.title for column in both.columns[1::2]] == [f"{label}: paired accuracy" for label in view.runs]


def test_each_pair_of_models_is_tested_once_in_each_metric(view: ReportView) -> None:
    tables = tables_of(comparison(view))
    first, second = view.labels
    assert list(tables) == ["comparison_paired_accuracy", "comparison_accuracy"]
    for table in tables.values():
        (row,) = table.rows
        assert row[0] == f"{first} → {second}"
        assert all(isinstance(p, float) and 0 < p <= 1 for p in row[6:8])


def moved(run: Run, name: str) -> Run:
    return replace(run, artifact=replace(run.artifact, path=run.artifact.path.parent / name))


def test_of_many_runs_each_is_compared_with_the_best(view: ReportView) -> None:
    best, other = view.runs.values()
    many = {"best": best, **{f"m{i}": moved(other, f"m{i}") for i in range(5)}}
    table = tables_of(comparison(replace(view, runs=many)))["comparison_accuracy"]
    pairs = {str(row[0]) for row in table.rows}
    assert pairs == {f"best → m{i}" for i in range(5)}


def test_ties_are_shown_under_four_rules(view: ReportView) -> None:
    table = tables_of(ties(view))["ties_accuracy"]
    row = next(row for row in table.rows if row[0] == "bm25:nostop")
    assert [column.title for column in table.columns[2:]] == ["strict", "half", "random", "mteb"]
    assert [getattr(value, "value", None) for value in row[1:4]] == [0.4, 0.2, 0.4]


def test_truncation_is_shown_for_models_that_say_how_much_they_read(view: ReportView) -> None:
    assert truncation(view) is None
    share = Interval(0.2, 0.1, 0.3, 5)
    figures = {"accuracy": share, "paired_accuracy": UNDEFINED}
    audit = TruncationAudit(5, 1, share, 1, ("creamless",), figures, figures)
    first, second = view.runs.items()
    cut = Run(first[1].artifact, replace(first[1].summary, truncation=audit), first[1].results)
    table = tables_of(truncation(replace(view, runs={first[0]: cut, second[0]: second[1]})))["truncation"]
    assert table.rows == ((first[0], 5, 1, share, 1, share, share, UNDEFINED, UNDEFINED),)


def test_the_dataset_is_counted_by_slice_split_and_kind_of_control(view: ReportView) -> None:
    tables = tables_of(dataset(view))
    assert tables["examples_by_slice"].rows[0] == ("minpairs", 0, 0, 20, 20)
    assert tables["examples_by_domain"].rows == (("food", 30), ("travel", 20))
    assert [row[0] for row in tables["examples_by_control"].rows] == ["case", "idiom", "punctuation"]
    assert tables["lengths"].rows[-1][:2] == ("all", 50)


def test_table_names_are_file_names_of_their_own(view: ReportView) -> None:
    sections = [made for name in SECTIONS.names() if (made := SECTIONS.load(name)(view)) is not None]
    for names in (
        [table.name for section in sections for table in section.files],
        [b.name for section in sections for b in section.blocks if isinstance(b, Table)],
    ):
        assert len(names) == len(set(names))
    assert len(names) > 20
    assert all(name.replace("_", "").isalnum() for name in names)


def test_a_suite_that_is_not_nevir_has_nothing_to_reproduce(view: ReportView) -> None:
    assert published_results(view) is None


@pytest.mark.data
@pytest.mark.skipif(not DATA, reason="CSUITE_TEST_DATA is not set")
def test_nevir_stands_beside_what_was_published(tmp_path: Path) -> None:
    suite = import_suite("nevir", str(Path(DATA) / "nevir" / "test.jsonl"), tmp_path / "nevir").path
    section = published_results(view_of(suite, evaluate(suite, "bm25")))
    (row,) = tables_of(section)["reproduction"].rows
    assert (row[0], row[6]) == ("bm25", "no")  # its stop list deletes the negations
    assert row[2] == pytest.approx(0.029)
    assert isinstance(row[3], Interval)
    assert row[3].n == 1_383
    assert section is not None
    (causes,) = [block for block in section.blocks if isinstance(block, Remarks)]
    assert any("stop list" in sentence for sentence in causes.sentences)
