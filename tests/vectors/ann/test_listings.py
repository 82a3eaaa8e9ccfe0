"""Tables: what was reached, how fast, and what was not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ann.made_runs import made, made_run, write_values
from constraintsuite.records.scores import Interval
from constraintsuite.vectors.ann.conditions import identities, machines, remarks, sets
from constraintsuite.vectors.ann.frontier import arenas
from constraintsuite.vectors.ann.judged import judged
from constraintsuite.vectors.ann.listings import failures, gaps, kept_up, latencies, measured, reached
from constraintsuite.vectors.ann.outline import outline, round_speeds
from constraintsuite.vectors.ann.results import FailedRanking, Ranking

JUDGED = {f"rel.{part}ndcg@10": 0.5 for part in ("", "ceiling.")}


def test_latencies_are_told_up_to_p999_and_of_a_batch_not_at_all() -> None:
    found = {
        arena.mode: latencies(arena, cells)
        for arena, cells in arenas([made("a", 0.9, 10), made("a", 0.9, 99, mode="batch")]).items()
    }
    serial = found["serial"]
    assert serial is not None
    assert [title for title, _ in serial.columns[2:]] == ["p50, ms", "p95, ms", "p99, ms", "p99.9, ms"]
    assert serial.rows == (("a", "probes=10", 1.0, 1.5, 2.0, 3.0),)
    assert found["batch"] is None


def test_the_gap_of_the_last_row_is_told_of_approximate_cells() -> None:
    ((arena, cells),) = arenas([made("a", 0.9, 10), made("flat", 1.0, 5, exact=True)]).items()
    assert gaps(arena, cells).rows == (("a", "probes=10", cells[0].figures["ann.kth_gap@10"]),)


def test_cells_come_by_speed_and_exact_ones_are_called_so() -> None:
    ((arena, cells),) = arenas([made("flat", 1.0, 5, exact=True), made("a", 0.9, 10)]).items()
    assert [row[0] for row in measured(arena, cells).rows] == ["a", "flat (exact)"]


def test_what_was_not_reached_is_said() -> None:
    ((arena, cells),) = arenas([made("a", 0.5, 10), made("b", 0.95, 7)]).items()
    glance, details = reached(arena, cells, [0.9])
    assert glance.rows == (("a", None), ("b", 7.0))
    assert details.rows[0] == ("a", 0.9, None, None, "not reached")
    glance, details = kept_up(arena, cells, [5, 9])
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
    titles = [title for chapter in outline([asked]) for table in chapter.listings for title, _ in table.columns]
    assert "queries/s ≥ 123" in titles


def test_relevance_has_rankings_without_vectors_the_ceiling_and_paired_differences(tmp_path: Path) -> None:
    cell = made("a", 0.75, 10, more=JUDGED)
    run = made_run(tmp_path, [cell, made("flat", 1.0, 5, exact=True, more=JUDGED)], queries=40)
    bm25 = Ranking("bm25", "set", "content", "bm25", {"rel.ndcg@10": Interval(0.25, None, None, 40)}, {})
    write_values(tmp_path, "bm25", (np.arange(40) < 10).astype(np.float64), cell)
    ((arena, cells),) = arenas(run.cells).items()
    table = judged(arena, cells, [replace(run, rankings=(bm25,))])
    assert table is not None
    assert [row[:2] for row in table.rows] == [
        ("bm25", "no vectors"),
        ("exact search", "the ceiling"),
        ("a", "probes=10"),
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
    drawn = [chart.name for chapter in outline([run, other]) for chart in chapter.charts]
    assert [name for name in drawn if name.startswith("build")] == [
        "build-set_k10_serial_t1_conditions1",
        "build-set_k10_serial_t1_conditions2",
    ]


def test_a_ranking_that_failed_is_told_too(tmp_path: Path) -> None:
    run = replace(made_run(tmp_path, []), failed_rankings=(FailedRanking("k", "set", "bm25", "no texts"),))
    assert failures([run]).rows == (("bm25", None, "set", "ranking", "no texts"),)


def test_the_id_of_a_bundle_stands_beside_every_table(tmp_path: Path) -> None:
    run = made_run(tmp_path, [made("a", 0.95, 500)], bundle="0123456789abcdef0123", form="bundle")
    assert identities([run]) == {"content": "bundle 0123456789abcdef"}
    captions = [t.caption for c in outline([run]) for t in c.listings if t.name not in ("data", "machines")]
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


def test_the_machine_its_threads_and_versions_are_told(tmp_path: Path) -> None:
    run = made_run(tmp_path, [made("a", 0.9, 1)])
    (row,) = machines([run]).rows
    assert row[1:3] == ("abacus", 2)
    assert "1 thread," in str(row[5])
    assert "numpy 2" in str(row[7])
    assert sets([run]).rows[0][:3] == ("set", "npy", "content")
