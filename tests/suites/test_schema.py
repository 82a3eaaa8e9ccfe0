"""The published schema describes every line of a suite, and refuses what is not one."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from build_factory import make_example

from constraintsuite.store.jsonl import encode
from constraintsuite.suites.schema import example_schema

VALIDATOR = jsonschema.Draft202012Validator(example_schema())


def test_the_schema_is_itself_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(example_schema())


@pytest.mark.parametrize("name", ["examples.jsonl", "controls.jsonl", "gold.jsonl"])
def test_every_line_of_a_built_suite_is_valid(small_suite: Path, name: str) -> None:
    lines = (small_suite / name).read_text(encoding="utf-8").splitlines()
    assert lines
    for line in lines:
        VALIDATOR.validate(json.loads(line))


def test_the_schema_beside_a_suite_is_this_one(small_suite: Path) -> None:
    assert json.loads((small_suite / "schema.json").read_text(encoding="utf-8")) == example_schema()


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("suite",), "negation"),
        (("split",), "validation"),
        (("query", "neg"), None),
        (("docs", "pos", "text"), 7),
        (("tags", "difficulty"), "impossible"),
        (("labels", "pairwise_preference_for_query_neg"), "neg_over_pos"),
        (("clusters",), "d1"),
        (("source", "retrieval", "rank_pos_in_pool"), "first"),
    ],
    ids=lambda value: ".".join(value) if isinstance(value, tuple) else str(value),
)
def test_a_wrong_value_is_refused(place: tuple[str, ...], value: object) -> None:
    line: dict[str, Any] = json.loads(encode(make_example()))
    VALIDATOR.validate(line)
    inner = line
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(line)


@pytest.mark.parametrize("field", ["id", "suite", "source", "query", "constraint", "docs", "labels", "tags", "split"])
def test_a_missing_field_is_refused(field: str) -> None:
    line: dict[str, Any] = deepcopy(json.loads(encode(make_example())))
    del line[field]
    with pytest.raises(jsonschema.ValidationError, match=f"'{field}' is a required property"):
        VALIDATOR.validate(line)
