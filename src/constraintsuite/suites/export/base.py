"""The one contract of this folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.files import write_text


class ExportCounts(NamedTuple):
    """How much of a suite was written."""

    examples: int
    controls: int


class SuiteExporter(Protocol):
    """Writes a suite in one format."""

    def __call__(self, examples: Sequence[Example], folder: Path, card: str) -> ExportCounts:
        """Write main examples and controls, each control slice apart from the rest, and the card into a folder.

        What the format cannot hold is left out; if that is all, it is a UserError, and nothing is written.
        """


def count(examples: Sequence[Example]) -> ExportCounts:
    """Main examples and controls among what was written."""
    controls = sum(example.control is not None for example in examples)
    return ExportCounts(len(examples) - controls, controls)


SCHEMA = "schema.json"


class SuitePart(NamedTuple):
    """A folder and what it holds."""

    folder: Path
    examples: list[Example]


def split_parts(examples: Sequence[Example], folder: Path) -> Iterator[SuitePart]:
    """The main examples, then each slice of controls."""
    yield SuitePart(folder, [example for example in examples if example.control is None])
    controls = [example for example in examples if example.control is not None]
    for name in sorted({control.slice for control in controls}):
        yield SuitePart(folder / name, [control for control in controls if control.slice == name])


def write_rows(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """JSON lines in the order of their fields."""
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def write_schema(folder: Path, schema: Mapping[str, object]) -> None:
    """The JSON Schema of each line, beside the lines."""
    write_text(folder / SCHEMA, json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
