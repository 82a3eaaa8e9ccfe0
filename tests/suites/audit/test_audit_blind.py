from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.records.examples import Example
from constraintsuite.suites.audit.blind import SparseRows, count_differences, deal, fit_logistic, query_blind
from constraintsuite.suites.audit.groups import group_examples
from constraintsuite.suites.audit.solvers import FloatArray, SolverTrial
from suites.audit.audit_factory import couples, make_example, random_text, singles


def _try(examples: list[Example], seed: int = 0) -> SolverTrial:
    return query_blind(examples, group_examples(examples)[1], seed=seed)


def test_a_planted_word_is_found() -> None:
    trial = _try(singles(100, planted="zebra"))
    assert trial.wins.mean() > 0.95


def test_a_planted_pair_of_words_is_found_where_both_texts_hold_the_same_words() -> None:
    rng = random.Random(0)
    examples = [
        make_example(i, f"{text} made by hand not machine", f"{text} made by machine not hand")
        for i, text in enumerate(random_text(rng) for _ in range(60))
    ]
    assert _try(examples).wins.mean() > 0.95


def test_a_word_planted_in_some_examples_is_found_in_those() -> None:
    trial = _try(singles(400, planted="zebra", share=0.6))
    assert 0.7 < trial.wins.mean() < 0.9  # 0.6, and half of the rest


def test_a_word_planted_in_both_examples_of_each_couple_is_found() -> None:
    trial = _try(couples(60, planted="zebra"))
    assert len(trial.units) == 60
    assert trial.wins.mean() > 0.95


@pytest.mark.parametrize("seed", range(3))
def test_mirrored_couples_leave_it_at_chance(seed: int) -> None:
    trial = _try(couples(300, seed=seed), seed)
    assert len(trial.units) == 300
    assert 0.4 < trial.wins.mean() < 0.6


def test_which_example_of_a_couple_takes_part_is_left_to_chance() -> None:
    examples = []
    for number in range(200):
        texts = f"zebra {number}", f"horse {number}"
        for turn in (0, 1):
            satisfying, violating = texts[turn], texts[1 - turn]
            examples.append(
                make_example(2 * number + turn, satisfying, violating, couple=f"k{number}", clusters=(f"c{number}",))
            )
    assert 0.4 < _try(examples).wins.mean() < 0.6  # always the first would make zebra win


def test_both_examples_of_a_couple_together_would_cancel_exactly() -> None:
    pairs = [(one.satisfying.text, one.violating.text) for one in couples(20)]
    assert np.abs(fit_logistic(count_differences(pairs))).max() == pytest.approx(0, abs=1e-12)


def test_identical_texts_are_ties() -> None:
    trial = _try([make_example(i, f"same text {i}", f"same text {i}") for i in range(10)])
    assert trial.ties.tolist() == [1.0] * 10


@pytest.mark.parametrize("examples", [[], [make_example(0, "a", "b")], couples(1)])
def test_without_two_groups_nothing_is_tried(examples: list[Example]) -> None:
    assert _try(examples).units == ()


def test_the_same_seed_gives_the_same_trial_and_another_seed_another() -> None:
    examples = couples(40)
    one, again, other = _try(examples, 1), _try(examples, 1), _try(examples, 2)
    assert one.wins.tolist() == again.wins.tolist() != other.wins.tolist()


@given(st.lists(st.integers(0, 8), min_size=1, max_size=60), st.integers(0, 99))
def test_a_group_is_never_cut_and_no_fold_is_empty(labels: list[int], seed: int) -> None:
    groups = np.array(labels)
    fold = deal(groups, 5, (str(seed),))
    assert all(len(set(fold[groups == group].tolist())) == 1 for group in set(labels))
    assert set(fold.tolist()) == set(range(min(5, len(set(labels)))))


def test_folds_of_equal_groups_are_of_equal_size() -> None:
    fold = deal(np.repeat(np.arange(50), 2), 5, ("key",))
    assert np.bincount(fold).tolist() == [20] * 5


def test_large_groups_are_dealt_first() -> None:
    fold = deal(np.array([0, 1, 2, 3, 4, 4, 4, 4]), 2, ("key",))
    assert np.bincount(fold).tolist() == [4, 4]


def test_count_differences_counts_words_and_neighbours() -> None:
    x = count_differences([("red red fox", "red dog")])
    # red 2-1, fox 1, "red red" 1, "red fox" 1, dog -1, "red dog" -1
    assert sorted(x.values.tolist()) == [-1, -1, 1, 1, 1, 1]


def test_columns_of_one_row_are_dropped_and_rows_keep_their_order() -> None:
    x = count_differences([("a", "b"), ("a", "c"), ("d", "b")])
    kept = x.without_rare_columns()
    assert (x.width, kept.width) == (4, 2)
    assert _dense(kept).tolist() == [[1, -1], [1, 0], [0, -1]]
    assert _dense(kept.take(np.array([2, 0]))).tolist() == [[0, -1], [1, -1]]


@pytest.mark.parametrize("penalty", [0.1, 1.0, 10.0])
def test_the_weights_agree_with_scikit_learn(penalty: float) -> None:
    x = _differences(singles(80, planted="zebra", share=0.3))
    theirs = _scikit_learn_weights(x, penalty)
    assert fit_logistic(x, penalty=penalty, tolerance=1e-8) == pytest.approx(theirs, abs=1e-4)


def test_the_default_settings_pick_what_scikit_learn_picks() -> None:
    x = _differences(singles(300, planted="zebra", share=0.3))
    train, test = x.take(np.arange(200)), x.take(np.arange(200, 300))
    ours, theirs = test.times(fit_logistic(train)), test.times(_scikit_learn_weights(train, 10.0))
    assert ours == pytest.approx(theirs, abs=0.02)
    assert (np.sign(ours) == np.sign(theirs)).mean() > 0.98


def _differences(examples: list[Example]) -> SparseRows:
    return count_differences([(one.satisfying.text, one.violating.text) for one in examples]).without_rare_columns()


def _scikit_learn_weights(x: SparseRows, penalty: float) -> FloatArray:
    linear_model = pytest.importorskip("sklearn.linear_model")
    rows = _dense(x)
    # Two classes are needed there: every row again, turned round, counts the loss twice, hence half of C.
    model = linear_model.LogisticRegression(C=0.5 / penalty, fit_intercept=False, tol=1e-8, max_iter=10_000)
    weights: FloatArray = model.fit(np.vstack([rows, -rows]), np.repeat([1, 0], len(rows))).coef_[0]
    return weights


def _dense(x: SparseRows) -> FloatArray:
    rows = np.zeros((x.height, x.width))
    rows[x.rows, x.columns] = x.values
    return rows
