from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.app.pages.comparison import comparison_markdown, comparison_text
from constraintsuite.core.errors import UserError
from constraintsuite.core.statistics.significance import mcnemar
from constraintsuite.core.statistics.ties import STRICT, TieRule
from constraintsuite.experiments.compare import Comparison, PairedDifference
from constraintsuite.experiments.experiment import compare_experiments
from constraintsuite.experiments.load import Run, Suite, name_runs
from constraintsuite.experiments.pair_experiment import pair_experiments
from experiments.paired_runs import RIGHT, TIED, WRONG, make_run, make_suite

ACCURACY, PAIRED = "accuracy", "paired_accuracy"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return make_suite(tmp_path_factory.mktemp("compare") / "suite")


def compare_runs(
    suite: Suite,
    runs: Mapping[str, Run],
    metrics: Sequence[str],
    *,
    rule: TieRule = STRICT,
    by: str | None = None,
    seed: int = 0,
    changed: int = 0,
) -> Comparison:
    experiments = pair_experiments(suite, runs, rule)
    return compare_experiments(experiments, metrics, by=by, seed=seed, changed=changed)


def test_a_difference_has_its_interval_counts_and_tests(suite: Suite, tmp_path: Path) -> None:
    before = make_run(suite, tmp_path / "a", "a", [RIGHT] * 20 + [WRONG] * 20)
    after = make_run(suite, tmp_path / "b", "b", [WRONG] * 2 + [RIGHT] * 28 + [WRONG] * 10)
    (test,) = compare_runs(suite, {"a": before, "b": after}, [ACCURACY]).tests
    assert (test.first, test.second, test.metric, test.group) == ("a", "b", "accuracy", "headline")
    assert (test.value_first, test.value_second) == (0.5, 0.7)
    assert (test.difference.value, test.difference.n) == (0.2, 40)
    assert (test.only_first, test.only_second) == (2, 10)
    assert test.mcnemar == pytest.approx(mcnemar(2, 10))
    # Two examples a passage: in 2 of the 10 passages one is won and one lost, 8 others differ by one.
    assert test.p == pytest.approx(2 / 2**8)
    assert test.difference.low is not None
    assert 0 < test.difference.low < 0.2


