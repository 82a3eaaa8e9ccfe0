from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from constraintsuite.core.records.examples import QUERY_PREFERENCE, Example, ExampleDocument, Preference
from constraintsuite.core.statistics.pairwise import Scores, deviation, judge, judge_all
from constraintsuite.core.statistics.ties import Outcome, TiePolicy, TieRule
from experiments.tiny_suite import CREAMLESS, IDIOM, LOUD, ORPHAN


def scores_of(example: Example, **gaps: float) -> Scores:
    """Scores in which the satisfying document is above the violating one by the gap given for a query, 0 if none is."""
    scores = {}
    for role, query in example.queries.items():
        scores[query, example.satisfying.text] = 1.0 + gaps.get(role, 0.0)
        scores[query, example.violating.text] = 1.0
    return scores


@pytest.mark.parametrize(
    ("gap", "opposite_gap", "query", "opposite", "paired"),
    [
        (0.5, -0.5, "right", "right", True),
        (0.5, 0.5, "right", "wrong", False),
        (-0.5, -0.5, "wrong", "right", False),
        (-0.5, 0.5, "wrong", "wrong", False),
        (0.0, -0.5, "tie", "right", False),
        (0.5, 0.0, "right", "tie", False),
    ],
)
def test_the_query_and_its_opposite_must_be_right(
    gap: float, opposite_gap: float, query: Outcome, opposite: Outcome, paired: bool
) -> None:
    result = judge(CREAMLESS, scores_of(CREAMLESS, query=gap, opposite=opposite_gap, topic=0.25))
    assert (result.outcomes, result.paired) == ({"query": query, "opposite": opposite}, paired)
    assert result.tie == (0.0 in (gap, opposite_gap))
    assert result.gaps == {"query": gap, "opposite": opposite_gap, "topic": 0.25}


def test_an_equal_score_under_the_topic_is_no_tie() -> None:
    assert not judge(CREAMLESS, scores_of(CREAMLESS, query=1, opposite=-1)).tie


def test_an_example_may_state_nothing_about_its_opposite() -> None:
    example = replace(CREAMLESS, preferences=(QUERY_PREFERENCE,))
    result = judge(example, scores_of(example, query=1.0, opposite=0.0))
    assert (result.outcomes, result.paired, result.tie) == ({"query": "right"}, None, False)
    assert result.gaps["opposite"] == 0.0


def test_an_example_may_lack_an_opposite_and_a_topic() -> None:
    example = replace(CREAMLESS, opposite=None, topic=None, preferences=(QUERY_PREFERENCE,))
    result = judge(example, scores_of(example, query=1.0))
    assert (result.outcomes, result.gaps, result.paired) == ({"query": "right"}, {"query": 1.0}, None)


@pytest.mark.parametrize(("idiom", "exclusion"), [(1.0, -1.0), (1.0, 1.0), (-1.0, -1.0)])
def test_an_idiom_is_paired_with_a_real_exclusion_and_restated_without_it(idiom: float, exclusion: float) -> None:
    result = judge(IDIOM, scores_of(IDIOM, query=idiom, opposite=exclusion, restated=1.0))
    assert (result.outcomes["query"] == "right", result.outcomes["opposite"] == "right") == (idiom > 0, exclusion < 0)
    assert result.outcomes["restated"] == "right"
    assert result.paired == (idiom > 0 > exclusion)


@pytest.mark.parametrize(
    ("scores", "outcome"),
    [((3.0, 2.0, 1.0), "right"), ((3.0, 1.0, 2.0), "wrong"), ((3.0, 1.0, 1.0), "tie"), ((1.0, 2.0, 2.0), "wrong")],
)
def test_all_preferences_of_a_query_must_hold(scores: tuple[float, float, float], outcome: Outcome) -> None:
    worst = ExampleDocument("worst", "d3", "", "A soup of cream with cream.", "d3")
    example = replace(
        CREAMLESS,
        opposite=None,
        topic=None,
        documents=(*CREAMLESS.documents, worst),
        preferences=(QUERY_PREFERENCE, Preference("query", "violating", "worst")),
    )
    texts = [document.text for document in example.documents]
    given = {(example.query, text): score for text, score in zip(texts, scores, strict=True)}
    assert judge(example, given).outcomes == {"query": outcome}


@pytest.mark.parametrize(("original", "variant"), list(product((1.0, 0.0, -1.0), repeat=2)))
def test_a_nonflip_control_is_compared_with_its_original(original: float, variant: float) -> None:
    scores = {**scores_of(LOUD, query=variant), **scores_of(CREAMLESS, query=original)}
    *_, loud, orphan = judge_all([CREAMLESS], [LOUD, ORPHAN], scores)
    assert loud.invariant == (original == variant)
    assert loud.flipped == (original * variant < 0)  # to and from a tie is neither
    assert (orphan.invariant, orphan.flipped) == (None, None)


def test_only_nonflip_controls_have_an_invariance() -> None:
    scores = {**scores_of(CREAMLESS), **scores_of(IDIOM)}
    original = replace(CREAMLESS, id="dogless")
    assert [result.invariant for result in judge_all([original], [IDIOM], scores)] == [None, None]


@pytest.mark.parametrize(
    ("policy", "query", "opposite"),
    [("strict", None, None), ("half", 0.5, 0.5), ("mteb", None, 1.0)],  # d1 satisfies, d2 violates: d2 sorts last
)
def test_a_tie_counts_under_each_query(policy: TiePolicy, query: float | None, opposite: float | None) -> None:
    tied = judge(CREAMLESS, scores_of(CREAMLESS), TieRule(policy)).tied
    assert (tied.get("query"), tied.get("opposite")) == (query, opposite)


def test_a_coin_puts_one_of_two_documents_first_whichever_a_query_wants() -> None:
    same = replace(CREAMLESS, opposite=CREAMLESS.query)
    tied = judge(same, scores_of(same), TieRule("random")).tied
    assert tied.get("query", 0) + tied.get("opposite", 0) == 1


def test_scores_nearer_than_eps_are_equal() -> None:
    scores = scores_of(CREAMLESS, query=0.25, opposite=-1.0)
    assert judge(CREAMLESS, scores, TieRule("strict", 0.24)).outcomes["query"] == "right"
    assert judge(CREAMLESS, scores, TieRule("strict", 0.25)).outcomes["query"] == "tie"


def test_the_unit_of_a_run_is_the_standard_deviation_of_its_scores() -> None:
    assert deviation([1.0, 3.0, 1.0, 3.0]) == 1.0
    assert deviation([0.1] * 3) is None
    assert deviation([]) is None
    (result,) = judge_all([CREAMLESS], [], scores_of(CREAMLESS, query=2.0, opposite=2.0, topic=2.0))
    assert result.unit == 1.0
