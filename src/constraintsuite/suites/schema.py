"""The published JSON Schema of an example line."""

from __future__ import annotations

import json
from typing import Any

from constraintsuite.records.examples import Example
from constraintsuite.store.jsonl import adapter

_PUBLISHED = {"ExampleSource": "Source"}
"""What the schema calls a record whose class has another name. Each suite holds the schema, so its words are content."""


def example_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of one line of examples.jsonl, controls.jsonl and gold.jsonl."""
    text = json.dumps(adapter(Example).json_schema(mode="serialization"))
    for class_name, published in _PUBLISHED.items():
        text = text.replace(f'{class_name}"', f'{published}"')
    schema = json.loads(text)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "constraintsuite/example-1.json",
        "title": "ConstraintSuite example",
        **{key: value for key, value in schema.items() if key != "title"},
        "$defs": dict(sorted(schema["$defs"].items())),
    }
