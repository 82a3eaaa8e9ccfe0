"""What an example may be; `experiments/tiny_suite.py` has the examples that are varied here."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from constraintsuite.core.records.constraints import Evidence
from constraintsuite.core.records.examples import OPPOSITE_PREFERENCE, QUERY_PREFERENCE, Example, Preference
from constraintsuite.core.store.jsonl import adapter, describe, encode
from experiments.tiny_suite import CREAMLESS, IDIOM, THREE, with_evidence


@pytest.mark.parametrize("example", [CREAMLESS, IDIOM, THREE], ids=lambda example: example.id)
def test_an_example_is_read_as_it_was_written(example: Example) -> None:
    assert adapter(Example).validate_json(encode(example)) == example


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"documents": CREAMLESS.documents[:1]}, "needs one satisfying and one violating document"),
        ({"documents": (CREAMLESS.satisfying, *CREAMLESS.documents)}, "each role once"),
        ({"query": " "}, "query must hold a word"),
        ({"opposite": ""}, "opposite must hold a word, or be null"),
        ({"preferences": ()}, "must prefer the satisfying to the violating document"),
        ({"opposite": None}, "a preference names a query or document that it does not have"),
        ({"preferences": (QUERY_PREFERENCE, Preference("topic", "violating", "x"))}, "a preference names a query or"),
        ({"preferences": (QUERY_PREFERENCE, Preference("topic", "violating", "violating"))}, "a document with itself"),
        ({"preferences": (QUERY_PREFERENCE, Preference("query", "violating", "satisfying"))}, "compares two documents"),
    ],
)
def test_an_example_that_cannot_be_is_refused(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        replace(CREAMLESS, **changes)


@pytest.mark.parametrize(
    ("evidence", "fault"),
    [
        (Evidence("neg", 0, 1, "affirmed", "test"), "names a document that it does not have: neg"),
        (Evidence("violating", -4, 2, "affirmed", "test"), "is outside of the violating text: -4 to 2"),
        (Evidence("violating", 0, 500, "affirmed", "test"), "is outside of the violating text: 0 to 500"),
    ],
)
def test_evidence_stands_in_a_document(evidence: Evidence, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        with_evidence(CREAMLESS, evidence)


@pytest.mark.parametrize("place", [(), ("constraint",), ("documents", 0), ("source",)])
def test_a_key_that_is_misspelt_is_refused(place: tuple[str | int, ...]) -> None:
    record = json.loads(encode(CREAMLESS))
    part = record
    for step in place:
        part = part[step]
    part["contol"] = None
    with pytest.raises(ValidationError) as error:
        adapter(Example).validate_python(record)
    assert "contol: unknown key, perhaps misspelt" in describe(error.value)


def test_only_an_opposite_that_turns_the_preference_round_makes_a_pair() -> None:
    assert CREAMLESS.is_paired
    assert not replace(CREAMLESS, preferences=(QUERY_PREFERENCE,)).is_paired
    assert replace(CREAMLESS, preferences=(QUERY_PREFERENCE, OPPOSITE_PREFERENCE), topic=None).is_paired


def test_a_document_is_found_by_its_role() -> None:
    assert [THREE.document(role).id for role in ("satisfying", "violating", "worse")] == ["d1", "d2", "d3"]
    with pytest.raises(KeyError, match="best"):
        THREE.document("best")
