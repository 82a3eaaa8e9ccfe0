"""What reading a document gave, as a line of the readings of a memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from constraintsuite.memory.ingest.amounts import Amount
from constraintsuite.memory.ingest.citations import Citation
from constraintsuite.memory.ingest.claims import Claim, ClaimStance
from constraintsuite.memory.ingest.document import ParsedDocument, UnitPosition
from constraintsuite.memory.ingest.linking import ReadDocument
from constraintsuite.memory.ingest.naming import Named
from constraintsuite.memory.ingest.reading import UnitReading
from constraintsuite.memory.records import SemanticRole, Unit


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


class _Claim(NamedTuple):
    """A claim; its sets of stems are sorted, one stem a line, so that the same claim is the same bytes."""

    nouns: str
    verbs: str
    act: str
    names: str
    subject: str
    denied: str
    condition: str
    exception: str
    stance: ClaimStance
    amounts: tuple[Amount, ...]
    dates: tuple[str, ...]


class _Reading(NamedTuple):
    roles: tuple[SemanticRole, ...]
    claims: tuple[_Claim, ...]
    citations: tuple[Citation, ...]
    definitions: tuple[str, ...]
    points_back: bool
    opens_with_exception: bool


@dataclass(frozen=True, slots=True)
class _Content:
    title: str
    units: tuple[Unit, ...]
    places: tuple[UnitPosition, ...]
    section_numbers: Mapping[int, str]
    readings: tuple[_Reading, ...]
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
        parsed = document.parsed
        content = _Content(
            parsed.title,
            parsed.units,
            parsed.places,
            parsed.section_numbers,
            tuple(map(_keep_reading, document.readings)),
            document.names,
        )
        return cls(parsed.id, ReadingOrigin(parsed.sha256, parsed.markdown), content)

    def read(self) -> ReadDocument | None:
        """The document as if it had just been read."""
        content = self.content
        if content is None:
            return None
        parsed = ParsedDocument(
            self.document,
            content.title,
            self.origin.sha256,
            self.origin.markdown,
            content.units,
            content.places,
            content.section_numbers,
        )
        return ReadDocument(parsed, tuple(map(_take_reading, content.readings)), content.names)


def _keep_reading(reading: UnitReading) -> _Reading:
    return _Reading(
        reading.roles,
        tuple(map(_keep_claim, reading.claims)),
        reading.citations,
        reading.definitions,
        reading.points_back,
        reading.opens_with_exception,
    )


def _take_reading(kept: _Reading) -> UnitReading:
    return UnitReading(
        kept.roles,
        tuple(map(_take_claim, kept.claims)),
        kept.citations,
        kept.definitions,
        kept.points_back,
        kept.opens_with_exception,
    )


def _keep_claim(claim: Claim) -> _Claim:
    return _Claim(
        nouns=_join(claim.nouns),
        verbs=_join(claim.verbs),
        act=claim.act,
        names=_join(claim.names),
        subject=_join(claim.subject),
        denied=_join(claim.denied),
        condition=_join(claim.condition),
        exception=_join(claim.exception),
        stance=claim.stance,
        amounts=claim.amounts,
        dates=claim.dates,
    )


def _take_claim(kept: _Claim) -> Claim:
    return Claim(
        nouns=_split(kept.nouns),
        verbs=_split(kept.verbs),
        act=kept.act,
        names=_split(kept.names),
        subject=_split(kept.subject),
        denied=_split(kept.denied),
        condition=_split(kept.condition),
        exception=_split(kept.exception),
        stance=kept.stance,
        amounts=kept.amounts,
        dates=kept.dates,
    )


def _join(stems: Iterable[str]) -> str:
    return "\n".join(sorted(stems))


def _split(stems: str) -> frozenset[str]:
    return frozenset(stems.split("\n")) if stems else frozenset()
