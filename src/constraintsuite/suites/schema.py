"""The published JSON Schema of an example line."""

from __future__ import annotations

from typing import Any

from constraintsuite.records.examples import Example
from constraintsuite.store.jsonl import adapter


def example_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of one line of examples.jsonl, controls.jsonl and gold.jsonl."""
    schema = adapter(Example).json_schema(mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "constraintsuite/example-2.json",
        "title": "ConstraintSuite example",
        **{key: value for key, value in schema.items() if key != "title"},
    }