def test_the_interval_of_a_difference_is_that_of_paired_values(suite: Suite, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    noise = [(float(x), -1.0) for x in rng.normal(0, 1, 40)]
    one = make_run(suite, tmp_path / "a", "a", noise)
    other = make_run(suite, tmp_path / "b", "b", [(x + 0.0, y) for x, y in noise])
    (test,) = compare_runs(suite, {"a": one, "b": other}, ["normalised_gap"]).tests
    assert (test.difference.value, test.difference.low, test.difference.high) == (0.0, None, None)
    assert (test.p, test.mcnemar) == (1.0, None)


def test_runs_that_never_differ_are_not_certainly_equal(suite: Suite, tmp_path: Path) -> None:
    runs = {name: make_run(suite, tmp_path / name, name, [RIGHT] * 40) for name in "ab"}
    (test,) = compare_runs(suite, runs, [ACCURACY]).tests
    assert (test.difference.value, test.p, test.mcnemar) == (0.0, 1.0, 1.0)
    assert test.difference.high == pytest.approx(0.161, abs=5e-4)  # Wilson's bound of 0 of 20 passages
    assert test.difference.low == -(test.difference.high or 0)


def test_the_interval_of_a_difference_of_shares_ends_where_shares_do(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", count=3, passages=3)  # so few that the interval is Student's
    runs = {
        "a": make_run(suite, tmp_path / "a", "a", [WRONG] * 3),
        "b": make_run(suite, tmp_path / "b", "b", [RIGHT, RIGHT, WRONG]),
    }
    (test,) = compare_runs(suite, runs, [ACCURACY]).tests
    assert test.difference.low == pytest.approx(-0.768, abs=5e-4)
    assert test.difference.high == 1.0


def test_holm_is_over_all_pairs_metrics_and_groups(suite: Suite, tmp_path: Path) -> None:
    runs = {
        "a": make_run(suite, tmp_path / "a", "a", [RIGHT] * 40),
        "b": make_run(suite, tmp_path / "b", "b", [WRONG] * 40),
        "c": make_run(suite, tmp_path / "c", "c", [RIGHT] * 30 + [WRONG] * 10),
    }
    tests = compare_runs(suite, runs, [ACCURACY, PAIRED], by="slice").tests
    assert [(test.first, test.second) for test in tests[::6]] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [test.group for test in tests[:3]] == ["headline", "slice=explicit", "slice=minpairs"]
    smallest = min(test.p for test in tests if test.p is not None)
    assert min(test.holm for test in tests if test.holm is not None) == pytest.approx(smallest * 18)


def test_a_tie_counts_what_the_rule_says(suite: Suite, tmp_path: Path) -> None:
    runs = {
        "a": make_run(suite, tmp_path / "a", "a", [TIED] * 40),
        "b": make_run(suite, tmp_path / "b", "b", [RIGHT] * 40),
    }

    def test_under(rule: TieRule) -> PairedDifference:
        return compare_runs(suite, runs, [PAIRED], rule=rule).tests[0]

    assert (test_under(TieRule()).value_first, test_under(TieRule()).only_second) == (0.0, 40)
    half = test_under(TieRule("half"))
    assert (half.value_first, half.only_second, half.mcnemar) == (0.25, None, None)  # neither right nor wrong


def test_changed_examples_come_with_queries_documents_and_gaps(suite: Suite, tmp_path: Path) -> None:
    before = make_run(suite, tmp_path / "a", "a", [WRONG] * 40)
    after = make_run(suite, tmp_path / "b", "b", [WRONG] * 5 + [(1.0, 1.0), (3.0, 1.0)] + [WRONG] * 33)
    found = compare_runs(suite, {"a": before, "b": after}, [ACCURACY], changed=1)
    (change,) = found.changes["a -> b"]
    assert (change.id, change.first, change.second) == ("e006", 0.0, 1.0)  # the one that moved further
    assert (change.texts["slice"], change.texts["query"]) == ("minpairs", "6 without cream")
    assert change.texts["violating"] == "soup 6 with cream"
    assert (change.seen_first["query"], change.seen_first["gap under query"]) == ("wrong", -1.0)
    assert (change.seen_second["query"], change.seen_second["gap under query"]) == ("right", 3.0)
    text = comparison_text(found)
    assert "e006  0 → 1" in text
    assert "query: 6 without cream" in text
    assert "first: query wrong, opposite wrong, gap under query -1" in text
    assert "| headline | 0.0 | 5.0 | +5.0 (" in comparison_markdown(found)


def test_only_what_all_runs_have_is_compared(suite: Suite, tmp_path: Path) -> None:
    whole = make_run(suite, tmp_path / "a", "a", [RIGHT] * 40)
    part = make_run(suite, tmp_path / "b", "b", [RIGHT] * 30)
    found = compare_runs(suite, {"a": whole, "b": part}, [ACCURACY])
    assert (found.items, found.left_out, found.tests[0].difference.n) == (30, 10, 30)
    assert "10 left out" in comparison_text(found)


@pytest.mark.parametrize("metric", ["gap", "sensitivity", "topic_sensitivity"])
def test_figures_in_a_models_own_unit_are_not_compared(suite: Suite, tmp_path: Path, metric: str) -> None:
    runs = {name: make_run(suite, tmp_path / name, name, [RIGHT] * 40) for name in "ab"}
    with pytest.raises(UserError, match=r"own unit.*normalised_gap"):
        compare_runs(suite, runs, [metric])


def test_what_no_example_has_is_undefined(suite: Suite, tmp_path: Path) -> None:
    runs = {name: make_run(suite, tmp_path / name, name, [RIGHT] * 40) for name in "ab"}
    (test,) = compare_runs(suite, runs, ["restated_accuracy"]).tests
    assert (test.difference.value, test.p, test.holm, test.mcnemar, test.value_first) == (None,) * 5


def test_runs_of_different_suites_are_refused_by_name(suite: Suite, tmp_path: Path) -> None:
    other = make_suite(tmp_path / "other", count=20)
    one, two = make_run(suite, tmp_path / "a", "a", [RIGHT] * 40), make_run(other, tmp_path / "b", "b", [RIGHT] * 20)
    with pytest.raises(
        UserError, match=r"b: this run is of another suite \(tiny\) than .*suite \(tiny\), or of an earlier"
    ):
        compare_runs(suite, {"a": one, "b": two}, [ACCURACY])


def test_runs_are_named_by_model_and_by_folder_where_they_must(suite: Suite, tmp_path: Path) -> None:
    places = (("new/a", "bm25"), ("old/a", "bm25"), ("old/b", "bm25"), ("old/c", "tfidf"))
    runs = [make_run(suite, tmp_path / folder, model, [RIGHT] * 40) for folder, model in places]
    assert list(name_runs(runs)) == ["bm25 (new/a)", "bm25 (old/a)", "bm25 (b)", "tfidf"]
    with pytest.raises(UserError, match=r"old/a: this run is named twice\. Give each once"):
        name_runs([runs[1], runs[1]])


def test_the_same_comparison_gives_the_same_figures(suite: Suite, tmp_path: Path) -> None:
    gaps = [(float(x), -1.0) for x in np.random.default_rng(1).normal(0, 1, 40)]
    runs = {"a": make_run(suite, tmp_path / "a", "a", gaps), "b": make_run(suite, tmp_path / "b", "b", gaps[::-1])}
    metrics = [ACCURACY, PAIRED, "normalised_gap"]
    first, second = (compare_runs(suite, runs, metrics, by="slice") for _ in range(2))
    assert first == second
    assert first != compare_runs(suite, runs, metrics, by="slice", seed=1)


def test_the_same_examples_have_the_same_test_whatever_their_group_is_called(suite: Suite, tmp_path: Path) -> None:
    gaps = [(float(x), -1.0) for x in np.random.default_rng(1).normal(0, 1, 40)]
    runs = {"a": make_run(suite, tmp_path / "a", "a", gaps), "b": make_run(suite, tmp_path / "b", "b", gaps[::-1])}
    overall, split = compare_runs(suite, runs, ["normalised_gap"], by="split").tests
    assert (overall.group, split.group) == ("headline", "split=test")
    assert (overall.difference, overall.p) == (split.difference, split.p)
