"""Our measures of violating documents, worked out by hand; ExcluIR's as its authors define them."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.core.records.text import Qrel
from constraintsuite.experiments.ranking.collection import JudgedQuery, judge_queries
from constraintsuite.experiments.ranking.measures import (
    ConstraintMeasure,
    QueryRanking,
    choose_measures,
    measure_rankings,
    parse_measures,
)

PAIR = JudgedQuery("q", "films not by Ann", {"pos": 1}, frozenset({"neg"}))
SEVERAL = JudgedQuery("q", "soups without cream", {"p1": 2, "p2": 1, "z": 0}, frozenset({"n1", "n2"}))
ONLY_FORBIDDEN = JudgedQuery("q", "no soup", {}, frozenset({"neg"}))
ONLY_RELEVANT = JudgedQuery("q", "soup", {"pos": 1})


def value(name: str, query: JudgedQuery, documents: list[str]) -> float:
    (measure,) = parse_measures([name])
    return float(measure_rankings([measure], [QueryRanking(query, documents)])[measure][0])


@pytest.mark.parametrize(
    ("documents", "recall", "reciprocal", "right"),
    [
        (["pos", "neg"], 1, 1 - 1 / 2, 1),
        (["neg", "pos"], -1, 1 / 2 - 1, 0),
        (["x", "pos"], 0, 1 / 2, 1),  # only the relevant one is there: right
        (["x", "neg"], 0, -1 / 2, 0),
        (["x", "y"], 0, 0, 0),  # neither: wrong
        ([], 0, 0, 0),
        (["x"] + [f"x{i}" for i in range(9)] + ["pos"], 0, 0, 0),  # rank 11 is not looked at
        (["x", "neg"] + [f"x{i}" for i in range(8)] + ["pos"], 0, -1 / 2, 0),
    ],
)
def test_excluir_compares_the_two_documents_in_the_first_ten(
    documents: list[str], recall: float, reciprocal: float, right: float
) -> None:
    assert value("dR@1", PAIR, documents) == recall
    assert value("dMRR@10", PAIR, documents) == pytest.approx(reciprocal)
    assert value("right_rank@10", PAIR, documents) == right


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("violation@1", 0),
        ("violation@4", 2 / 4),
        ("violation@10", 2 / 10),  # of ten places, though fewer documents were found
        ("violation_rate@1", 0),
        ("violation_rate@2", 1),
        ("first_violation", 2),
        ("no_violation", 0),
        ("dR@2", 1 / 2 - 1 / 2),
        ("dR@3", 1 / 2 - 2 / 2),
        ("right_rank@10", 1),
        ("Judged@4", 3 / 4),  # a violating document is a judged one
        ("R@10", 1 / 2),
    ],
)
def test_with_several_documents_on_each_side(name: str, expected: float) -> None:
    assert value(name, SEVERAL, ["p1", "n1", "n2", "x"]) == pytest.approx(expected)


def test_a_violating_document_that_was_not_found_is_infinitely_deep() -> None:
    assert value("first_violation", PAIR, ["pos"]) == math.inf
    assert value("no_violation", PAIR, ["pos"]) == 1


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("nDCG@10", ONLY_FORBIDDEN),
        ("right_rank@10", ONLY_FORBIDDEN),
        ("dR@1", ONLY_FORBIDDEN),
        ("violation@10", ONLY_RELEVANT),
        ("no_violation", ONLY_RELEVANT),
        ("first_violation", ONLY_RELEVANT),
    ],
)
def test_without_such_documents_there_is_no_value(name: str, query: JudgedQuery) -> None:
    assert math.isnan(value(name, query, ["pos", "neg"]))


def test_the_others_of_a_query_without_relevant_documents_are_there() -> None:
    assert value("violation_rate@2", ONLY_FORBIDDEN, ["x", "neg"]) == 1


def test_all_rankings_have_a_place_in_the_column() -> None:
    measures = parse_measures(["RR@10"])
    rankings = [QueryRanking(ONLY_FORBIDDEN, ["neg"]), QueryRanking(JudgedQuery("r", "", {"a": 1}), ["x", "a"])]
    column = measure_rankings(measures, rankings)[measures[0]]
    np.testing.assert_equal(column, [np.nan, 0.5])


def test_a_document_that_is_relevant_and_violating_is_dropped_from_both() -> None:
    qrels = [Qrel("q", "a", 1), Qrel("q", "b", 1), Qrel("q", "c", 0)]
    (query,), notes = judge_queries({"q": "?"}, qrels, [Qrel("q", name, 1) for name in "bcd"])
    assert query.grades == {"a": 1, "c": 0}
    assert query.violating == {"c", "d"}  # c was judged not relevant, which is no contradiction
    assert notes == ("1 documents both answer a query and violate it, and count as neither.",)


@pytest.mark.parametrize("text", ["violation@5", "violation_rate@1", "first_violation", "no_violation", "right_rank@3"])
def test_a_measure_is_written_as_it_is_read(text: str) -> None:
    (measure,) = parse_measures([text])
    assert isinstance(measure, ConstraintMeasure)
    assert str(measure) == text


def test_all_wrong_names_are_told_at_once() -> None:
    with pytest.raises(UserError) as caught:
        parse_measures(["violation", "nDCG@10", "first_violation@3", "violation@0", "speed"])
    lines = str(caught.value).splitlines()
    assert [line.partition(":")[0] for line in lines[:-1]] == [
        "Measure 'violation'",
        "Measure 'first_violation@3'",
        "Measure 'violation@0'",
        "Measure 'speed'",
    ]
    assert "violation@K" in lines[-1]


def test_that_the_extra_is_missing_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtraError) as caught:
        parse_measures(["nDCG@10", "RR@10", "AP"])
    assert str(caught.value).count("pip install") == 1


def test_the_usual_measures_are_those_that_can_have_a_value() -> None:
    assert not any(isinstance(m, ConstraintMeasure) for m in choose_measures([], [ONLY_RELEVANT], 100))
    chosen = [str(measure) for measure in choose_measures(["P@5", "MRR@10"], [PAIR], 50)]
    assert chosen[:4] == ["nDCG@10", "RR@10", "R@1", "AP"]  # R@100 is deeper than the rankings go
    assert chosen[-1] == "P@5"
    assert chosen.count("RR@10") == 1


def test_a_measure_that_looks_deeper_than_the_rankings_go_is_refused() -> None:
    with pytest.raises(UserError, match="R@1000, violation@200: rankings go to depth 100 only"):
        choose_measures(["R@1000", "R@100", "violation@200"], [PAIR], 100)
