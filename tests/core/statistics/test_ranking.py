"""The measures of ir-measures, against values worked out by hand and against a definition in five lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.core.statistics.ranking import StandardMeasure, measure_queries, parse_standard

GRADES = {"a": 3, "b": 1, "c": 0, "d": 2}


def measured(name: str, ranking: Sequence[str], grades: Mapping[str, int] = GRADES) -> float:
    measure = parse_standard(name)
    return measure_queries([measure], {"q": grades}, {"q": ranking})[measure]["q"]


@pytest.mark.parametrize(
    ("name", "ranking", "value"),
    [
        ("nDCG@3", ["b", "x", "a"], (1 + 3 / 2) / (3 + 2 / math.log2(3) + 1 / 2)),
        ("RR@10", ["x", "c", "d"], 1 / 3),  # c is judged, and not relevant
        ("RR@2", ["x", "c", "d"], 0.0),
        ("R@1", ["a", "b", "d"], 1 / 3),
        ("R@100", ["a", "x", "b"], 2 / 3),
        ("AP", ["a", "x", "b"], (1 + 2 / 3) / 3),
        ("P@4", ["a", "x", "b"], 2 / 4),
        ("P(rel=2)@2", ["a", "b"], 1 / 2),
        ("Judged@4", ["a", "x", "c", "y"], 2 / 4),
        ("Judged@10", ["a", "x"], 1 / 2),  # of what was found
        ("ERR@2", ["b", "a"], 1 / 16 + (1 - 1 / 16) * (7 / 16) / 2),
    ],
)
def test_a_value_is_what_the_definition_gives(name: str, ranking: list[str], value: float) -> None:
    assert measured(name, ranking) == pytest.approx(value, abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(
    grades=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3), min_size=1),
    ranking=st.permutations("abcdefgh"),
    k=st.integers(1, 10),
)
def test_ndcg_is_the_five_line_definition(grades: dict[str, int], ranking: list[str], k: int) -> None:
    gains = [grades.get(document, 0) / math.log2(rank + 1) for rank, document in enumerate(ranking[:k], 1)]
    ideal = sorted(grades.values(), reverse=True)[:k]
    best = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(ideal, 1))
    expected = sum(gains) / best if best else 0.0
    assert measured(f"nDCG@{k}", ranking, grades) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["nDCG@10", "RR@10", "Judged@10", "ERR@10"])
def test_names_of_queries_and_documents_may_hold_anything(name: str) -> None:
    measure = parse_standard(name)
    odd = measure_queries([measure], {"a b": {"d 1\n": 1}, "0": {"x": 1}}, {"a b": ["d 1\n", "é"], "0": ["y"]})
    plain = measure_queries([measure], {"1": {"d": 1}, "2": {"x": 1}}, {"1": ["d", "e"], "2": ["y"]})
    assert list(odd[measure].values()) == list(plain[measure].values())


def test_a_query_that_found_nothing_counts_and_one_that_is_not_judged_does_not() -> None:
    measure = parse_standard("RR@10")
    values = measure_queries([measure], {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": ["a"], "q3": ["a"]})
    assert values[measure] == {"q1": 1.0, "q2": 0.0}


@pytest.mark.parametrize(
    ("ranking", "values"),
    [
        (["x", "a", "y"], {"q": 0.5}),  # one of the two that are not relevant is above a
        (["a"], {}),  # nothing to be better than
        (["x", "y"], {}),  # nothing relevant was found
        ([], {}),
    ],
)
def test_a_measure_that_is_not_defined_for_a_query_has_no_value_there(
    ranking: list[str], values: dict[str, float]
) -> None:
    measure = parse_standard("Accuracy@5")
    both = measure_queries([measure], {"q": {"a": 1}, "r": {"b": 1}}, {"q": ranking, "r": ["b", "x"]})
    assert both == {measure: {**values, "r": 1.0}}


def test_a_measure_that_fails_on_the_data_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = parse_standard("nDCG@10")

    def fail(*_: object) -> None:
        raise OSError("the program ended")

    monkeypatch.setattr("ir_measures.iter_calc", fail)
    with pytest.raises(UserError, match=r"Measure 'nDCG@10': .* \(the program ended\)"):
        measure_queries([measure], {"q": {"a": 1}}, {"q": ["a"]})


def test_without_judgments_there_are_no_values() -> None:
    measure = parse_standard("AP")
    assert measure_queries([measure], {}, {"q": ["a"]}) == {measure: {}}


@pytest.mark.parametrize("text", ["nDCG@10", "P(rel=2)@5", "AP", "R@100", "nDCG(dcg='exp-log2')@10"])
def test_a_measure_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_standard(text)) == text
    assert parse_standard(str(parse_standard(text))) == parse_standard(text)


def test_other_names_of_a_measure_are_the_same_measure() -> None:
    assert parse_standard("MRR@10") == StandardMeasure("RR@10", 10)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nDGC@10", "there is no such measure"),
        ("P", "needs an integer"),
        ("P@1.5", "needs an integer"),
        ("nDCG@0", "an integer from 1"),  # trec_eval would end the process
        ("P@9999999999", "an integer from 1"),
        ("nDCG@True", "an integer from 1"),
        ("P(rel=0)@5", "rejects it"),
        ("P(x=2)@5", "unsupported params"),
        ("SDCG@5", "needs a value for max_rel"),
        ("RBP", "no installed package"),
        ("nDCG@@", "write it as"),
        ("", "write it as"),
    ],
)
def test_what_cannot_be_computed_is_refused_when_it_is_named(text: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        parse_standard(text)


def test_without_the_extra_its_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraintsuite.core.statistics.ranking.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"constraintsuite\[ranking\]"):
        parse_standard("nDCG@10")
