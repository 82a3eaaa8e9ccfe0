"""Rows in the format of NevIR: q1 wants doc1 only, q2 wants doc2 only.

One file per split, one folder per slice of controls.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.files import write_text
from constraintsuite.suites.examples import write_schema
from constraintsuite.suites.export.base import split_parts, write_rows

FIELDS = {
    "id": "id of the example",
    "WorkerId": "who wrote the row",
    "q1": "query to which doc1 is relevant and doc2 is not",
    "q2": "query to which doc2 is relevant and doc1 is not",
    "doc1": "text that suits q1",
    "doc2": "text that suits q2",
}


def export(examples: Sequence[Example], folder: Path, card: str) -> Sequence[Example]:
    """Write paired examples: q1 is the query, doc1 the satisfying document, q2 the opposite, doc2 the violating document."""
    able = [example for example in examples if example.is_paired and example.is_about_two]
    if not able:
        raise UserError(
            "No example has an opposite query that wants the other document, so there is no row of NevIR to write. "
            "Choose beir, csv or hf."
        )
    for part_folder, part in split_parts(able, folder):
        rows = defaultdict(list)
        for example in part:
            rows[example.split].append(_row(example))
        for split, lines in rows.items():
            write_rows(part_folder / f"{split}.jsonl", lines)
    write_schema(folder / "schema.json", _schema())
    write_text(folder / "README.md", card)
    return able


def _row(example: Example) -> dict[str, object]:
    texts = (example.query, example.opposite, example.satisfying.text, example.violating.text)
    return dict(zip(FIELDS, (example.id, "constraintsuite", *texts), strict=True))


def _schema() -> dict[str, object]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "NevIR-like row",
        "type": "object",
        "properties": {name: {"type": "string", "description": meaning} for name, meaning in FIELDS.items()},
        "required": list(FIELDS),
        "additionalProperties": False,
    }
