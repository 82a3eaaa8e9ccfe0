"""Patterns of queries, and what is learnt from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from constraintsuite.core.records.examples import Example
from constraintsuite.suites.audit.solvers import SolverTrial
from constraintsuite.suites.audit.template import SolverPicks, query_pattern, template_trial
from suites.audit.audit_factory import make_example


@pytest.mark.parametrize(
    ("query", "pattern"),
    [
        ("soups without cream", "_ without _"),
        ("Italian soups with no cheese", "_ with no _"),
        ("who did not win the cup?", "who did not _ the _"),
        ("", ""),
    ],
)
def test_a_pattern_keeps_the_function_words(query: str, pattern: str) -> None:
    assert query_pattern(query) == pattern


def _examples(count: int) -> list[Example]:
    """Every other query is of another pattern."""
    return [
        make_example(i, "a", "b", query="cakes without nuts" if i % 2 else "cakes that have no nuts")
        for i in range(count)
    ]


def _try(examples: list[Example], picks: list[float], opposite: list[float]) -> SolverTrial:
    own = {"rule": SolverPicks(np.array(picks), np.array(opposite))}
    return template_trial(examples, np.arange(len(examples)), own, seed=0)


def test_a_rule_that_is_right_for_one_pattern_and_wrong_for_another_is_used_both_ways() -> None:
    picks = [1.0 if i % 2 else -1.0 for i in range(40)]  # right in half of all examples
    trial = _try(_examples(40), picks, [-pick for pick in picks])
    assert trial.right.tolist() == [1.0] * 40
    assert trial.paired.tolist() == [0.5] * 40  # a coin decides the opposite query, whose pattern is unknown


def test_a_rule_without_effect_wins_nothing() -> None:
    picks = [1.0 if i % 4 < 2 else -1.0 for i in range(400)]
    assert _try(_examples(400), picks, [-pick for pick in picks]).right.mean() < 0.55


def test_without_a_constraint_the_opposite_queries_are_learnt_from() -> None:
    examples = [replace(one, constraint=None, query="which is not", opposite="which is") for one in _examples(40)]
    trial = _try(examples, [1.0] * 40, [1.0] * 40)
    assert trial.paired.tolist() == [1.0] * 40


def test_one_group_cannot_be_held_out() -> None:
    examples = _examples(4)
    own = {"rule": SolverPicks(np.ones(4), -np.ones(4))}
    assert template_trial(examples, np.zeros(4, dtype=np.int64), own, seed=0).units == ()
