"""What makes a section of the page, and the one block that only a suite's report has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from constraintsuite.records.sections import Section
from constraintsuite.reports.hardest import ShownExample
from constraintsuite.reports.view import ReportView


@dataclass(frozen=True)
class ExampleCards:
    """Examples to be read."""

    kind: ClassVar[str] = "reading"
    examples: tuple[ShownExample, ...]


MakeSection = Callable[[ReportView], Section | None]
"""A section of what is there; None where there is nothing to show."""
