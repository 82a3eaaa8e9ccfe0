"""The one contract of this folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from constraintsuite.records.examples import Example


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
