from __future__ import annotations

import random
from dataclasses import replace

import pytest

from constraintsuite.core.records.examples import Example
from constraintsuite.suites.audit.blind import blind_trials
from constraintsuite.suites.audit.groups import group_examples
from constraintsuite.suites.audit.solvers import SolverTrial
from suites.audit.audit_factory import couples, make_example, random_text, singles


def _try(examples: list[Example], seed: int = 0) -> SolverTrial:
    return dict(blind_trials(examples, group_examples(examples)[1], seed=seed))["query_blind"]


def test_a_planted_word_is_found() -> None:
    trial = _try(singles(100, planted="zebra"))
    assert trial.right.mean() > 0.95


def test_a_planted_pair_of_words_is_found_where_both_texts_hold_the_same_words() -> None:
    rng = random.Random(0)
    examples = [
        make_example(i, f"{text} made by hand not machine", f"{text} made by machine not hand")
        for i, text in enumerate(random_text(rng) for _ in range(60))
    ]
    assert _try(examples).right.mean() > 0.95


def test_a_word_planted_in_some_examples_is_found_in_those() -> None:
    trial = _try(singles(400, planted="zebra", share=0.6))
    assert 0.7 < trial.right.mean() < 0.9  # 0.6, and half of the rest


def test_a_word_planted_in_both_examples_of_each_couple_is_found() -> None:
    trial = _try(couples(60, planted="zebra"))
    assert len(trial.units) == 60
    assert trial.right.mean() > 0.95


@pytest.mark.parametrize("seed", range(3))
def test_mirrored_couples_leave_it_at_chance(seed: int) -> None:
    trial = _try(couples(300, seed=seed), seed)
    assert len(trial.units) == 300
    assert 0.4 < trial.right.mean() < 0.6


def test_which_example_of_a_couple_takes_part_is_left_to_chance() -> None:
    examples = []
    for number in range(200):
        texts = f"zebra {number}", f"horse {number}"
        for turn in (0, 1):
            satisfying, violating = texts[turn], texts[1 - turn]
            examples.append(
                make_example(2 * number + turn, satisfying, violating, couple=f"k{number}", clusters=(f"c{number}",))
            )
    assert 0.4 < _try(examples).right.mean() < 0.6  # always the first would make zebra win


def test_identical_texts_are_ties() -> None:
    trial = _try([make_example(i, f"same text {i}", f"same text {i}") for i in range(10)])
    assert trial.ties.tolist() == [1.0] * 10


@pytest.mark.parametrize("examples", [[], [make_example(0, "a", "b")], couples(1)])
def test_without_two_groups_nothing_is_tried(examples: list[Example]) -> None:
    assert _try(examples).units == ()


def test_the_same_seed_gives_the_same_trial_and_another_seed_another() -> None:
    examples = couples(40)
    one, again, other = _try(examples, 1), _try(examples, 1), _try(examples, 2)
    assert one.right.tolist() == again.right.tolist() != other.right.tolist()


def test_only_coins_win_a_pair_without_the_query() -> None:
    won = _try(singles(100, planted="zebra"))
    tied = _try([make_example(i, f"same text {i}", f"same text {i}") for i in range(10)])
    assert (won.paired.max(), tied.paired.tolist()) == (0.0, [0.25] * 10)


def _pairs(count: int, first: str, second: str, planted: str) -> list[Example]:
    """Pairs without a constraint, whose queries and whose first documents hold words of their own."""
    return [
        replace(one, constraint=None, query=f"{first} {i}", opposite=f"{second} {i}")
        for i, one in enumerate(singles(count, planted=planted))
    ]


@pytest.mark.parametrize(
    ("first", "second", "planted", "expected"),
    [
        ("which is not", "which is", "", (0.5, 1.0, 0.5)),
        ("which is not", "which is", "zebra", (1.0, 1.0, 1.0)),
        ("which is", "which is", "zebra", (1.0, 0.5, 0.5)),
    ],
    ids=["queries", "both", "documents"],
)
def test_a_pair_falls_where_queries_and_documents_both_tell_their_roles(
    first: str, second: str, planted: str, expected: tuple[float, float, float]
) -> None:
    examples = _pairs(200, first, second, planted)
    trials = dict(blind_trials(examples, group_examples(examples)[1], seed=0))
    assert list(trials) == ["query_blind", "query_only", "no_interaction"]
    assert [trial.right.mean() for trial in trials.values()] == pytest.approx(expected, abs=0.08)


def test_queries_are_not_classified_where_a_constraint_says_how_they_differ() -> None:
    examples = singles(20)
    assert list(dict(blind_trials(examples, group_examples(examples)[1], seed=0))) == ["query_blind"]
