from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from constraintsuite.experiments.outcomes import deviation, judge, judge_all, preferences_of
from constraintsuite.experiments.scoring import Scores, queries_of
from constraintsuite.metrics.ties import Outcome, TiePolicy, TieRule
from constraintsuite.records.examples import Example, Labels
from constraintsuite.records.scores import Preference
from experiments.tiny_suite import CREAM, CREAMLESS, DOGS, IDIOM, LEEKS, LOUD, NO_DOGS, ORPHAN


def scores_of(example: Example, **gaps: float) -> Scores:
    """Scores in which `docs.pos` is above `docs.neg` by the gap given for a role, 0 if none is."""
    scores = {}
    for role, query in queries_of(example).items():
        scores[query, example.docs.pos.text] = 1.0 + gaps.get(role, 0.0)
        scores[query, example.docs.neg.text] = 1.0
    return scores


def test_the_negated_query_prefers_what_the_affirmative_one_does_not() -> None:
    assert preferences_of(CREAMLESS) == {
        "neg": Preference("creamless", "neg", "soups without cream", better=LEEKS, worse=CREAM),
        "base": Preference("creamless", "base", "soups with cream", better=CREAM, worse=LEEKS),
    }


def test_an_idiom_prefers_what_its_twin_does_not() -> None:
    better = {role: preference.better for role, preference in preferences_of(IDIOM).items()}
    assert better == {"neg": DOGS, "base": DOGS, "twin": NO_DOGS}


@pytest.mark.parametrize(
    ("gap_neg", "gap_base", "neg", "base", "paired"),
    [
        (0.5, -0.5, "right", "right", True),
        (0.5, 0.5, "right", "wrong", False),
        (-0.5, -0.5, "wrong", "right", False),
        (-0.5, 0.5, "wrong", "wrong", False),
        (0.0, -0.5, "tie", "right", False),
        (0.5, 0.0, "right", "tie", False),
    ],
)
def test_both_queries_must_be_right(gap_neg: float, gap_base: float, neg: Outcome, base: Outcome, paired: bool) -> None:
    result = judge(CREAMLESS, scores_of(CREAMLESS, neg=gap_neg, base=gap_base, topic=0.25))
    assert (result.neg, result.base, result.paired) == (neg, base, paired)
    assert result.tie == (0.0 in (gap_neg, gap_base))
    assert (result.gap_neg, result.gap_base, result.gap_topic, result.gap_twin) == (gap_neg, gap_base, 0.25, None)


def test_an_equal_score_under_the_topic_is_no_tie() -> None:
    assert not judge(CREAMLESS, scores_of(CREAMLESS, neg=1, base=-1)).tie


def test_an_example_may_state_nothing_about_its_affirmative_query() -> None:
    example = replace(CREAMLESS, labels=Labels(pairwise_preference_for_query_base="none"))
    result = judge(example, scores_of(example, neg=1.0, base=0.0))
    assert (result.neg, result.base, result.paired, result.tie) == ("right", None, None, False)
    assert result.gap_base == 0.0


def test_an_example_may_lack_an_affirmative_query_and_a_topic() -> None:
    example = replace(CREAMLESS, query=replace(CREAMLESS.query, base="", topic=""))
    result = judge(example, scores_of(example, neg=1.0))
    assert (result.neg, result.base, result.paired) == ("right", None, None)
    assert (result.gap_base, result.gap_topic) == (None, None)


@pytest.mark.parametrize(("neg", "twin"), [(1.0, -1.0), (1.0, 1.0), (-1.0, -1.0)])
def test_under_the_twin_query_the_other_document_is_right(neg: float, twin: float) -> None:
    result = judge(IDIOM, scores_of(IDIOM, neg=neg, base=1.0, twin=twin))
    assert (result.neg == "right", result.twin == "right") == (neg > 0, twin < 0)
    assert (result.base, result.paired) == ("right", None)  # both of its queries want the same document


@pytest.mark.parametrize(("original", "variant"), list(product((1.0, 0.0, -1.0), repeat=2)))
def test_a_nonflip_control_is_compared_with_its_original(original: float, variant: float) -> None:
    scores = {**scores_of(LOUD, neg=variant), **scores_of(CREAMLESS, neg=original)}
    *_, loud, orphan = judge_all([CREAMLESS], [LOUD, ORPHAN], scores)
    assert loud.invariant == (original == variant)
    assert loud.flipped == (original * variant < 0)  # to and from a tie is neither
    assert (orphan.invariant, orphan.flipped) == (None, None)


def test_only_nonflip_controls_have_an_invariance() -> None:
    scores = {**scores_of(CREAMLESS), **scores_of(IDIOM)}
    original = replace(CREAMLESS, id="dogless")
    assert [result.invariant for result in judge_all([original], [IDIOM], scores)] == [None, None]


@pytest.mark.parametrize(
    ("policy", "neg", "base"),
    [("strict", None, None), ("half", 0.5, 0.5), ("mteb", None, 1.0)],  # d1 satisfies, d2 violates: d2 sorts last
)
def test_a_tie_counts_under_each_query(policy: TiePolicy, neg: float | None, base: float | None) -> None:
    tied = judge(CREAMLESS, scores_of(CREAMLESS), TieRule(policy)).tied
    assert (tied.get("neg"), tied.get("base")) == (neg, base)


def test_a_coin_puts_one_of_two_documents_first_whichever_a_query_wants() -> None:
    same = replace(CREAMLESS, query=replace(CREAMLESS.query, base=CREAMLESS.query.neg))
    tied = judge(same, scores_of(same), TieRule("random")).tied
    assert tied.get("neg", 0) + tied.get("base", 0) == 1


def test_scores_nearer_than_eps_are_equal() -> None:
    scores = scores_of(CREAMLESS, neg=0.25, base=-1.0)
    assert judge(CREAMLESS, scores, TieRule("strict", 0.24)).neg == "right"
    assert judge(CREAMLESS, scores, TieRule("strict", 0.25)).neg == "tie"


def test_the_unit_of_a_run_is_the_standard_deviation_of_its_scores() -> None:
    assert deviation([1.0, 3.0, 1.0, 3.0]) == 1.0
    assert deviation([0.1] * 3) is None
    assert deviation([]) is None
    (result,) = judge_all([CREAMLESS], [], scores_of(CREAMLESS, neg=2.0, base=2.0, topic=2.0))
    assert result.unit == 1.0
