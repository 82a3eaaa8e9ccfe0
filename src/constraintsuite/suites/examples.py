"""The examples of a suite: read back from its folder, and the published JSON Schema of their lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.jsonl import adapter, read_jsonl


def read_examples(folder: Path) -> list[Example]:
    """The examples of a finished stage or suite."""
    return list(read_jsonl(folder / "examples.jsonl", Example))


def example_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of one line of examples.jsonl, controls.jsonl and gold.jsonl."""
    schema = adapter(Example).json_schema(mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "constraintsuite/example-2.json",
        "title": "ConstraintSuite example",
        **{key: value for key, value in schema.items() if key != "title"},
    }
