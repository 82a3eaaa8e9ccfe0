"""Runs of memory benchmarks on one page."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.app.views.display import ShowOptions
from constraintsuite.app.views.memory.runs import baseline_tables, show_memory_run
from constraintsuite.core.records.sections import Section
from constraintsuite.experiments.experiment import compare_experiments
from constraintsuite.memory.runs.experiment import memory_experiment
from memory.runs.made_outcomes import made_run, outcomes


@pytest.fixture
def page(tmp_path: Path) -> list[Section]:
    """Two runs of one benchmark."""
    made_run(tmp_path / "a", [*outcomes("lexical_baseline", "10" * 10), *outcomes("ppr", "11" * 10)])
    made_run(tmp_path / "b", [*outcomes("lexical_baseline", "10" * 10), *outcomes("ppr", "01" * 10)])
    return list(show_memory_run([tmp_path / "a", tmp_path / "b"], ShowOptions()).sections)


def test_two_runs_of_one_benchmark_share_no_id(page: list[Section]) -> None:
    charts = [drawing.name for section in page for drawing in section.drawings()]
    tables = [table.name for section in page for table in section.tables()]
    assert len(charts) == 2
    assert [name for name, count in Counter([*charts, *tables, *(one.id for one in page)]).items() if count > 1] == []


def test_sections_of_several_runs_say_which_they_are_of(page: list[Section]) -> None:
    assert [section.title for section in page if section.title.startswith("Scores")] == ["Scores: a", "Scores: b"]


def test_a_page_tests_modes_as_compare_does(tmp_path: Path) -> None:
    modes = [*outcomes("lexical_baseline", "10" * 10), *outcomes("ppr", "11" * 10), *outcomes("hybrid", "1110" * 5)]
    run = made_run(tmp_path / "run", [replace(row, budget=budget) for budget in (5, 10) for row in modes])
    found = compare_experiments([memory_experiment(run)], run.table.headlines(5)[:2])
    for budget, table in baseline_tables(run).items():
        headings = [column.title for column in table.columns]
        shown = [[row[headings.index(name)] for name in ("system", "difference", "p", "Holm")] for row in table.rows]
        own = [test for test in found.tests if test.group == f"budget={budget}"]
        assert shown == [[test.second, test.difference, test.p, test.holm] for test in own]
    assert list(baseline_tables(run)) == [5, 10]


def test_without_the_baseline_nothing_is_tested(tmp_path: Path) -> None:
    run = made_run(tmp_path / "run", [*outcomes("hybrid", "10" * 10), *outcomes("ppr", "11" * 10)])
    assert baseline_tables(run) == {}
