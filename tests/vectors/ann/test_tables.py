"""Tables: what was reached, how fast, and what was not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ann.made_runs import made, made_run, write_values
from constraintsuite.core.records.scores import Interval
from constraintsuite.vectors.ann.conditions import about_servers, identities, judged, machines, remarks, sets
from constraintsuite.vectors.ann.frontier import arenas
from constraintsuite.vectors.ann.results import FailedRanking, Repeat, RetrieverBaseline
from constraintsuite.vectors.ann.sections import ann_sections, round_speeds
from constraintsuite.vectors.ann.tables import (
    builds,
    failures,
    gaps,
    latencies,
    measured,
    recall_at_speed,
    speed_at_recall,
)

JUDGED = {f"rel.{part}ndcg@10": 0.5 for part in ("", "ceiling.")}


def test_latencies_are_told_up_to_p999_and_of_a_batch_not_at_all() -> None:
    found = {
        arena.mode: latencies(arena, cells)
        for arena, cells in arenas([made("a", 0.9, 10), made("a", 0.9, 99, mode="batch")]).items()
    }
    serial = found["serial"]
    assert serial is not None
    assert [column.heading for column in serial.columns[2:]] == [
        "p50, ms",
        "p95, ms",
        "p99, ms",
        "p99.9, ms",
        "in the engine, %",
    ]
    assert serial.rows == (("a", "nprobe=10", 1.0, 1.5, 2.0, 3.0, None),)
    assert found["batch"] is None


def test_the_gap_of_the_last_row_is_told_of_approximate_cells() -> None:
    ((arena, cells),) = arenas([made("a", 0.9, 10), made("flat", 1.0, 5, exact=True)]).items()
    assert gaps(arena, cells).rows == (("a", "nprobe=10", cells[0].figures["ann.kth_gap@10"]),)


def test_cells_come_by_speed_and_exact_ones_are_called_so() -> None:
    ((arena, cells),) = arenas([made("flat", 1.0, 5, exact=True), made("a", 0.9, 10)]).items()
    assert [row[0] for row in measured(arena, cells).rows] == ["a", "flat (exact)"]


def test_what_was_not_reached_is_said() -> None:
    ((arena, cells),) = arenas([made("a", 0.5, 10), made("b", 0.95, 7)]).items()
    glance, details = speed_at_recall(arena, cells, [0.9])
    assert glance.rows == (("a", None), ("b", 7.0))
    assert details.rows[0] == ("a", 0.9, None, None, "not reached")
    glance, details = recall_at_speed(arena, cells, [5, 9])
    assert [[value and isinstance(value, Interval) and value.value for value in row[1:]] for row in glance.rows] == [
        [0.5, 0.5],
        [0.95, None],
    ]
    assert details.rows[-1] == ("b", 9, None, None, "not as fast")


@pytest.mark.parametrize(
    ("speeds", "steps"),
    [([150, 900], [200, 500]), ([3, 40_000], [20, 200, 2_000, 20_000]), ([30, 40], []), ([50, 50], [])],
)
def test_speeds_to_keep_up_with_are_round_and_few(speeds: list[float], steps: list[float]) -> None:
    exact = made("flat", 1.0, 1, exact=True)
    assert round_speeds([*(made("a", 0.9, speed) for speed in speeds), exact]) == steps


def test_speeds_of_the_benchmark_file_are_taken(tmp_path: Path) -> None:
    run = made_run(tmp_path, [made("a", 0.95, 500)])
    asked = replace(run, facts=replace(run.facts, settings={**run.facts.settings, "speeds": [123]}))
    titles = [
        column.title for section in ann_sections([asked]) for table in section.tables() for column in table.columns
    ]
    assert "queries/s ≥ 123" in titles


def test_relevance_has_rankings_without_vectors_the_ceiling_and_paired_differences(tmp_path: Path) -> None:
    cell = made("a", 0.75, 10, more=JUDGED)
    run = made_run(tmp_path, [cell, made("flat", 1.0, 5, exact=True, more=JUDGED)], queries=40)
    bm25 = RetrieverBaseline("bm25", "set", "content", "bm25", {"rel.ndcg@10": Interval(0.25, None, None, 40)}, {})
    write_values(tmp_path, "bm25", (np.arange(40) < 10).astype(np.float64), cell)
    ((arena, cells),) = arenas(run.cells).items()
    table = judged(arena, cells, [replace(run, rankings=(bm25,))])
    assert table is not None
    assert [row[:2] for row in table.rows] == [
        ("bm25", "no vectors"),
        ("exact search", "all compared"),
        ("a", "nprobe=10"),
    ]
    lost = table.rows[0][3]
    assert isinstance(lost, Interval)
    assert lost.low is not None
    assert lost.high is not None
    assert lost.value == -0.5
    assert lost.low < -0.5 < lost.high < 0


def test_without_judgments_there_is_no_table_of_relevance(tmp_path: Path) -> None:
    run = made_run(tmp_path, [made("a", 0.75, 10)])
    ((arena, cells),) = arenas(run.cells).items()
    assert judged(arena, cells, [run]) is None


def test_builds_of_two_machines_are_drawn_apart(tmp_path: Path) -> None:
    run = made_run(tmp_path, [made("a", 0.9, 10), made("a", 0.9, 99, mode="batch")])
    other = replace(run, facts=replace(run.facts, host={**run.facts.host, "processor": "slide rule"}))
    drawn = [chart.name for section in ann_sections([run, other]) for chart in section.drawings()]
    assert [name for name in drawn if name.startswith("build")] == [
        "build-set_k10_serial_t1_conditions1",
        "build-set_k10_serial_t1_conditions2",
    ]


def test_a_server_is_said_not_to_be_limited(tmp_path: Path) -> None:
    cell = made("rows", 0.9, 10)
    of_server = replace(cell, point=replace(cell.point, engine="pgvector", name="postgres"))
    said = about_servers([cell, of_server])
    (_, arena, *_) = ann_sections([made_run(tmp_path, [cell, of_server])])
    assert arena.about.endswith(said)
    assert said.startswith(" postgres is a server: ")
    assert about_servers([cell]) == ""


def test_what_reranking_reads_is_said_beside_the_size_of_an_index() -> None:
    cell = made("a", 0.9, 10)
    ((arena, cells),) = arenas([cell]).items()
    assert "rerank" not in builds(arena, cells, 32_000).caption
    again = replace(cell, point=replace(cell.point, rerank=4))
    assert "reads the full vectors too, 0.032 MB that are not counted" in builds(arena, [cell, again], 32_000).caption


def test_without_a_query_to_choose_on_that_is_said() -> None:
    cell = made("a", 1.0, 10)
    cell = replace(cell, figures={**cell.figures, "ann.recall_tie@10.tune": Interval(None, None, None, 0)})
    ((arena, cells),) = arenas([cell]).items()
    for _, details in (speed_at_recall(arena, cells, [0.9]), recall_at_speed(arena, cells, [5])):
        assert details.rows[0][2:] == (None, None, "too few queries to choose a setting")


def test_of_several_runs_it_is_said_in_which_something_failed(tmp_path: Path) -> None:
    failed = FailedRanking("k", "set", "bm25", "no texts")
    runs = [replace(made_run(tmp_path / name, []), failed_rankings=(failed,)) for name in ("old", "new")]
    assert [row[-1] for row in failures(runs).rows] == ["old", "new"]


def test_a_ranking_that_failed_is_told_too(tmp_path: Path) -> None:
    run = replace(made_run(tmp_path, []), failed_rankings=(FailedRanking("k", "set", "bm25", "no texts"),))
    assert failures([run]).rows == (("bm25", None, "set", "ranking", "no texts"),)


def test_the_id_of_a_bundle_stands_beside_every_table(tmp_path: Path) -> None:
    run = made_run(tmp_path, [made("a", 0.95, 500)], bundle="0123456789abcdef0123", form="bundle")
    assert identities([run]) == {"content": "bundle 0123456789abcdef"}
    captions = [
        t.caption for section in ann_sections([run]) for t in section.tables() if t.name not in ("data", "machines")
    ]
    assert captions
    assert all("Data: bundle 0123456789abcdef." in caption for caption in captions)


@pytest.mark.parametrize(
    ("form", "judged_queries", "words", "said"),
    [
        ("synthetic", 0, "generated vectors", True),
        ("npy", 0, "generated vectors", False),
        ("npy", 5, "A subset makes retrieval look easier", True),
        ("npy", 0, "A subset makes retrieval look easier", False),
    ],
)
def test_what_figures_do_not_say_is_said(
    tmp_path: Path, form: str, judged_queries: int, words: str, said: bool
) -> None:
    run = made_run(tmp_path, [], form=form)
    data = replace(run.facts.data[0], judged_queries=judged_queries)
    run = replace(run, facts=replace(run.facts, data=(data,)))
    assert any(words in remark for remark in remarks([run])) == said


def test_what_is_plain_numpy_is_said(tmp_path: Path) -> None:
    compiled = made("codes", 0.9, 1)
    run = made_run(tmp_path, [replace(compiled, point=replace(compiled.point, engine="coded"))])
    assert any(remark.startswith("codes: written in NumPy.") for remark in remarks([run]))
    assert not any("NumPy" in remark for remark in remarks([replace(run, cells=(compiled,))]))


def test_one_repeat_has_no_variation() -> None:
    cell = made("a", 0.9, 10)
    twice = replace(cell, speed=replace(cell.speed, repeats=(*cell.speed.repeats, Repeat(1.0, 30))))
    ((arena, cells),) = arenas([cell, twice]).items()
    assert {row[-1] for row in measured(arena, cells).rows} == {None, 0.5}


def test_exact_engines_are_called_so_at_targets_too() -> None:
    ((arena, cells),) = arenas([made("flat", 1.0, 5, exact=True), made("exact", 1.0, 6, exact=True)]).items()
    for glance, details in (speed_at_recall(arena, cells, [0.9]), recall_at_speed(arena, cells, [1])):
        assert [row[0] for table in (glance, details) for row in table.rows] == ["flat (exact)", "exact"] * 2
        assert "one half of the queries (n = 9)" in glance.caption


def test_an_error_of_many_lines_is_told_in_one(tmp_path: Path) -> None:
    said = "RuntimeError: " + 300 * "x" + "\nTraceback\n  ^^^^\nfew   training points"
    run = replace(made_run(tmp_path, []), failed_rankings=(FailedRanking("k", "set", "bm25", said),))
    (row,) = failures([run]).rows
    assert row[-1] == f"RuntimeError: {86 * 'x'} … {100 * 'x'} … few training points"


def test_the_machine_its_threads_and_versions_are_told(tmp_path: Path) -> None:
    run = made_run(tmp_path, [made("a", 0.9, 1)])
    (row,) = machines([run]).rows
    assert row[1:3] == ("abacus", 2)
    assert "1 thread," in str(row[5])
    assert "numpy 2" in str(row[7])
    assert sets([run]).rows[0][:3] == ("set", "npy", "content")
