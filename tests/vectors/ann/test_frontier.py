"""Which cells are chosen: fronts, targets chosen on one half of the queries and told of the other, and what may be mixed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ann.made_runs import made, made_run
from constraintsuite.core.records.scores import Interval
from constraintsuite.vectors.ann.frontier import (
    Arena,
    arenas,
    arenas_of_runs,
    best_cells,
    choose_by_recall,
    choose_by_speed,
    most_exact,
    pareto_front,
)


def test_the_front_is_what_nothing_else_beats() -> None:
    cells = [made("a", r, q) for r, q in ((0.5, 900), (0.7, 800), (0.6, 700), (0.9, 100), (0.9, 200), (0.95, 50))]
    assert [(c.point.search["nprobe"]) for c in pareto_front(cells)] == [900, 800, 200, 50]


def test_of_what_is_paid_less_is_better() -> None:
    cells = [made("a", r, q) for r, q in ((0.5, 1), (0.7, 3), (0.6, 5), (0.9, 4))]
    assert [c.speed.qps for c in pareto_front(cells, lambda cell: -cell.speed.qps)] == [1, 3, 4]


def test_a_target_is_chosen_on_one_half_and_told_of_the_other() -> None:
    cells = [made("a", 0.91, 500, report=0.88), made("a", 0.96, 300, report=0.97), made("b", 0.5, 900)]
    rows = [
        (row.name, row.target, row.cell and row.cell.speed.qps, row.recall and row.recall.value)
        for row in choose_by_recall(cells, [0.9, 0.99])
    ]
    assert rows == [("a", 0.9, 500.0, 0.88), ("a", 0.99, None, None), ("b", 0.9, None, None), ("b", 0.99, None, None)]


def test_at_a_speed_the_most_exact_is_chosen_and_told_of_the_other_half() -> None:
    cells = [made("a", 0.91, 500, report=0.88), made("a", 0.96, 300, report=0.97)]
    rows = [(row.target, row.recall and row.recall.value) for row in choose_by_speed(cells, [100, 400, 900])]
    assert rows == [(100, 0.97), (400, 0.88), (900, None)]


def test_the_best_of_an_engine_reaches_the_target_or_is_its_most_exact() -> None:
    cells = [
        made("a", 0.91, 500),
        made("a", 0.96, 300),
        made("b", 0.5, 900),
        made("b", 0.6, 9),
        made("c", 1, 1, exact=True),
    ]
    assert {name: cell.speed.qps for name, cell in best_cells(cells, 0.9).items()} == {"a": 500, "b": 9}


def test_the_most_exact_is_chosen_on_the_tuning_half() -> None:
    lucky, steady = (
        replace(cell, figures={**cell.figures, "ann.recall_tie@10": Interval(whole, None, None, 9)})
        for cell, whole in ((made("a", 0.8, 100, report=0.1), 0.45), (made("a", 0.7, 50, report=0.7), 0.7))
    )
    assert most_exact([lucky, steady]) is lucky


def test_without_a_query_to_choose_on_nothing_is_chosen() -> None:
    cell = made("a", 1.0, 10)
    cell = replace(cell, figures={**cell.figures, "ann.recall_tie@10.tune": Interval(None, None, None, 0)})
    for rows in (choose_by_recall([cell], [0.9]), choose_by_speed([cell], [5])):
        assert [(row.cell, row.decided) for row in rows] == [(None, False)]


def test_a_slug_holds_no_path() -> None:
    arena = Arena("../../a b", "content", 10, "serial", 1, 1, "one/two")
    assert arena.slug == "_.._a_b_k10_serial_t1_onetwo"


def test_modes_are_never_in_one_arena() -> None:
    found = arenas([made("a", 0.9, 10), made("a", 0.9, 99, mode="batch")])
    assert [(arena.mode, len(cells)) for arena, cells in found.items()] == [("serial", 1), ("batch", 1)]


def test_machines_and_rules_for_ties_are_never_in_one_arena(tmp_path: Path) -> None:
    first = made_run(tmp_path, [made("a", 0.9, 10)])
    other_machine = replace(first, facts=replace(first.facts, host={**first.facts.host, "processor": "slide rule"}))
    other_ties = replace(first, facts=replace(first.facts, ties="annb"))
    assert [arena.tag for arena in arenas_of_runs([first, first])] == [""]
    assert len(arenas_of_runs([first, other_machine, other_ties])) == 3


def test_two_sets_of_one_name_have_two_files(tmp_path: Path) -> None:
    cell = made("a", 0.9, 10)
    run = made_run(tmp_path, [cell, replace(cell, content="other")])
    assert [arena.slug for arena in arenas_of_runs([run])] == ["set_k10_serial_t1_conten", "set_k10_serial_t1_other"]
