"""Recall with ties and without, short answers, and answers that are none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.core.records.scores import Interval
from constraintsuite.models.retrieval.topk import FloatArray, IntArray, Neighbours, top_k
from constraintsuite.vectors.ann.data import VectorMetric, scores_of
from constraintsuite.vectors.ann.metrics import (
    RecallTieRule,
    WrongAnswerError,
    judge,
    mean,
    refuse_wrong,
    relevance_and_ceiling,
    relevance_values,
    summarise,
)

TRUTH = Neighbours(np.array([[0, 1, 2, 3]]), np.array([[0.9, 0.8, 0.7, 0.6]]))


def judged(rows: list[int], scores: list[float], k: int, ties: RecallTieRule = "relative") -> tuple[float, ...]:
    values = judge(np.array([rows]), np.array([scores]), TRUTH, k, ties)
    return tuple(float(value[0]) for value in values)


@pytest.mark.parametrize(
    ("rows", "scores", "recall", "recall_tie", "gap", "incomplete"),
    [
        ([0, 1], [0.9, 0.8], 1.0, 1.0, 0.0, 0.0),
        ([1, 0], [0.8, 0.9], 1.0, 1.0, 0.0, 0.0),  # the order among the first k does not count
        ([0, 3], [0.9, 0.6], 0.5, 0.5, 0.2, 0.0),
        ([0, 7], [0.9, 0.8], 0.5, 1.0, 0.0, 0.0),  # another row, exactly as near
        ([0, 7], [0.9, 0.7995], 0.5, 0.5, 0.0005, 0.0),
        ([0, -1], [0.9, -np.inf], 0.5, 0.5, np.nan, 0.5),
        ([-1, -1], [-np.inf, -np.inf], 0.0, 0.0, np.nan, 1.0),
    ],
)
def test_an_answer_is_judged(
    rows: list[int], scores: list[float], recall: float, recall_tie: float, gap: float, incomplete: float
) -> None:
    assert judged(rows, scores, 2) == pytest.approx((recall, recall_tie, gap, incomplete), nan_ok=True)


@pytest.mark.parametrize(("ties", "found"), [("relative", 0.5), ("bigann", 0.5), ("annb", 1.0)])
def test_how_far_a_tie_reaches(ties: RecallTieRule, found: float) -> None:
    assert judged([0, 7], [0.9, 0.7995], 2, ties)[1] == found


def ann_benchmarks_recall(true_distances: FloatArray, found_distances: FloatArray, k: int) -> float:
    """Its definition: distances up to the k-th true one plus a thousandth, over k."""
    hits = [(f[:k] <= t[k - 1] + 1e-3).sum() for t, f in zip(true_distances, found_distances, strict=True)]
    return float(np.mean(hits) / k)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 10))
def test_tie_recall_is_that_of_ann_benchmarks(metric: VectorMetric, seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    base = rng.standard_normal((60, 3)).astype(np.float32)
    base[30:] = base[:30] + rng.choice([0, 2e-4, 2e-3], size=(30, 1)).astype(np.float32)
    queries = rng.standard_normal((5, 3)).astype(np.float32)
    truth = top_k(queries, base, 10, metric)
    found = np.stack([rng.choice(truth.rows[i], k, replace=False) for i in range(5)])
    scores = scores_of(queries, base, found, metric)
    ours = judge(found, scores, truth, k, "annb").recall_tie.mean()
    start = 1 if metric == "cosine" else 0  # its distances: 1 - cosine, and the Euclidean one
    assert ours == pytest.approx(ann_benchmarks_recall(start - truth.scores, start - scores, k))


def test_equal_vectors_cost_an_exact_answer_nothing() -> None:
    base = np.repeat(np.eye(3, dtype=np.float32), 4, axis=0)
    queries = np.eye(3, dtype=np.float32)
    truth = top_k(queries, base, 2, "cosine")
    other = truth.rows + 2  # the last two of the four equal rows
    values = judge(other, scores_of(queries, base, other, "cosine"), truth, 2, "relative")
    assert (values.recall.tolist(), values.recall_tie.tolist()) == ([0, 0, 0], [1, 1, 1])


@pytest.mark.parametrize(
    ("rows", "words"),
    [([[0, 1], [3, 3]], "query 1 names a row twice"), ([[0, 9]], "row 9"), ([[0, -2]], "-2")],
)
def test_an_answer_that_is_none_is_an_error(rows: list[list[int]], words: str) -> None:
    with pytest.raises(WrongAnswerError, match=words):
        refuse_wrong(np.array(rows), 5)


def test_missing_places_are_no_repetition() -> None:
    refuse_wrong(np.array([[2, -1, -1]]), 5)


def test_where_there_are_fewer_rows_than_k_all_of_them_are_the_whole() -> None:
    assert judged([0, 1, 2, 3, -1, -1], [0.9, 0.8, 0.7, 0.6, -np.inf, -np.inf], 6)[:2] == (1.0, 1.0)


def test_figures_have_n_and_both_halves() -> None:
    rows = np.tile(TRUTH.rows, (40, 1))
    rows[:4, 3] = 9
    truth = Neighbours(np.tile(TRUTH.rows, (40, 1)), np.tile(TRUTH.scores, (40, 1)))
    scores = np.where(rows == 9, 0.1, truth.scores)
    figures = summarise(judge(rows, scores, truth, 4, "relative"), 4, np.arange(10))
    assert figures["ann.recall@4"].value == pytest.approx(1 - 4 * 0.25 / 40)
    assert figures["ann.recall_tie@4.tune"].value == pytest.approx(0.9)
    assert (figures["ann.recall_tie@4.report"].value, figures["ann.recall_tie@4.report"].n) == (1.0, 30)
    assert figures["ann.recall_p05@4"].value == 0.75
    assert figures["ann.kth_gap@4"].value == pytest.approx(4 * 0.5 / 40)


def test_a_perfect_recall_is_not_called_certain() -> None:
    interval = mean(np.ones(20))
    assert interval.value == 1.0
    assert interval.low is not None
    assert 0.8 < interval.low < 0.9


def test_the_interval_of_few_queries_stays_on_its_scale() -> None:
    recall, gap = mean(np.array([1.0, 1, 1, 1, 1, 0.8])), mean(np.array([0.0, 0.15]), bounded=False)
    assert (recall.high, gap.low) == (1.0, 0.0)
    assert gap.high is not None
    assert gap.high > 1


def test_a_gap_is_no_share() -> None:
    assert mean(np.zeros(100), bounded=False) == Interval(0.0, None, None, 100)
    rows = np.tile(TRUTH.rows, (40, 1))
    truth = Neighbours(rows, np.tile(TRUTH.scores, (40, 1)))
    gap = summarise(judge(rows, truth.scores, truth, 4, "relative"), 4, np.arange(10))["ann.kth_gap@4"]
    assert gap == Interval(0.0, None, None, 40)


def test_judgments_are_measured_beside_their_ceiling() -> None:
    pytest.importorskip("ir_measures")
    found: IntArray = np.array([[0, 5], [7, -1], [3, 4]])
    exact: IntArray = np.array([[0, 1], [2, 3], [4, 3]])
    values = relevance_and_ceiling(found, exact, {0: {0: 1, 1: 2}, 1: {2: 1}, 2: {3: 0}}, 2, 1)
    nothing_relevant = np.nan  # of query 2
    gain = 1 / (2 + 1 / np.log2(3))
    for name, expected in {
        "rel.recall@2": [1 / 2, 0, nothing_relevant],
        "rel.ceiling.recall@2": [1, 1, nothing_relevant],
        "rel.rr@2": [1, 0, nothing_relevant],
        "rel.ndcg@2": [gain, 0, nothing_relevant],
        "rel.judged@2": [1 / 2, 0, nothing_relevant],
    }.items():
        assert values[name] == pytest.approx(expected, nan_ok=True), name


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.sampled_from([5, 10, 20]), least=st.sampled_from([1, 2, 3]))
def test_relevance_equals_pytrec_eval(seed: int, k: int, least: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(seed)
    found: IntArray = np.stack([rng.permutation(60)[:k] for _ in range(6)])
    found[0, k // 2 :] = -1
    judged = {q: {int(row): int(rng.integers(0, 4)) for row in rng.permutation(60)[:8]} for q in range(5)}
    judged = {q: of for q, of in judged.items() if any(grade >= least for grade in of.values())}
    qrels = {str(q): {str(row): grade for row, grade in of.items()} for q, of in judged.items()}
    run = {str(q): {str(r): -float(i) for i, r in enumerate(found[q].tolist()) if r >= 0} for q in judged}
    first = min(k, 10)
    asked = {f"recall.{k}", f"success.{k}", f"ndcg_cut.{first}", f"map_cut.{k}", "recip_rank"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, asked, relevance_level=least).evaluate(run)
    ours = relevance_values(found, judged, k, least)
    assert sorted(np.flatnonzero(~np.isnan(ours[f"rel.recall@{k}"])).tolist()) == sorted(judged)
    for query in judged:
        them = theirs[str(query)]
        pairs = {
            f"rel.recall@{k}": them[f"recall_{k}"],
            f"rel.success@{k}": them[f"success_{k}"],
            f"rel.ndcg@{first}": them[f"ndcg_cut_{first}"],
            f"rel.ap@{k}": them[f"map_cut_{k}"],
            f"rel.rr@{first}": them["recip_rank"] if them["recip_rank"] >= 1 / first else 0.0,
        }
        assert {name: ours[name][query] for name in pairs} == pytest.approx(pairs, abs=1e-9)
