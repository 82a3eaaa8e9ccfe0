"""What every exporter does, and what exporters share."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.files import write_text


class SuiteExporter(Protocol):
    """Writes a suite in one format."""

    def __call__(self, examples: Sequence[Example], folder: Path, card: str) -> Sequence[Example]:
        """Write main examples, each slice of controls separately, and the card; gives the examples that were written.

        Examples that the format cannot hold are left out. Raises UserError, and writes nothing, if it can hold none.
        """


def split_parts(examples: Sequence[Example], folder: Path) -> Iterator[tuple[Path, list[Example]]]:
    """The folder and the examples of each part: the main examples, then each slice of controls."""
    yield folder, [example for example in examples if example.control is None]
    controls = [example for example in examples if example.control is not None]
    for name in sorted({control.slice for control in controls}):
        yield folder / name, [control for control in controls if control.slice == name]


def write_rows(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows as JSON lines, with their fields in the given order."""
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
