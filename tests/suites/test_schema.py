"""The published schema describes every line of a suite, and refuses what is not one."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from constraintsuite.core.store.jsonl import encode
from constraintsuite.suites.examples import example_schema
from suites.build_factory import make_example

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
        (("slice",), None),
        (("split",), "validation"),
        (("query",), None),
        (("opposite",), 7),
        (("documents", 0, "text"), 7),
        (("documents", 0, "pools", "topic", "rank"), "first"),
        (("documents", 0, "pools", "negated"), {"rank": 1, "score": None}),
        (("constraint", "type"), "none"),
        (("constraint", "forms"), "showers"),
        (("constraint", "stated_by"), "nobody"),
        (("constraint", "evidence", 0, "start"), "0"),
        (("preferences", 0, "query"), "neg"),
        (("source", "retrieval", "k_pool"), "many"),
        (("tags", "difficulty"), 3),
        (("clusters",), "d1"),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else str(value),
)
def test_a_wrong_value_is_refused(place: tuple[str | int, ...], value: object) -> None:
    line: dict[str, Any] = json.loads(encode(make_example()))
    VALIDATOR.validate(line)
    inner: Any = line
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(line)


@pytest.mark.parametrize(
    "field",
    [
        "id",
        "slice",
        "constraint",
        "query",
        "opposite",
        "topic",
        "restated",
        "documents",
        "preferences",
        "source",
        "split",
    ],
)
def test_a_missing_field_is_refused(field: str) -> None:
    line: dict[str, Any] = deepcopy(json.loads(encode(make_example())))
    del line[field]
    with pytest.raises(jsonschema.ValidationError, match=f"'{field}' is a required property"):
        VALIDATOR.validate(line)
