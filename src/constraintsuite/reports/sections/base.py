"""What a section of the page is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from constraintsuite.reports.drawings.svg import Drawing
from constraintsuite.reports.hardest import ShownExample
from constraintsuite.reports.tables import Table
from constraintsuite.reports.view import ReportView


@dataclass(frozen=True)
class Charts:
    """Pictures side by side."""

    kind: ClassVar[str] = "charts"
    drawings: tuple[Drawing, ...]


@dataclass(frozen=True)
class TableBlock:
    """A table; with a title it is folded away under it."""

    kind: ClassVar[str] = "sheet"
    table: Table
    folded: str = ""


@dataclass(frozen=True)
class Remarks:
    """Sentences to be read one by one."""

    kind: ClassVar[str] = "remarks"
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class VerbatimText:
    """Lines as they are typed or stored, folded away under a title if it has one."""

    kind: ClassVar[str] = "source"
    text: str
    folded: str = ""


@dataclass(frozen=True)
class ExampleCards:
    """Examples to be read."""

    kind: ClassVar[str] = "reading"
    examples: tuple[ShownExample, ...]


SectionBlock = Charts | TableBlock | Remarks | VerbatimText | ExampleCards


@dataclass(frozen=True)
class Section:
    """One heading of the page and what stands under it."""

    id: str
    title: str
    about: str
    blocks: tuple[SectionBlock, ...]
    files: tuple[Table, ...] = ()
    """Tables that are only written to files."""

    def tables(self) -> Iterator[Table]:
        """All tables, for the files beside the page."""
        yield from (block.table for block in self.blocks if isinstance(block, TableBlock))
        yield from self.files

    def drawings(self) -> Iterator[Drawing]:
        """All pictures."""
        yield from (drawing for block in self.blocks if isinstance(block, Charts) for drawing in block.drawings)


MakeSection = Callable[[ReportView], Section | None]
"""A section of what is there; None where there is nothing to show."""
