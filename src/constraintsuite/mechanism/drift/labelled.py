"""Progress that says which checkpoint it is about."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass

from constraintsuite.execution.progress import Advance, Reporter


@dataclass(frozen=True)
class LabelledReporter:
    """A reporter whose steps begin with a label."""

    label: str
    reporter: Reporter

    def note(self, text: str) -> None:
        """Say one line."""
        self.reporter.note(f"{self.label}: {text}")

    def track(self, title: str, total: int | None) -> AbstractContextManager[Advance]:
        """Count items of a step until the block ends."""
        return self.reporter.track(f"{self.label}: {title}", total)
