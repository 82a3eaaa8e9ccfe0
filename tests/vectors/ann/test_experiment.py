"""Two engines query by query: differences, intervals, p and its correction, and what cannot be compared."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ann.made_runs import made, made_run, write_values
from constraintsuite.errors import UserError
from constraintsuite.records.scores import Interval
from constraintsuite.vectors.ann.compare import CellDifference, compare_engines, corrected, paired, sets_without

ROWS = np.arange(40)


def names(contrasts: tuple[CellDifference, ...]) -> list[tuple[float | None, str, str]]:
    return [(one.target, one.first.name, one.second.name) for one in contrasts]


def test_a_difference_is_second_less_first_with_interval_and_p() -> None:
    first = np.where(ROWS < 20, 0.5, 1.0)
    found = paired(first, np.ones(40), ROWS)
    assert found.difference.value == pytest.approx(0.25)
    assert found.difference.n == 40
    assert found.difference.low is not None
    assert 0 < found.difference.low < 0.25
    assert found.p is not None
    assert found.p < 0.001


def test_the_p_of_few_queries_is_exact() -> None:
    assert paired(np.zeros(4), np.ones(4), ROWS[:4]).p == pytest.approx(2 / 2**4)


@pytest.mark.parametrize("bounded", [True, False])
def test_where_no_query_differs_there_is_no_interval(bounded: bool) -> None:
    found = paired(np.ones(40), np.ones(40), ROWS, bounded=bounded)
    assert (found.difference, found.p) == (Interval(0.0, None, None, 40), 1.0)


def test_a_query_without_a_value_is_left_out() -> None:
    with_gap = np.where(ROWS == 0, np.nan, 0.5)
    assert paired(with_gap, np.ones(40), ROWS, bounded=False).difference.n == 39
    assert paired(np.full(40, np.nan), np.ones(40), ROWS).p is None


def test_queries_on_which_settings_were_chosen_do_not_count(tmp_path: Path) -> None:
    first, second = made("a", 0.9, 500), made("b", 0.95, 300)
    run = made_run(tmp_path, [first, second])
    for cell, report in ((first, 0.25), (second, 0.75)):
        write_values(tmp_path, cell.key, np.where(ROWS < 20, 1.0, report), cell, tuning=ROWS < 20)
    (one,) = compare_engines([run])
    assert (one.difference.value, one.difference.n) == (0.5, 20)


def test_the_fastest_of_each_engine_is_compared_at_each_target_that_two_reach(tmp_path: Path) -> None:
    cells = [made("a", 0.9, 500), made("a", 1.0, 50), made("b", 0.95, 300), made("c", 0.5, 900)]
    flat = made("flat", 1.0, 5, exact=True)
    found = compare_engines([made_run(tmp_path, [*cells, flat])])
    assert names(found) == [(0.9, "a", "b")]
    (one,) = found
    assert (one.first.qps, one.second.qps, one.metric) == (500, 300, "ann.recall_tie@10")
    assert one.difference.value == pytest.approx(0.05)


def test_where_no_target_is_reached_twice_the_most_exact_are_compared(tmp_path: Path) -> None:
    cells = [made("a", 0.2, 500), made("a", 0.4, 50), made("b", 0.5, 300)]
    (one,) = compare_engines([made_run(tmp_path, cells)])
    assert (one.target, one.first.qps, one.second.qps) == (None, 50, 300)


def test_the_most_exact_are_chosen_on_the_queries_that_do_not_count(tmp_path: Path) -> None:
    lucky, steady, other = made("a", 0.8, 100, report=0.1), made("a", 0.7, 50), made("z", 0.5, 10)
    lucky = replace(lucky, figures={**lucky.figures, "ann.recall_tie@10": Interval(0.45, None, None, 40)})
    (one,) = compare_engines([made_run(tmp_path, [lucky, steady, other])])
    assert (one.target, one.first.qps) == (None, 100)


def test_the_same_two_cells_at_several_targets_are_one_test(tmp_path: Path) -> None:
    run = made_run(tmp_path, [made("a", 1.0, 100), made("b", 0.99, 90)], queries=2000)
    found = compare_engines([replace(run, facts=replace(run.facts, targets=(0.9, 0.95, 0.99)))])
    assert [one.target for one in found] == [0.9, 0.95, 0.99]
    assert [one.holm for one in found] == [one.p for one in found]
    assert found[0].p is not None
    assert found[0].p < 0.01


def test_runs_with_other_rules_for_ties_are_refused(tmp_path: Path) -> None:
    first, second = (made_run(tmp_path / name, [made("a", 0.95, 10)]) for name in ("old", "new"))
    second = replace(second, facts=replace(second.facts, ties="annb"))
    for metric in ("ann.recall_tie", "ann.recall"):
        with pytest.raises(UserError, match=r"'relative' and .*new by 'annb'.*Run one of them again"):
            compare_engines([first, second], metric)


def test_runs_are_compared_in_a_mode_that_both_have(tmp_path: Path) -> None:
    both = made_run(tmp_path / "both", [made("a", 0.95, 10), made("a", 0.95, 99, mode="batch")])
    batch = made_run(tmp_path / "batch", [made("a", 0.9, 99, mode="batch")])
    (one,) = compare_engines([both, batch])
    assert "all queries in one call" in one.arena


def test_correction_is_over_all_tests(tmp_path: Path) -> None:
    cells = [made(name, recall, 100) for name, recall in (("a", 0.9), ("b", 0.95), ("c", 1.0))]
    found = compare_engines([made_run(tmp_path, cells)])
    assert len(found) == 3
    ordered = sorted((one.p or 0, one.holm or 0) for one in found)
    assert ordered[0][1] == pytest.approx(min(1.0, 3 * ordered[0][0]))
    assert all(a[1] <= b[1] for a, b in pairwise(ordered))
    assert [one.holm for one in corrected(found[:1])] == [found[0].p]


def test_of_two_runs_engines_of_one_name_are_compared(tmp_path: Path) -> None:
    old = made_run(tmp_path / "old", [made("a", 0.9, 10), made("b", 0.9, 10)])
    new = made_run(tmp_path / "new", [made("a", 0.95, 10), made("c", 0.9, 10)])
    assert names(compare_engines([old, new])) == [(0.9, "a (old)", "a (new)")]
    other = made_run(tmp_path / "other", [made("d", 0.95, 10)])
    assert names(compare_engines([old, other])) == [(0.9, "a", "d"), (0.9, "b", "d")]


@pytest.mark.parametrize(
    ("metric", "k", "message"),
    [("ann.speed", None, "No metric named 'ann.speed'"), ("ann.recall", 7, "No cell has k = 7; there are: 10")],
)
def test_what_is_not_there_is_said(tmp_path: Path, metric: str, k: int | None, message: str) -> None:
    run = made_run(tmp_path, [made("a", 0.9, 10), made("b", 0.9, 10)])
    with pytest.raises(UserError, match=message):
        compare_engines([run], metric, k)


def test_data_without_the_metric_are_passed_over_and_named(tmp_path: Path) -> None:
    judged = [made(name, 0.95, 10, more={"rel.ndcg@10": 0.5}) for name in ("a", "b")]
    plain = [
        replace(cell, key=f"{cell.key}-plain", content="other", point=replace(cell.point, data="plain"))
        for cell in (made("a", 0.95, 10), made("b", 0.95, 10))
    ]
    run = made_run(tmp_path, [*plain, *judged])
    assert [one.arena.split(",")[0] for one in compare_engines([run], "rel.ndcg@10")] == ["set"]
    assert (sets_without([run], "rel.ndcg@10"), sets_without([run], "ann.recall")) == (["plain"], [])
    with pytest.raises(UserError, match=r"'rel.recall@10'.*ann.kth_gap, rel.ndcg@10\."):
        compare_engines([run], "rel.recall@10")


def test_runs_of_other_data_are_refused(tmp_path: Path) -> None:
    first = made_run(tmp_path / "a", [made("a", 0.9, 10)])
    other = replace(first, path=tmp_path / "b", cells=(replace(first.cells[0], content="other"),))
    with pytest.raises(UserError, match="of other data"):
        compare_engines([first, other])
