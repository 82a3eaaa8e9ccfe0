from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import QueryRole
from constraintsuite.core.statistics.pairwise import METRICS, PAIR_CLASSES, PairResult, parse_metric
from constraintsuite.core.statistics.ties import Outcome

RIGHT = PairResult(
    id="right",
    slice="minpairs",
    couple="",
    outcomes={"query": "right", "opposite": "right"},
    gaps={"query": 2.0, "opposite": -1.0, "topic": 0.5},
    paired=True,
    tie=False,
)
OUTCOMES: tuple[Outcome, ...] = ("right", "wrong", "tie")


def result(query: Outcome, opposite: Outcome = "right", couple: str = "") -> PairResult:
    return replace(
        RIGHT,
        outcomes={"query": query, "opposite": opposite},
        paired=query == opposite == "right",
        tie="tie" in (query, opposite),
        couple=couple,
    )


def mean(name: str, *results: PairResult) -> float:
    return float(np.nanmean(METRICS[name].column(results)))


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("accuracy", 2 / 4),
        ("opposite_accuracy", 2 / 4),
        ("paired_accuracy", 1 / 4),
        ("tie_rate", 1 / 4),
        ("correct", 1 / 4),
        ("sticks_to_satisfying", 1 / 4),
        ("sticks_to_violating", 1 / 4),
        ("reversed", 0.0),
        ("paired_tie", 1 / 4),
    ],
)
def test_a_tie_fails_and_is_counted(metric: str, value: float) -> None:
    results = (result("right"), result("right", "wrong"), result("wrong", "right"), result("tie", "wrong"))
    assert mean(metric, *results) == value


def test_a_model_that_ignores_the_query_is_never_right_under_both() -> None:
    blind = [result("right", "wrong"), result("wrong", "right")]
    assert mean("accuracy", *blind) == 0.5
    assert mean("paired_accuracy", *blind) == 0.0


def test_gaps_and_sensitivities_are_differences_of_scores() -> None:
    assert mean("gap", RIGHT) == 2.0
    assert mean("sensitivity", RIGHT) == 3.0
    assert mean("topic_sensitivity", RIGHT) == 1.5


def test_gaps_in_standard_deviations_can_be_compared_between_models() -> None:
    twice = replace(RIGHT, gaps={role: 2 * gap for role, gap in RIGHT.gaps.items()}, unit=2.0)
    for name in ("normalised_gap", "normalised_sensitivity"):
        assert mean(name, replace(RIGHT, unit=1.0)) == mean(name, twice)
        assert math.isnan(METRICS[name].column([RIGHT])[0])  # all scores are equal: there is no unit


@pytest.mark.parametrize(
    ("gap", "opposite", "superiority", "responsiveness"),
    [
        (2.0, -1.0, 1.0, 1.0),
        (2.0, 3.0, 1.0, 0.0),
        (-1.0, -2.0, 0.0, 1.0),  # wrong, but the constraint moved it the right way
        (0.0, 0.0, 0.5, 0.5),
    ],
)
def test_superiority_counts_signs(gap: float, opposite: float, superiority: float, responsiveness: float) -> None:
    moved = replace(RIGHT, gaps={"query": gap, "opposite": opposite})
    assert mean("superiority", moved) == superiority
    assert mean("responsiveness", moved) == responsiveness


@pytest.mark.parametrize(
    ("query", "opposite", "tied", "accuracy", "paired", "classed"),
    [
        ("tie", "right", {"query": 0.5}, 0.5, 0.5, "paired_tie"),
        ("tie", "tie", {"query": 0.5, "opposite": 0.5}, 0.5, 0.25, "paired_tie"),
        ("tie", "wrong", {"query": 1.0}, 1.0, 0.0, "paired_tie"),
        ("tie", "tie", {"query": 1.0}, 1.0, 0.0, "paired_tie"),
        ("right", "right", {}, 1.0, 1.0, "correct"),
    ],
)
def test_a_tie_counts_what_the_rule_says_and_stays_a_class_of_its_own(
    query: Outcome, opposite: Outcome, tied: dict[QueryRole, float], accuracy: float, paired: float, classed: str
) -> None:
    outcome = replace(result(query, opposite), tied=tied)
    assert (mean("accuracy", outcome), mean("paired_accuracy", outcome), mean(classed, outcome)) == (
        accuracy,
        paired,
        1,
    )


def test_a_couple_of_ties_counts_the_product() -> None:
    halves = [replace(result("tie", couple="c"), tied={"query": 0.5}) for _ in range(2)]
    assert mean("couple_accuracy", *halves) == 0.25


def test_a_couple_is_right_when_all_its_examples_are() -> None:
    results = [
        result("right", couple="whole"),
        result("right", couple="half"),
        result("right", couple="whole"),
        result("wrong", couple="half"),
        result("right", couple="alone"),  # its partner is in another group
        result("right"),
    ]
    column = METRICS["couple_accuracy"].column(results)
    assert column[~np.isnan(column)].tolist() == [1.0, 0.0]


def test_what_an_example_lacks_has_no_value() -> None:
    single = replace(RIGHT, outcomes={"query": "right"}, gaps={"query": 2.0}, paired=None)
    missing = (
        "opposite_accuracy",
        "restated_accuracy",
        "paired_accuracy",
        "sensitivity",
        "topic_sensitivity",
        "invariance",
    )
    for name in missing:
        assert math.isnan(METRICS[name].column([single])[0]), name


def test_a_restated_query_has_an_accuracy_of_its_own() -> None:
    restated = [replace(RIGHT, outcomes={**RIGHT.outcomes, "restated": outcome}) for outcome in OUTCOMES]
    assert mean("restated_accuracy", *restated) == pytest.approx(1 / 3)


@given(st.lists(st.tuples(st.sampled_from(OUTCOMES), st.sampled_from(OUTCOMES)), min_size=1))
def test_the_classes_share_out_all_pairs_and_pairs_are_no_easier_than_their_halves(
    outcomes: list[tuple[Outcome, Outcome]],
) -> None:
    results = [result(query, opposite) for query, opposite in outcomes]
    columns = np.column_stack([METRICS[name].column(results) for name in PAIR_CLASSES])
    assert columns.sum(axis=1).tolist() == [1.0] * len(results)
    assert mean("paired_accuracy", *results) <= min(mean("accuracy", *results), mean("opposite_accuracy", *results))


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_found_by_what_it_prints(name: str) -> None:
    assert parse_metric(str(METRICS[name])) == METRICS[name]
    assert len(METRICS[name].column([])) == 0


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_defined_in_the_docs(name: str) -> None:
    page = Path(__file__).parents[3] / "docs" / "metrics.md"
    assert f"| `{name}` |" in page.read_text(encoding="utf-8")


def test_an_unknown_metric_is_explained() -> None:
    with pytest.raises(UserError, match="Did you mean 'accuracy'"):
        parse_metric("acuracy")


def test_of_ties_flips_and_every_class_but_the_right_one_less_is_better() -> None:
    wrong = {name for name in PAIR_CLASSES if name != "correct"}
    assert {name for name, metric in METRICS.items() if metric.lower_is_better} == {*wrong, "tie_rate", "flip_rate"}
