"""What reading a document gave, as a line of the readings of a memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from constraintsuite.memory.ingest.document import UnitPosition
from constraintsuite.memory.ingest.names import Named
from constraintsuite.memory.ingest.unit_reading import ReadDocument, UnitReading
from constraintsuite.memory.records import Unit


class ReadingOrigin(NamedTuple):
    """What decides how a document is read: if it is the same, nothing has to be read again."""

    sha256: str
    """Of the bytes of its file; empty where nothing is kept."""
    markdown: bool


@dataclass(frozen=True, slots=True)
class ReadingHeader:
    """A line of the readings, less what was read."""

    document: str
    origin: ReadingOrigin


@dataclass(frozen=True, slots=True)
class _Content:
    title: str
    units: tuple[Unit, ...]
    places: tuple[UnitPosition, ...]
    section_numbers: Mapping[int, str]
    readings: tuple[UnitReading, ...]
    names: tuple[tuple[Named, ...], ...]


@dataclass(frozen=True, slots=True)
class KeptReading:
    """A line of the readings: what a document says, or `NothingKept`."""

    document: str
    origin: ReadingOrigin
    content: _Content | None

    @classmethod
    def of(cls, document: ReadDocument) -> KeptReading:
        """The line that keeps what was read."""
        content = _Content(
            document.title,
            document.units,
            document.places,
            document.section_numbers,
            document.readings,
            document.names,
        )
        return cls(document.id, ReadingOrigin(document.sha256, document.markdown), content)

    def read(self) -> ReadDocument | None:
        """The document as if it had just been read."""
        kept = self.content
        if kept is None:
            return None
        parsed = (self.document, kept.title, *self.origin, kept.units, kept.places, kept.section_numbers)
        return ReadDocument(*parsed, kept.readings, kept.names)
