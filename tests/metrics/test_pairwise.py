from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.errors import UserError
from constraintsuite.metrics.pairwise import METRICS, PAIR_CLASSES, PairResult, parse_metric
from constraintsuite.metrics.ties import Outcome

RIGHT = PairResult(
    id="right",
    slice="negation_minpairs",
    couple="",
    neg="right",
    base="right",
    twin=None,
    paired=True,
    tie=False,
    gap_neg=2.0,
    gap_base=-1.0,
    gap_topic=0.5,
    gap_twin=None,
    invariant=None,
)
OUTCOMES: tuple[Outcome, ...] = ("right", "wrong", "tie")


def result(neg: Outcome, base: Outcome | None = "right", couple: str = "") -> PairResult:
    paired = None if base is None else neg == base == "right"
    return replace(RIGHT, neg=neg, base=base, paired=paired, tie="tie" in (neg, base), couple=couple)


def mean(name: str, *results: PairResult) -> float:
    return float(np.nanmean(METRICS[name].column(results)))


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("accuracy", 2 / 4),
        ("base_accuracy", 2 / 4),
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
    twice = replace(RIGHT, gap_neg=2 * RIGHT.gap_neg, gap_base=-2.0, unit=2.0)
    for name in ("normalised_gap", "normalised_sensitivity"):
        assert mean(name, replace(RIGHT, unit=1.0)) == mean(name, twice)
        assert math.isnan(METRICS[name].column([RIGHT])[0])  # all scores are equal: there is no unit


@pytest.mark.parametrize(
    ("gap_neg", "gap_base", "superiority", "responsiveness"),
    [
        (2.0, -1.0, 1.0, 1.0),
        (2.0, 3.0, 1.0, 0.0),
        (-1.0, -2.0, 0.0, 1.0),  # wrong, but the negation moved it the right way
        (0.0, 0.0, 0.5, 0.5),
    ],
)
def test_superiority_counts_signs(gap_neg: float, gap_base: float, superiority: float, responsiveness: float) -> None:
    moved = replace(RIGHT, gap_neg=gap_neg, gap_base=gap_base)
    assert mean("superiority", moved) == superiority
    assert mean("responsiveness", moved) == responsiveness


@pytest.mark.parametrize(
    ("neg", "base", "tied", "accuracy", "paired", "classed"),
    [
        ("tie", "right", {"neg": 0.5}, 0.5, 0.5, "paired_tie"),
        ("tie", "tie", {"neg": 0.5, "base": 0.5}, 0.5, 0.25, "paired_tie"),
        ("tie", "wrong", {"neg": 1.0}, 1.0, 0.0, "paired_tie"),
        ("tie", "tie", {"neg": 1.0}, 1.0, 0.0, "paired_tie"),
        ("right", "right", {}, 1.0, 1.0, "correct"),
    ],
)
def test_a_tie_counts_what_the_rule_says_and_stays_a_class_of_its_own(
    neg: Outcome, base: Outcome, tied: dict[str, float], accuracy: float, paired: float, classed: str
) -> None:
    outcome = replace(result(neg, base), tied=tied)
    assert (mean("accuracy", outcome), mean("paired_accuracy", outcome), mean(classed, outcome)) == (
        accuracy,
        paired,
        1,
    )


def test_a_couple_of_ties_counts_the_product() -> None:
    halves = [replace(result("tie", couple="c"), tied={"neg": 0.5}) for _ in range(2)]
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
    control = replace(RIGHT, base=None, paired=None, gap_base=None, gap_topic=None)
    for name in ("base_accuracy", "paired_accuracy", "sensitivity", "topic_sensitivity", "invariance", "twin_accuracy"):
        assert math.isnan(METRICS[name].column([control])[0]), name


@pytest.mark.parametrize(("neg", "twin", "both"), [("right", "right", 1), ("right", "wrong", 0), ("tie", "right", 0)])
def test_an_idiom_and_its_twin_must_both_be_right(neg: Outcome, twin: Outcome, both: float) -> None:
    assert mean("twin_paired_accuracy", replace(RIGHT, neg=neg, twin=twin)) == both


@given(st.lists(st.tuples(st.sampled_from(OUTCOMES), st.sampled_from(OUTCOMES)), min_size=1))
def test_the_classes_share_out_all_pairs_and_pairs_are_no_easier_than_their_halves(
    outcomes: list[tuple[Outcome, Outcome]],
) -> None:
    results = [result(neg, base) for neg, base in outcomes]
    columns = np.column_stack([METRICS[name].column(results) for name in PAIR_CLASSES])
    assert columns.sum(axis=1).tolist() == [1.0] * len(results)
    assert mean("paired_accuracy", *results) <= min(mean("accuracy", *results), mean("base_accuracy", *results))


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_found_by_what_it_prints(name: str) -> None:
    assert parse_metric(str(METRICS[name])) == METRICS[name]
    assert len(METRICS[name].column([])) == 0


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_defined_in_the_docs(name: str) -> None:
    page = Path(__file__).parents[2] / "docs" / "metrics.md"
    assert f"| `{name}` |" in page.read_text(encoding="utf-8")


def test_an_unknown_metric_is_explained() -> None:
    with pytest.raises(UserError, match="Did you mean 'accuracy'"):
        parse_metric("acuracy")
