from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.records.examples import ExampleDocument
from constraintsuite.core.statistics.ties import Outcome, TieRule


def document(name: str, text: str) -> ExampleDocument:
    return ExampleDocument("satisfying", name, "", text, "")


SOUP, STEW = document("d1", "soup"), document("d2", "stew")
SCORES = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 0.5, 0.5 - 1e-9])


@pytest.mark.parametrize(
    ("better", "worse", "outcome"), [(2, 1, "right"), (1, 2, "wrong"), (1, 1, "tie"), (0.0, -0.0, "tie")]
)
def test_only_a_strictly_higher_score_is_right(better: float, worse: float, outcome: Outcome) -> None:
    assert TieRule().outcome(better, worse) == outcome


@pytest.mark.parametrize(("eps", "outcome"), [(0.0, "right"), (0.5, "right"), (1.0, "tie"), (2.0, "tie")])
def test_scores_at_most_eps_apart_are_equal(eps: float, outcome: Outcome) -> None:
    assert TieRule("half", eps).outcome(2.0, 1.0) == outcome


def test_a_tie_counts_nothing_or_a_half() -> None:
    assert TieRule("strict").credit("q", SOUP, STEW) == 0.0
    assert TieRule("half").credit("q", SOUP, STEW) == 0.5


def test_a_coin_is_the_same_for_the_same_query_and_documents_and_fair_over_queries() -> None:
    rule = TieRule("random")
    tosses = [rule.credit(str(query), SOUP, STEW) for query in range(2_000)]
    assert tosses == [1 - rule.credit(str(query), STEW, SOUP) for query in range(2_000)]
    assert tosses == [rule.credit(str(query), document("other id", "soup"), STEW) for query in range(2_000)]
    assert 900 < sum(tosses) < 1_100


@given(st.tuples(SCORES, SCORES), st.sampled_from([("d1", "d2"), ("d2", "d1"), ("7-2_doc1", "7-2_doc2"), ("é", "z")]))
def test_the_rule_of_mteb_is_that_of_pytrec_eval(scores: tuple[float, float], ids: tuple[str, str]) -> None:
    pytrec_eval: Any = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    better, worse = ids
    ranking = {"q": dict(zip(ids, scores, strict=True))}
    theirs = pytrec_eval.RelevanceEvaluator({"q": {better: 1, worse: 0}}, {"recall.1"}).evaluate(ranking)["q"][
        "recall_1"
    ]
    rule = TieRule("mteb")
    outcome = rule.outcome(*scores)
    ours = rule.credit("q", document(better, ""), document(worse, "")) if outcome == "tie" else outcome == "right"
    assert ours == theirs


@pytest.mark.parametrize(("rule", "words"), [(TieRule(), "strict"), (TieRule("half", 0.01), "half, eps 0.01")])
def test_a_rule_says_what_it_is(rule: TieRule, words: str) -> None:
    assert str(rule) == words
