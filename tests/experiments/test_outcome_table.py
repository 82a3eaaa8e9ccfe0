from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.app.pages.comparison import comparison_text
from constraintsuite.core.errors import UserError
from constraintsuite.core.statistics.intervals import wilson_bounds
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.experiments.compare import SystemPair, compare_systems, mean_difference, paired_test
from constraintsuite.experiments.differences import settings_table
from constraintsuite.experiments.experiment import Experiment, compare_experiments, join_experiments
from constraintsuite.experiments.figures import group_figures
from constraintsuite.experiments.outcome_table import Details, Item, JoinedTable, StoredTable

HIT = Metric(name="hit", title="Hit", chance=0.1)
TOKENS = Metric(name="tokens", title="Tokens", share=False)
RANK = Metric(name="rank", title="Rank", share=False, average="median")


def table_of(hits: dict[str, list[float]], *, within: str | None = None, ids: str = "abcdefgh") -> StoredTable:
    count = len(next(iter(hits.values())))
    halves = {"10": list(range(count // 2)), "20": list(range(count // 2, count))}
    return StoredTable(
        items=[Item(name) for name in ids[:count]],
        metrics={"hit": HIT, "tokens": TOKENS, "rank": RANK},
        values={system: {"hit": np.array(values)} for system, values in hits.items()},
        groups={"budget": halves, "type": {"odd": list(range(1, count, 2)), "even": list(range(0, count, 2))}},
        headline_metric="hit",
        within=within,
    )


def experiment(name: str, table: StoredTable, **given: object) -> Experiment:
    settings = {"inputs": {"data": "1"}, **given}
    return Experiment(Path(name), "memory_run", name, "data", table, **settings)  # type: ignore[arg-type]


def test_groups_that_are_never_pooled_have_their_own_totals() -> None:
    table = table_of({"one": [1, 0, 1, 1]}, within="budget")
    assert table.parts("type") == {
        "budget=10": [0, 1],
        "budget=10, type=odd": [1],
        "budget=10, type=even": [0],
        "budget=20": [2, 3],
        "budget=20, type=odd": [3],
        "budget=20, type=even": [2],
    }
    assert table.members("budget=20, type=odd") == [3]
    assert list(table.members("overall")) == [0, 1, 2, 3]


def test_an_unknown_group_is_empty_and_an_unknown_grouping_an_error() -> None:
    table = table_of({"one": [1, 0]})
    assert table.members("type=prime") == ()
    with pytest.raises(UserError, match=r"No grouping named 'typ'.*Did you mean 'type'"):
        table.members("typ=odd")


def test_a_system_without_a_metric_has_no_values_of_it() -> None:
    table = table_of({"one": [1, 0]})
    assert np.isnan(table.column("one", "tokens", [0, 1])).all()
    assert group_figures(table, "one", [0, 1], metrics=["tokens"]).metrics["tokens"].n == 0


def test_joined_tables_have_the_items_of_both_in_the_order_of_the_first() -> None:
    first, second = table_of({"one": [1, 0, 1]}, ids="abc"), table_of({"two": [0, 1, 0]}, ids="cbx")
    table = JoinedTable([first, second], {"one": (0, "one"), "two": (1, "two")})
    assert [item.id for item in table.items] == ["b", "c"]
    assert table.column("one", "hit", [0, 1]).tolist() == [0, 1]
    assert table.column("two", "hit", [0, 1]).tolist() == [1, 0]
    assert table.groups["type"] == {"odd": [0], "even": [1]}
    with pytest.raises(UserError, match="no item in common"):
        JoinedTable([first, table_of({"two": [1]}, ids="x")], {})


def test_the_systems_of_one_run_are_compared_with_its_reference() -> None:
    one = experiment("run", table_of({"a": [1, 0], "b": [1, 1], "c": [0, 0]}), reference="b")
    assert join_experiments([one]).pairs == [("b", "a"), ("b", "c")]
    assert join_experiments([one], against="c").pairs == [("c", "a"), ("c", "b")]
    with pytest.raises(UserError, match="no system named 'd'"):
        join_experiments([one], against="d")


def test_runs_of_one_system_each_can_be_compared_with_one_of_them() -> None:
    runs = [experiment(name, table_of({name: [1, 0]})) for name in "abc"]
    assert join_experiments(runs).pairs == [("a", "b"), ("a", "c"), ("b", "c")]
    assert join_experiments(runs, against="b").pairs == [("b", "a"), ("b", "c")]
    several = experiment("several", table_of({"d": [1, 1], "e": [0, 1]}))
    with pytest.raises(UserError, match="hold several systems each"):
        join_experiments([*runs, several], against="b")


def test_runs_of_several_systems_are_compared_system_by_system(tmp_path: Path) -> None:
    old = experiment("old", table_of({"a": [1, 0], "b": [1, 1]}))
    new = experiment("new", table_of({"a": [1, 1], "c": [1, 1]}))
    found = compare_experiments([old, new])
    assert [(test.first, test.second, test.value_second) for test in found.tests] == [("a (old)", "a (new)", 1.0)]
    assert found.systems == ("a (old)", "b", "a (new)", "c")
    with pytest.raises(UserError, match="named twice"):
        compare_experiments([old, old])


def test_runs_that_share_no_system_are_compared_all_with_all() -> None:
    old = experiment("old", table_of({"a": [1, 0], "b": [1, 1]}))
    assert join_experiments([old, experiment("new", table_of({"c": [1, 1]}))]).pairs == [("a", "c"), ("b", "c")]


def test_where_groups_are_never_pooled_only_those_that_both_were_measured_in_are_compared() -> None:
    table = table_of({"a": [1, 0, 1, 1], "b": [1, 1, np.nan, np.nan]}, within="budget")
    assert [test.group for test in compare_experiments([experiment("run", table)]).tests] == ["budget=10"]
    apart = table_of({"a": [1, 0, np.nan, np.nan], "b": [np.nan, np.nan, 1, 0]}, within="budget")
    with pytest.raises(UserError, match="no two systems have a value of hit for the same items"):
        compare_experiments([experiment("run", apart)])


def test_how_a_system_was_set_in_a_group_is_told() -> None:
    settings: dict[str, Details] = {"budget=10": {"ef": 8.0}, "budget=20": {"ef": 16.0, "why": "budget"}}
    tables = [
        StoredTable(
            [Item("x"), Item("y")],
            {"hit": HIT},
            {"a": {"hit": np.array([1.0, 0.0])}},
            {"budget": {"10": [0], "20": [1]}},
            "hit",
            within="budget",
            settings=given,
        )
        for given in ({"a": settings}, {})
    ]
    found = compare_experiments([experiment(name, one) for name, one in zip(("old", "new"), tables, strict=True)])
    assert found.settings == {"a (old)": settings}
    table = settings_table("settings", "Settings", found.settings)
    assert [(column.title, column.kind) for column in table.columns] == [
        ("budget", "text"),
        ("system", "text"),
        ("ef", "number"),
        ("why", "text"),
    ]
    assert table.rows == (("10", "a (old)", 8.0, None), ("20", "a (old)", 16.0, "budget"))
    assert "Settings" in comparison_text(found)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"inputs": {"data": "2"}}, "not of the same data: the data of data differs from data"),
        ({"conditions": {"now": 5}}, "new was run with now|was run with now None.*with 5"),
    ],
)
def test_runs_of_other_data_or_conditions_are_refused(given: dict[str, object], words: str) -> None:
    old, new = experiment("old", table_of({"a": [1]})), experiment("new", table_of({"a": [1]}), **given)
    with pytest.raises(UserError, match=words):
        compare_experiments([old, new])


