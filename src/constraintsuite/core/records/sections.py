"""A section of a page as data: the code that measures fills it, and the code that draws pages decides how it looks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

from constraintsuite.core.records.plots import Picture
from constraintsuite.core.records.tables import Table


class SectionBlock(Protocol):
    """One thing under a heading: a `Table`, or one of the classes below. Templates choose the layout by its `kind`."""

    kind: ClassVar[str]


@dataclass(frozen=True)
class Charts:
    """Pictures that are shown side by side."""

    kind: ClassVar[str] = "charts"
    drawings: tuple[Picture, ...]


@dataclass(frozen=True)
class Remarks:
    """Sentences, shown as a list."""

    kind: ClassVar[str] = "remarks"
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class VerbatimText:
    """A text that is shown with its line breaks, such as commands or JSON; `fold` as in `Table`."""

    kind: ClassVar[str] = "source"
    text: str
    fold: str = ""


_EMPTY = (Charts(()), Remarks(()))


@dataclass(frozen=True)
class Section:
    """A heading, a sentence about what follows, and its blocks. Charts and remarks that hold nothing are dropped."""

    id: str
    title: str
    about: str
    blocks: tuple[SectionBlock, ...]
    files: tuple[Table, ...] = ()
    """Tables that are written to files but not shown."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "blocks", tuple(block for block in self.blocks if block not in _EMPTY))

    def tables(self) -> Iterator[Table]:
        """All tables of the section, which are also written to files."""
        yield from (block for block in self.blocks if isinstance(block, Table))
        yield from self.files

    def drawings(self) -> Iterator[Picture]:
        """All pictures of the section, in order."""
        yield from (drawing for block in self.blocks if isinstance(block, Charts) for drawing in block.drawings)
