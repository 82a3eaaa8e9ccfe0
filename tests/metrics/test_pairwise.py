from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.errors import UserError
from constraintsuite.metrics.pairwise import METRICS, PAIR_CLASSES, Outcome, PairResult, outcome_of, parse_metric

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
    ("better", "worse", "outcome"), [(2, 1, "right"), (1, 2, "wrong"), (1, 1, "tie"), (0.0, -0.0, "tie")]
)
def test_only_a_strictly_higher_score_is_right(better: float, worse: float, outcome: Outcome) -> None:
    assert outcome_of(better, worse) == outcome


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("accuracy", 2 / 4),
        ("base_accuracy", 2 / 4),
        ("paired_accuracy", 1 / 4),
        ("tie_rate", 1 / 4),
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


def test_an_unknown_metric_is_explained() -> None:
    with pytest.raises(UserError, match="Did you mean 'accuracy'"):
        parse_metric("acuracy")
