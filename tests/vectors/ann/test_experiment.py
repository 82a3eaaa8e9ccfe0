"""A benchmark as an experiment: what an item, a system and a group are, which settings are compared, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ann.made_runs import made, made_run, write_values
from constraintsuite.app.views import EXPERIMENTS
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.scores import Interval
from constraintsuite.experiments.compare import Comparison
from constraintsuite.experiments.experiment import compare_experiments, differing_options
from constraintsuite.experiments.gate import check_run
from constraintsuite.experiments.policy import Policy
from constraintsuite.vectors.ann.experiment import RECALL, ann_experiment, choose_cells, open_ann
from constraintsuite.vectors.ann.results import AnnRun
from constraintsuite.vectors.ann.settings import QueryMode

ROWS = np.arange(40)
AT = "arena=set top-10 recall 0.9"
MOST_EXACT = "arena=set top-10 most exact"


def compare(*runs: AnnRun, metric: str = RECALL) -> Comparison:
    return compare_experiments([ann_experiment(run) for run in runs], [metric])


def names(found: Comparison) -> list[tuple[str, str, str]]:
    return [(test.group, test.first, test.second) for test in found.tests]


def test_the_kind_is_known_to_the_commands() -> None:
    assert EXPERIMENTS.load("ann") is open_ann


def test_an_item_is_a_query_at_a_target_and_the_same_query_is_named_in_all_of_them(tmp_path: Path) -> None:
    table = ann_experiment(made_run(tmp_path, [made("a", 0.95, 10)], queries=3)).table
    assert {name: list(members) for name, members in table.groups["arena"].items()} == {
        "set top-10 recall 0.9": [0, 1, 2],
        "set top-10 recall 0.99": [3, 4, 5],
        "set top-10 most exact": [6, 7, 8],
    }
    assert table.within == "arena"
    assert table.items[0].id == "content top-10 serial query 0 recall 0.9"
    assert table.items[0].narrow == table.items[3].narrow != table.items[1].narrow
    assert np.isnan(table.column("a", RECALL, [0, 3])).tolist() == [False, True]  # 0.99 is not reached


def test_shares_have_ends_and_a_gap_has_none(tmp_path: Path) -> None:
    cell = made("a", 0.9, 10, more={"rel.ndcg@10": 0.5, "rel.ceiling.ndcg@10": 0.5})
    metrics = ann_experiment(made_run(tmp_path, [cell])).table.metrics
    assert {name: (one.bounds, one.lower_is_better) for name, one in metrics.items()} == {
        "ann.recall_tie": ((0.0, 1.0), False),
        "ann.recall": ((0.0, 1.0), False),
        "ann.kth_gap": (None, True),
        "rel.ndcg@10": ((0.0, 1.0), False),
    }


def test_queries_on_which_settings_were_chosen_do_not_count(tmp_path: Path) -> None:
    first, second = made("a", 0.9, 500), made("b", 0.95, 300)
    run = made_run(tmp_path, [first, second])
    for cell, report in ((first, 0.25), (second, 0.75)):
        write_values(tmp_path, cell.key, np.where(ROWS < 20, 1.0, report), cell, tuning=ROWS < 20)
    assert {(one.difference.value, one.difference.n) for one in compare(run).tests} == {(0.5, 20)}


def test_the_fastest_of_each_engine_is_compared_at_each_target_that_two_reach(tmp_path: Path) -> None:
    cells = [made("a", 0.9, 500), made("a", 1.0, 50), made("b", 0.95, 300), made("c", 0.5, 900)]
    found = compare(made_run(tmp_path, [*cells, made("flat", 1.0, 5, exact=True)]))
    assert [pair for group, *pair in names(found) if group == AT] == [["a", "b"]]
    assert {group for group, *_ in names(found)} == {AT, MOST_EXACT}
    at = next(test for test in found.tests if test.group == AT)
    assert at.difference.value == pytest.approx(0.05)
    assert found.settings["a"][AT] == {"setting": "a; nprobe=500", "mode": "serial", "queries/s": 500.0}
    assert found.settings["a"][MOST_EXACT]["queries/s"] == 50


def test_engines_keep_the_order_of_the_benchmark_file(tmp_path: Path) -> None:
    run = made_run(tmp_path, [made("far", 0.5, 9), made("flat", 1.0, 5, exact=True), made("near", 0.95, 9)])
    assert ann_experiment(run).table.systems == ("far", "near")


def test_the_most_exact_are_chosen_on_the_queries_that_do_not_count(tmp_path: Path) -> None:
    lucky, steady, other = made("a", 0.8, 100, report=0.1), made("a", 0.7, 50), made("z", 0.5, 10)
    lucky = replace(lucky, figures={**lucky.figures, "ann.recall_tie@10": Interval(0.45, None, None, 40)})
    found = compare(made_run(tmp_path, [lucky, steady, other]))
    assert names(found) == [(MOST_EXACT, "a", "z")]
    assert found.settings["a"][MOST_EXACT]["queries/s"] == 100


def test_the_same_two_cells_at_several_targets_are_one_test(tmp_path: Path) -> None:
    run = made_run(tmp_path, [made("a", 1.0, 100), made("b", 0.99, 90)], queries=2000)
    found = compare(replace(run, facts=replace(run.facts, targets=(0.9, 0.95, 0.99))))
    assert len(found.tests) == 4
    assert {(one.p, one.holm, one.difference) for one in found.tests} == {
        (found.tests[0].p, found.tests[0].p, found.tests[0].difference)
    }
    assert (found.tests[0].p or 1) < 0.01


def test_correction_is_over_all_tests(tmp_path: Path) -> None:
    cells = [made(name, recall, 100) for name, recall in (("a", 0.9), ("b", 0.95), ("c", 1.0))]
    found = compare(made_run(tmp_path, cells))
    ordered = sorted((one.p or 0, one.holm or 0) for one in found.tests if one.group == AT)
    assert len(ordered) == 3
    assert ordered[0][1] == pytest.approx(min(1.0, 3 * ordered[0][0]))  # the most exact cells are the same
    assert all(a[1] <= b[1] for a, b in pairwise(ordered))


def test_tests_of_another_k_that_agree_as_well_are_counted_apart(tmp_path: Path) -> None:
    deep = [made(name, 1.0, 10) for name in ("a", "b")]
    wide = [
        replace(
            cell,
            key=f"{cell.key}-5",
            point=replace(cell.point, k=5),
            figures={name.replace("@10", "@5"): value for name, value in cell.figures.items()},
        )
        for cell in (made("a", 1.0, 10), made("b", 0.9, 10))
    ]
    run = made_run(tmp_path, deep)
    for cell, values in zip(wide, (np.ones(40), np.where(ROWS < 36, 1.0, 0.0)), strict=True):
        write_values(tmp_path, cell.key, values, cell)
    found = compare(replace(run, cells=(*deep, *wide)))
    apart = next(test for test in found.tests if test.difference.value)
    assert apart.holm == pytest.approx(2 * (apart.p or 0))


def test_where_no_query_differs_the_interval_is_that_of_so_many_queries(tmp_path: Path) -> None:
    found = compare(made_run(tmp_path, [made("a", 1.0, 10), made("b", 1.0, 10)])).tests[0]
    assert found.p == 1.0
    assert found.difference.low is not None
    assert -0.1 < found.difference.low < -0.05


def test_a_query_without_a_value_is_left_out(tmp_path: Path) -> None:
    first, second = made("a", 0.95, 10), made("b", 0.95, 10)
    run = made_run(tmp_path, [first, second])
    write_values(tmp_path, first.key, np.where(ROWS == 0, np.nan, 0.5), first)
    assert {one.difference.n for one in compare(run, metric="ann.kth_gap").tests} == {39}


def test_cells_of_other_queries_are_refused(tmp_path: Path) -> None:
    first, second = made("a", 0.95, 10), made("b", 0.95, 10)
    run = made_run(tmp_path, [first, second])
    write_values(tmp_path, second.key, np.ones(30), second)
    with pytest.raises(UserError, match="its cells of set do not have the same queries"):
        ann_experiment(run)


def test_of_several_modes_the_first_is_compared(tmp_path: Path) -> None:
    modes: tuple[QueryMode, ...] = ("batch", "serial")
    cells = [made(name, 0.95, 10, mode=mode) for mode in modes for name in ("a", "b")]
    assert {one.arena.mode for one in choose_cells(made_run(tmp_path, cells))} == {"batch"}


def test_of_two_runs_engines_of_one_name_are_compared_or_all_with_all(tmp_path: Path) -> None:
    old = made_run(tmp_path / "old", [made("a", 0.9, 10), made("b", 0.9, 10)])
    new = made_run(tmp_path / "new", [made("a", 0.95, 10), made("c", 0.9, 10)])
    found = compare(old, new)
    assert [pair for group, *pair in names(found) if group == AT] == [["a (old)", "a (new)"]]
    assert found.settings["a (new)"][AT]["setting"] == "a; nprobe=10"
    other = made_run(tmp_path / "other", [made("d", 0.95, 10)])
    assert [pair for group, *pair in names(compare(old, other)) if group == AT] == [["a", "d"], ["b", "d"]]


def test_runs_with_other_targets_meet_where_engines_are_most_exact(tmp_path: Path) -> None:
    old, new = (made_run(tmp_path / name, [made("a", 0.95, 10)]) for name in ("old", "new"))
    other = replace(new, facts=replace(new.facts, targets=(0.5,)))
    assert names(compare(old, other)) == [(MOST_EXACT, "a (old)", "a (new)")]


def test_runs_with_other_rules_for_ties_or_modes_are_refused(tmp_path: Path) -> None:
    first, second = (made_run(tmp_path / name, [made("a", 0.95, 10)]) for name in ("old", "new"))
    with pytest.raises(UserError, match=r"with the rule for ties relative, .*new with annb"):
        compare(first, replace(second, facts=replace(second.facts, ties="annb")))
    with pytest.raises(UserError, match=r"with the mode serial, .*batch with batch"):
        compare(first, made_run(tmp_path / "batch", [made("a", 0.9, 99, mode="batch")]))


def test_a_gate_fails_where_a_target_is_lost_and_not_where_one_is_won(tmp_path: Path) -> None:
    low, high = (
        ann_experiment(made_run(tmp_path / name, [made("a", recall, 10)]))
        for name, recall in (("low", 0.9), ("high", 1.0))
    )
    policy = Policy.model_validate({"rules": [{"metric": RECALL, "max_drop": 0.2}]})
    won = check_run(policy, high, low)
    assert {verdict.group: verdict.outcome for verdict in won.verdicts} == {AT: "passed", MOST_EXACT: "passed"}
    assert won.notes == (f"{RECALL} is not defined for a in {AT}9, and was not judged.",)
    lost = check_run(policy, low, high)
    assert [verdict.group for verdict in lost.verdicts if verdict.outcome == "failed"] == [f"{AT}9"]


def test_another_machine_is_told(tmp_path: Path) -> None:
    first = made_run(tmp_path, [made("a", 0.95, 10)])
    other = replace(first, facts=replace(first.facts, host={**first.facts.host, "processor": "slide rule"}))
    (said,) = differing_options(ann_experiment(first), ann_experiment(other))
    assert said.startswith("machine was processor abacus")


def test_runs_of_other_data_are_refused(tmp_path: Path) -> None:
    first = made_run(tmp_path / "a", [made("a", 0.9, 10)])
    second = made_run(tmp_path / "b", [made("a", 0.9, 10)])
    with pytest.raises(UserError, match="no item in common"):
        compare(first, replace(second, cells=(replace(second.cells[0], content="other"),)))


def test_data_without_the_metric_are_passed_over(tmp_path: Path) -> None:
    judged = [made(name, 0.95, 10, more={"rel.ndcg@10": 0.5}) for name in ("a", "b")]
    plain = [
        replace(cell, key=f"{cell.key}-plain", content="other", point=replace(cell.point, data="plain"))
        for cell in (made("a", 0.95, 10), made("b", 0.95, 10))
    ]
    run = made_run(tmp_path, [*plain, *judged])
    assert {test.group for test in compare(run, metric="rel.ndcg@10").tests} == {AT, MOST_EXACT}
    with pytest.raises(UserError, match=r"No metric named 'rel.recall@10'"):
        compare(run, metric="rel.recall@10")


def test_what_holds_too_little_to_compare_is_said(tmp_path: Path) -> None:
    alone = made_run(tmp_path / "alone", [made("a", 0.9, 10), made("flat", 1.0, 5, exact=True)])
    with pytest.raises(UserError, match="fewer than two systems"):
        compare(alone)
    exact = made_run(tmp_path / "exact", [made("flat", 1.0, 5, exact=True)])
    with pytest.raises(UserError, match="fewer than two systems"):
        compare(exact)
    far = made("b", 0.9, 10)
    far = replace(far, content="other", point=replace(far.point, data="far"))
    with pytest.raises(UserError, match="no two systems have a value of ann"):
        compare(made_run(tmp_path / "apart", [made("a", 0.9, 10), far]))
