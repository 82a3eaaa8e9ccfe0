"""Reads the examples of a suite from its folder, and writes the JSON Schema of their lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.jsonl import adapter, read_jsonl, write_json


def read_examples(folder: Path) -> list[Example]:
    """The examples of a finished stage or suite."""
    return list(read_jsonl(folder / "examples.jsonl", Example))


def write_schema(path: Path, schema: Mapping[str, object] | None = None) -> None:
    """Write a JSON Schema, by default the schema of an example."""
    write_json(path, schema or example_schema())


def example_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of one line of examples.jsonl, controls.jsonl and gold.jsonl."""
    schema = adapter(Example).json_schema(mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "constraintsuite/example-2.json",
        "title": "ConstraintSuite example",
        **{key: value for key, value in schema.items() if key != "title"},
    }