def test_a_median_is_not_compared() -> None:
    table = table_of({"a": [1, 0], "b": [0, 1]})
    with pytest.raises(UserError, match="rank is a median"):
        compare_systems(table, [SystemPair("a", "b")], ["rank"], {"overall": table.main})


def test_the_same_test_under_two_names_is_corrected_for_once() -> None:
    table = table_of({"a": [1, 1, 1, 1, 1, 1, 1, 1], "b": [0, 0, 0, 0, 0, 0, 0, 1]})
    pair = [SystemPair("a", "b")]
    (alone,) = compare_systems(table, pair, ["hit"], {"overall": table.main})
    twice = compare_systems(table, pair, ["hit"], {"overall": table.main, "split=test": table.main})
    assert [test.holm for test in twice] == [alone.holm, alone.holm]
    parts = compare_systems(table, pair, ["hit"], table.parts("type"))
    assert parts[0].holm == pytest.approx(3 * (parts[0].p or 0))


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=40))
def test_an_interval_never_calls_agreement_certain(values: list[float]) -> None:
    differences = np.array(values)
    found = mean_difference(differences, np.arange(len(values)), HIT, np.random.default_rng(0))
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low <= found.value <= found.high <= 1
    _, counts = np.unique(differences, return_counts=True)
    if len(values) - counts.max() < 6:
        reach = wilson_bounds(0.0, len(values)).high
        assert found.high >= min(1.0, found.value + reach) - 1e-8
        assert found.low <= max(-1.0, found.value - reach) + 1e-8


def test_a_metric_without_ends_has_no_bounds_to_reach_for() -> None:
    found = mean_difference(np.full(20, 7.0), np.arange(20), TOKENS, np.random.default_rng(0))
    assert (found.value, found.low, found.high) == (7.0, None, None)


def test_what_only_one_system_has_is_not_compared() -> None:
    table = table_of({"a": [1, np.nan, 1, 0], "b": [1, 1, np.nan, 1]})
    test = paired_test(table, SystemPair("a", "b"), HIT, "overall", table.main)
    assert (test.difference.n, test.only_first, test.only_second) == (2, 0, 1)
