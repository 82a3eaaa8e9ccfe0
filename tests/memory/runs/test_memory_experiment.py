"""Runs of memory benchmarks as experiments: what is compared, what must be the same, and what a gate looks at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.app.views import EXPERIMENTS
from constraintsuite.core.errors import UserError
from constraintsuite.experiments.compare import PairedDifference
from constraintsuite.experiments.experiment import Experiment, OpenOptions, compare_experiments, differing_options
from constraintsuite.experiments.gate import check_run, default_policy
from constraintsuite.memory.cases import run as run_module
from constraintsuite.memory.cases.run import CaseRun
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.results import ItemResult, SearchAnswer, SearchMode
from constraintsuite.memory.runs.benchmarks import run_structured
from constraintsuite.memory.runs.experiment import open_memory_run
from constraintsuite.memory.runs.table import MemoryTable
from memory.cases.tiny_cases import case, grounded
from memory.runs.made_outcomes import SOURCE, RunSource, made_experiment, outcome, outcomes, timing


def compared(before: Experiment, after: Experiment, metric: str = "evidence_hit") -> list[PairedDifference]:
    return list(compare_experiments([before, after], [metric]).tests)


def test_the_catalogue_opens_a_run() -> None:
    assert EXPERIMENTS.load("memory_run") is open_memory_run


def test_two_runs_are_compared_item_by_item(tmp_path: Path) -> None:
    before = made_experiment(tmp_path / "before", outcomes("ppr", "1" * 20))
    after = made_experiment(tmp_path / "after", outcomes("ppr", "0" * 10 + "1" * 10))
    (test,) = compared(before, after)
    assert (test.group, test.metric) == ("budget=5", "evidence_hit")
    assert test.difference.value == -0.5
    assert test.difference.high is not None
    assert test.difference.high < 0
    assert test.p == pytest.approx(2 / 2**10)


def test_items_without_a_value_on_one_side_do_not_count(tmp_path: Path) -> None:
    before = made_experiment(tmp_path / "before", outcomes("ppr", "1-10"))
    after = made_experiment(tmp_path / "after", outcomes("ppr", "110-"))
    (test,) = compared(before, after)
    assert (test.difference.value, test.difference.n) == (-0.5, 2)


def test_modes_of_one_run_are_compared_with_the_baseline(tmp_path: Path) -> None:
    rows = [*outcomes("ppr", "1" * 12), *outcomes("lexical_baseline", "0" * 12), *outcomes("hybrid", "0" * 12)]
    run = made_experiment(tmp_path / "run", rows)
    first, second = compare_experiments([run], ["evidence_hit"]).tests
    assert (first.first, first.second, first.difference.value) == ("lexical_baseline", "ppr", 1.0)
    assert (second.second, second.difference.value, second.p) == ("hybrid", 0.0, 1.0)


def test_budgets_are_never_pooled(tmp_path: Path) -> None:
    rows = [
        replace(row, budget=budget)
        for budget, marks in ((5, "0" * 12), (10, "1" * 12))
        for row in (*outcomes("lexical_baseline", "0" * 12), *outcomes("ppr", marks))
    ]
    tests = compare_experiments([made_experiment(tmp_path / "run", rows)], ["evidence_hit"], by="part").tests
    assert [(test.group, test.difference.value) for test in tests] == [
        ("budget=5", 0.0),
        ("budget=5, part=case", 0.0),
        ("budget=10", 1.0),
        ("budget=10, part=case", 1.0),
    ]


def test_a_verdict_on_whole_cases_can_be_compared(tmp_path: Path) -> None:
    def rows(marks: tuple[int, ...]) -> list[ItemResult]:
        return [outcome(f"tiny/a#{n}", {"pass": float(mark)}) for n, mark in enumerate(marks)]

    before = made_experiment(tmp_path / "a", rows((1, 1, 1, 0)))
    (test,) = compared(before, made_experiment(tmp_path / "b", rows((1, 1, 0, 0))), "case_pass")
    assert (test.difference.value, test.difference.n) == (-1.0, 1)


def test_a_change_is_shown_with_what_was_returned(tmp_path: Path) -> None:
    before, after = (made_experiment(tmp_path / marks, outcomes("ppr", marks)) for marks in ("11", "01"))
    (changes,) = compare_experiments([before, after], ["evidence_hit"], changed=5).changes.values()
    assert [(one.id, one.seen_first, one.seen_second) for one in changes] == [
        ("tiny/00#0, budget 5", {"returned": "a"}, {"returned": "a"})
    ]


@pytest.mark.parametrize(
    ("inputs", "marks", "said"),
    [
        ({"dataset tiny": "other", "memory tiny": "m1"}, "11", "not of the same data: the dataset tiny of tiny"),
        ({"dataset tiny": "d1", "memory tiny": "other"}, "11", "not of the same data: the memory tiny of tiny"),
        (SOURCE.inputs, "111", "not of the same data: the questions of tiny"),
    ],
)
def test_runs_of_other_data_are_not_compared(tmp_path: Path, inputs: dict[str, str], marks: str, said: str) -> None:
    before = made_experiment(tmp_path / "before", outcomes("ppr", "11"))
    after = made_experiment(tmp_path / "after", outcomes("ppr", marks), source=SOURCE._replace(inputs=inputs))
    with pytest.raises(UserError, match=said):
        compared(before, after)


def source_with(**settings: object) -> RunSource:
    return SOURCE._replace(settings={**SOURCE.settings, **settings})


def test_runs_under_other_limits_are_not_compared(tmp_path: Path) -> None:
    before = made_experiment(tmp_path / "before", outcomes("ppr", "11"))
    after = made_experiment(tmp_path / "after", outcomes("ppr", "11"), source=source_with(most_tokens=60))
    with pytest.raises(UserError, match=r"was run with most_tokens None, .* with 60"):
        compared(before, after)


def test_other_modes_and_budgets_are_no_other_condition(tmp_path: Path) -> None:
    before = made_experiment(tmp_path / "before", outcomes("ppr", "11"))
    more = [*outcomes("ppr", "10"), *(replace(row, budget=10) for row in outcomes("ppr", "10"))]
    source = source_with(modes=["ppr", "hybrid"], budgets=[5, 10])
    tests = compared(before, made_experiment(tmp_path / "after", more, source=source))
    assert [(test.group, test.difference.value) for test in tests] == [("budget=5", -0.5)]


@pytest.mark.parametrize("model", ["encoder", "reranker cross:small"])
def test_another_model_is_no_other_data_and_is_told(tmp_path: Path, model: str) -> None:
    before, after = (
        made_experiment(
            tmp_path / name, outcomes("ppr", "11"), source=SOURCE._replace(inputs={**SOURCE.inputs, model: name})
        )
        for name in ("a", "b")
    )
    assert len(compared(before, after)) == 1
    assert list(differing_options(before, after)) == [f"{model} was a, and is b."]


def test_options_of_modes_that_changed_are_told(tmp_path: Path) -> None:
    before, after = (
        made_experiment(
            tmp_path / str(damping),
            outcomes("ppr", "11"),
            source=source_with(options={"ppr": {"mode": "ppr", "damping": damping}}),
        )
        for damping in (0.5, 0.6)
    )
    assert list(differing_options(before, after)) == ["ppr: damping was 0.5, and is 0.6."]


def test_a_metric_that_no_run_has_is_refused(tmp_path: Path) -> None:
    run = made_experiment(tmp_path / "run", [*outcomes("ppr", "11"), *outcomes("hybrid", "11")])
    with pytest.raises(UserError, match=r"No metric named 'evidence_hat'\. Did you mean 'evidence_hit'"):
        compare_experiments([run], ["evidence_hat"])


def test_a_gate_without_a_policy_looks_at_evidence_and_paths_where_there_are_any(tmp_path: Path) -> None:
    def watched(name: str, values: dict[str, float | None]) -> tuple[str, ...]:
        return made_experiment(tmp_path / name, [outcome("tiny/a#0", values)], timing()).watched

    assert watched("walks", {"evidence_hit": 1.0, "path_hit": 0.0}) == ("evidence_hit", "path_hit")
    assert watched("flat", {"evidence_hit": 1.0, "path_hit": None}) == ("evidence_hit",)


def test_of_a_public_benchmark_a_gate_looks_at_the_first_two_figures_of_each_budget(tmp_path: Path) -> None:
    def rows(budget: int) -> ItemResult:
        values = {f"{name}@{budget}": 1.0 for name in ("sp_f1", "recall", "all_gold")}
        return ItemResult("ppr", "q1", budget, {**values, "mrr": 1.0}, (), {}, "q1")

    source = SOURCE._replace(benchmark="hotpotqa")
    run = made_experiment(tmp_path / "run", [rows(10), rows(5)], source=source)
    assert run.watched == ("all_gold@10", "recall@10", "all_gold@5", "recall@5")
    assert run.table.headline_metric == "all_gold@5"  # every larger budget has this cut-off too


class Forgetful:
    """lexical_baseline that loses the best unit: the regression."""

    def __init__(self, mode: SearchMode) -> None:
        self._mode = mode
        self.name = mode.name
        self.describe = mode.describe

    def search(self, query: str, budget: int) -> SearchAnswer:
        recall = self._mode.search(query, budget)
        return replace(recall, ranking=recall.ranking[1:])


def test_a_planted_regression_on_two_cases_is_inconclusive_and_so_is_anything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = grounded(tmp_path / "data", case(), case("roof", "repairs of the roof", evidence_node_ids=["lease:6"]))

    def measured(name: str) -> Experiment:
        run_structured([data], CaseRun(["lexical_baseline"], [2]), tmp_path / name, repeats=0)
        return replace(open_memory_run(tmp_path / name, OpenOptions()), timing=None)

    baseline, same = measured("baseline"), measured("same")
    monkeypatch.setattr(run_module, "load_mode", lambda *args, **rest: Forgetful(load_mode(*args, **rest)))
    worse = measured("worse")
    policy = default_policy(baseline)
    assert check_run(policy, same, baseline).verdicts[0].reason.startswith("no drop, but")
    (verdict,) = check_run(policy, worse, baseline).verdicts
    assert verdict.outcome == "inconclusive"  # of two cases
    assert "a drop of 100.0 points is beyond 2.0 points" in verdict.reason
    assert len(verdict.broken) == 2


def test_a_cluster_that_holds_most_items_is_still_one_cluster() -> None:
    rows = [outcome(f"tiny/a#{n}", {"mrr": 0.5}) for n in range(5)]
    assert len(set(MemoryTable("tiny", rows).clusters(range(5)).numbers.tolist())) == 1


def test_an_item_is_in_the_group_of_each_of_its_tags() -> None:
    table = MemoryTable("tiny", [outcome("tiny/a#0", {"mrr": 0.5}, tags="multi_hop critical")])
    assert table.groups["tag"] == {"critical": [0], "multi_hop": [0]}
