"""A Hugging Face dataset: one file of JSON lines per slice and split, and a card whose front matter names them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import yaml

from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import encode
from constraintsuite.suites.examples import example_schema, write_schema
from constraintsuite.suites.export.base import write_rows

AS_TEXT = ("constraint", "documents", "tags", "control")
"""Fields whose keys differ between examples: written as JSON in a string, or the columns of two splits would not agree."""


def export(examples: Sequence[Example], folder: Path, card: str) -> Sequence[Example]:
    """Write `data/{slice}/{split}.jsonl`, `schema.json` and `README.md`; `datasets.load_dataset(folder, slice)` reads it."""
    rows: dict[str, dict[str, list[dict[str, object]]]] = defaultdict(lambda: defaultdict(list))
    for example in examples:
        rows[example.slice][example.split].append(_row(example))
    configs = []
    for name in sorted(rows):
        files = []
        for split in sorted(rows[name]):
            write_rows(folder / "data" / name / f"{split}.jsonl", rows[name][split])
            files.append({"split": split, "path": f"data/{name}/{split}.jsonl"})
        configs.append({"config_name": name, "data_files": files})
    front = {
        "task_categories": ["text-ranking"],
        "language": ["en"],
        "tags": ["information-retrieval", "constraints", "constraintsuite"],
        "configs": configs,
    }
    write_schema(folder / "schema.json", _schema())
    write_text(folder / "README.md", f"---\n{yaml.safe_dump(front, sort_keys=False)}---\n\n{card}")
    return examples


def _row(example: Example) -> dict[str, object]:
    fields: dict[str, object] = json.loads(encode(example))
    return fields | {name: json.dumps(fields[name], ensure_ascii=False) for name in AS_TEXT}


def _schema() -> dict[str, object]:
    """The schema of an example, in which the fields `AS_TEXT` are strings that hold JSON."""
    schema = example_schema()
    inside = {
        name: {"type": "string", "contentMediaType": "application/json", "contentSchema": schema["properties"][name]}
        for name in AS_TEXT
    }
    return schema | {"properties": schema["properties"] | inside}
