"""The classifier of texts: its features, its weights beside those of scikit-learn, and its folds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.records.examples import Example
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.suites.audit.logistic import SparseRows, count_differences, deal, fit_logistic, held_out_scores
from suites.audit.audit_factory import couples, singles


def test_both_examples_of_a_couple_together_would_cancel_exactly() -> None:
    pairs = [(one.satisfying.text, one.violating.text) for one in couples(20)]
    assert np.abs(fit_logistic(count_differences(pairs))).max() == pytest.approx(0, abs=1e-12)


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


def test_a_row_is_scored_by_weights_of_other_folds() -> None:
    x = SparseRows.of_counts([{"own": 1.0, "common": 1.0}, {"common": 1.0}, {"lone": 1.0}])
    scores = held_out_scores(x, np.arange(3), ("key",))
    assert scores[0] > 0 and scores[1] > 0
    assert scores[2] == 0  # no other row has its feature
