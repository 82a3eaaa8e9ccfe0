"""A section of a page as data: whoever measures says what stands in it, and whoever shows it says how it looks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

from constraintsuite.core.records.plots import Picture
from constraintsuite.core.records.tables import Table


class SectionBlock(Protocol):
    """Something under a heading; its kind says to a template how to show it."""

    kind: ClassVar[str]


@dataclass(frozen=True)
class Charts:
    """Plots that are shown side by side."""

    kind: ClassVar[str] = "charts"
    drawings: tuple[Picture, ...]


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

    def drawings(self) -> Iterator[Picture]:
        """All plots of the section, in order."""
        yield from (drawing for block in self.blocks if isinstance(block, Charts) for drawing in block.drawings)
