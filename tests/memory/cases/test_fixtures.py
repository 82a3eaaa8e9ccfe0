"""The bundled cases: that they are what the documentation says, and that their ids are those of ingestion."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.memory.cases.files import FIXTURES, Grounded, fixture_path, ground, read_cases
from constraintsuite.memory.cases.model import BenchmarkCase
from constraintsuite.memory.cases.run import not_evaluated
from constraintsuite.text.terms import TermAnalyser


@cache
def bundled(name: str) -> Grounded:
    return ground(read_cases(fixture_path(name)))


def all_cases() -> list[BenchmarkCase]:
    return [case for name in FIXTURES for case in read_cases(fixture_path(name)).dataset.cases]


@pytest.mark.parametrize("name", FIXTURES)
def test_every_node_of_a_bundled_dataset_is_a_unit_of_its_documents(name: str) -> None:
    data = bundled(name)
    assert data.dataset.dataset_id == name
    assert all(15 <= len(part.units) <= 40 for part in data.parts)


def test_there_are_enough_cases_and_documents() -> None:
    assert len({case.query for case in all_cases()}) == len(all_cases()) >= 60
    assert sum(len(bundled(name).parts) for name in FIXTURES) >= 8


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.case_id)
def test_every_case_has_paraphrases_and_a_hard_negative_and_is_evaluated_in_full(case: BenchmarkCase) -> None:
    assert len(case.paraphrases) >= 3
    assert case.hard_negatives
    assert case.answer
    assert not_evaluated(case) == ()


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.case_id)
def test_wordings_share_less_than_half_of_their_terms(case: BenchmarkCase) -> None:
    analyser = TermAnalyser()
    for one, other in combinations(case.phrasings, 2):
        a, b = set(analyser.terms(one)), set(analyser.terms(other))
        assert len(a & b) <= len(a | b) / 2, (one, other)


@pytest.mark.parametrize("name", ["priming_help", "priming_harm"])
def test_in_a_sequence_all_primes_come_before_the_probes(name: str) -> None:
    parts = [case.part for case in bundled(name).dataset.cases]
    assert parts == ["prime"] * parts.count("prime") + ["probe"] * parts.count("probe")
    assert parts.count("probe") >= 8


def test_an_unknown_name_is_answered_with_the_list() -> None:
    with pytest.raises(UserError, match="There are: contract, runbook"):
        fixture_path("lease")
