"""Several runs on one page: engines of one name are told apart, and nothing is lost or taken from another run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ann.made_runs import made, made_run, write_values
from constraintsuite.core.records.plots import Plot
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.tables import Table
from constraintsuite.vectors.ann.frontier import find_run, label_runs, separate_runs
from constraintsuite.vectors.ann.results import AnnRun, RetrieverBaseline
from constraintsuite.vectors.ann.sections import ann_sections

SLOW, FAST = made("hnsw", 0.9, 100), made("hnsw", 0.95, 90)
JUDGED = {f"rel.{part}ndcg@10": 0.5 for part in ("", "ceiling.")}


def tables(runs: Sequence[AnnRun], begin: str) -> list[Table]:
    return [table for section in ann_sections(runs) for table in section.tables() if table.name.startswith(begin)]


def on_another_machine(run: AnnRun) -> AnnRun:
    return replace(run, facts=replace(run.facts, host={**run.facts.host, "processor": "slide rule"}))


def names(runs: Sequence[AnnRun]) -> list[list[str]]:
    return [[cell.point.name for cell in run.cells] for run in separate_runs(runs)]


def test_engines_of_one_name_are_called_by_their_run(tmp_path: Path) -> None:
    old = made_run(tmp_path / "old", [SLOW, made("ivf", 0.5, 9)])
    new = made_run(tmp_path / "new", [FAST])
    assert names([old, new]) == [["hnsw (old)", "ivf"], ["hnsw (new)"]]
    (glance,) = tables([old, new], "speed_at_recall")
    assert [row[0] for row in glance.rows] == ["hnsw (old)", "ivf", "hnsw (new)"]
    drawn = [
        plot
        for section in ann_sections([old, new])
        for plot in section.drawings()
        if isinstance(plot, Plot) and plot.name.startswith("front")
    ]
    assert [series.name for series in drawn[0].series] == ["hnsw (old)", "ivf", "hnsw (new)"]


def test_the_very_same_cells_are_told_once(tmp_path: Path) -> None:
    run = made_run(tmp_path / "run", [SLOW])
    went_on = made_run(tmp_path / "copy", [SLOW, FAST])
    assert names([run, run]) == [["hnsw"], []]
    assert names([run, went_on]) == [["hnsw"], ["hnsw"]]
    assert names([went_on, run]) == [["hnsw", "hnsw"], []]


def test_runs_that_meet_nowhere_need_no_other_names(tmp_path: Path) -> None:
    run = made_run(tmp_path / "old", [SLOW])
    other_data = replace(made_run(tmp_path / "new", []), cells=(replace(FAST, content="other"),))
    assert names([run, other_data]) == [["hnsw"], ["hnsw"]]
    assert names([run, on_another_machine(made_run(tmp_path / "new", [FAST]))]) == [["hnsw"], ["hnsw"]]


def test_a_build_of_each_run_and_of_each_number_of_threads_is_told(tmp_path: Path) -> None:
    old = made_run(tmp_path / "old", [replace(SLOW, library="hnswlib 0.7")])
    four = replace(SLOW, key="four", point=replace(SLOW.point, threads=4), library="hnswlib 0.8")
    new = made_run(tmp_path / "new", [replace(FAST, library="hnswlib 0.8"), four])
    (built,) = tables([old, new], "builds")
    assert [(row[0], row[-1]) for row in built.rows] == [
        ("hnsw (old), 1 thread", "hnswlib 0.7"),
        ("hnsw (new), 1 thread", "hnswlib 0.8"),
        ("hnsw (new), 4 threads", "hnswlib 0.8"),
    ]


def test_what_was_found_comes_from_the_run_that_owns_the_cell(tmp_path: Path) -> None:
    first = made_run(tmp_path / "first", [SLOW])
    second = on_another_machine(made_run(tmp_path / "second", [SLOW]))
    write_values(first.path, SLOW.key, np.r_[np.zeros(39), 1.0], SLOW)
    write_values(second.path, SLOW.key, np.r_[np.ones(39), 0.5], SLOW)
    said = [
        plot.series[0].spots[-1].words
        for section in ann_sections([first, second])
        for plot in section.drawings()
        if isinstance(plot, Plot) and plot.name.startswith("queries")
    ]
    assert ["worst recall 0.0 %" in words for words in said] == [True, False]
    assert "worst recall 50.0 %" in said[1]
    apart = separate_runs([first, second])
    assert [find_run(apart, run.cells[0]).path.name for run in apart] == ["first", "second"]


def test_relevance_is_of_the_run_that_owns_the_cell(tmp_path: Path) -> None:
    cell = made("hnsw", 0.75, 10, more=JUDGED)
    runs = [made_run(tmp_path / "first", [cell]), on_another_machine(made_run(tmp_path / "second", [cell]))]
    write_values(tmp_path / "first", cell.key, np.ones(30), cell)
    found = [row[3] for table in tables(runs, "relevance") for row in table.rows if row[0] == "hnsw"]
    assert [value.n for value in found if isinstance(value, Interval)] == [30, 40]


@pytest.mark.parametrize(
    ("second", "shown"), [(0.25, [["bm25"], []]), (0.5, [["bm25 (old)"], ["bm25 (new)"]])], ids=["same", "other"]
)
def test_rankings_that_differ_are_told_apart_too(tmp_path: Path, second: float, shown: list[list[str]]) -> None:
    runs = [
        replace(
            made_run(tmp_path / name, []),
            rankings=(
                RetrieverBaseline("k", "set", "content", "bm25", {"rel.ndcg@10": Interval(value, None, None, 9)}, {}),
            ),
        )
        for name, value in (("old", 0.25), ("new", second))
    ]
    assert [[one.retriever for one in run.rankings] for run in separate_runs(runs)] == shown


def test_a_comparison_says_of_which_run_it_is(tmp_path: Path) -> None:
    runs = [made_run(tmp_path / name, [made("a", 0.95, 10), made("b", 0.9, 10)]) for name in ("old", "new")]
    assert [table.caption.rsplit(", ", 1)[-1] for table in tables(runs, "compared")] == ["run old.", "run new."]
    assert not any("run " in table.caption for table in tables(runs[:1], "compared"))


@pytest.mark.parametrize(
    ("folders", "called"),
    [
        (["runs/old", "runs/new"], ["old", "new"]),
        (["a/run", "b/run"], ["a/run", "b/run"]),
        (["a/x/run", "b/x/run", "c"], ["a/x/run", "b/x/run", "c"]),
    ],
)
def test_runs_are_called_by_their_folders(tmp_path: Path, folders: list[str], called: list[str]) -> None:
    assert [label for label, _ in label_runs([made_run(tmp_path / folder, []) for folder in folders])] == called


def test_a_run_in_the_working_folder_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert [label for label, _ in label_runs([made_run(Path(), [])])] == ["here"]
