"""Documents that obey fewer constraints than the pair: their order is a figure of its own, and the pair keeps its meaning."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    RESTATED_PREFERENCE,
    Example,
    ExampleDocument,
    ExampleSource,
    Preference,
)
from constraintsuite.core.statistics.pairwise import METRICS, judge
from constraintsuite.core.statistics.ties import STRICT, TieRule

ROLES = ("satisfying", "violating", "obeys_1", "obeys_0")
GRADED = tuple(Preference("query", better, worse) for better, worse in combinations(ROLES, 2))[1:]


def example(graded: tuple[Preference, ...] = GRADED) -> Example:
    return Example(
        id="e",
        slice="explicit",
        constraint=None,
        query="q",
        opposite="o",
        topic=None,
        restated="r",
        documents=tuple(ExampleDocument(role, role, "", role, role) for role in ROLES),
        preferences=(QUERY_PREFERENCE, OPPOSITE_PREFERENCE, RESTATED_PREFERENCE, *graded),
        source=ExampleSource("test"),
        split="test",
        couple="",
        clusters=(),
    )


def scores(*under_query: float, restated: tuple[float, float] = (2.0, 1.0)) -> dict[tuple[str, str], float]:
    """Scores of the four documents under the query; the opposite is always right."""
    found = {("q", role): score for role, score in zip(ROLES, under_query, strict=True)}
    found |= {("o", "satisfying"): 0.0, ("o", "violating"): 1.0}
    return found | {("r", role): score for role, score in zip(ROLES, restated, strict=False)}


def value(metric: str, given: dict[tuple[str, str], float], rule: TieRule = STRICT) -> float:
    return float(METRICS[metric].column([judge(example(), given, rule)])[0])


@pytest.mark.parametrize(
    ("under_query", "share"),
    [((4, 3, 2, 1), 1.0), ((1, 2, 3, 4), 0.0), ((3, 4, 2, 1), 5 / 6), ((4, 1, 3, 2), 4 / 6), ((4, 4, 2, 1), 5 / 6)],
)
def test_monotonicity_is_the_share_of_all_pairs_of_documents_in_the_right_order(
    under_query: tuple[float, ...], share: float
) -> None:
    assert value("monotonicity", scores(*under_query)) == pytest.approx(share)


def test_a_tie_counts_what_the_rule_says() -> None:
    assert value("monotonicity", scores(4, 4, 2, 1), rule=TieRule("half")) == pytest.approx(5.5 / 6)


def test_the_pair_is_right_however_the_other_documents_are_ordered() -> None:
    given = scores(2, 1, 4, 3)
    assert (value("accuracy", given), value("paired_accuracy", given)) == (1.0, 1.0)


def test_a_tie_of_other_documents_is_no_tie_of_the_pair() -> None:
    assert value("tie_rate", scores(4, 3, 1, 1)) == 0.0


def test_without_graded_preferences_there_is_no_monotonicity() -> None:
    found = judge(example(graded=()), scores(4, 3, 2, 1))
    assert np.isnan(METRICS["monotonicity"].column([found])[0])


@pytest.mark.parametrize(("restated", "agreement"), [((2.0, 1.0), 1.0), ((1.0, 2.0), 0.0), ((1.0, 1.0), 0.0)])
def test_two_wordings_agree_if_they_have_the_same_outcome(restated: tuple[float, float], agreement: float) -> None:
    assert value("restated_agreement", scores(4, 3, 2, 1, restated=restated)) == agreement
