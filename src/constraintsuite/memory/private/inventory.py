"""The inventory of a pilot: a sheet of all documents, from which people select some."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.corpora.files import base_name
from constraintsuite.corpora.folder import prose_files
from constraintsuite.memory.ingest.collection import ingest
from constraintsuite.memory.records import MemoryDocument
from constraintsuite.suites.annotation.tables import read_models, refuse_existing, write_csv

INVENTORY = "inventory.csv"
DocumentType = Literal["services", "supply", "licence", "data_protection", "confidentiality", "negotiated", "other"]
InventoryLevel = Literal["low", "medium", "high"]
YesNo = Literal["yes", "no"]
QUOTAS: Mapping[str, tuple[int, int]] = {
    "services": (8, 10),
    "supply": (5, 6),
    "licence": (4, 5),
    "data_protection": (3, 4),
    "confidentiality": (3, 4),
    "negotiated": (3, 4),
}
"""How many documents of each type a pilot of about 30 contracts needs: minimum and maximum."""


class InventoryEntry(StrictModel):
    """One document. A cell that people have not filled in yet is None."""

    document: str
    path: str = Field(description="as seen from the pilot's folder")
    type: DocumentType | None = None
    template_family: str = ""
    template_version: str = ""
    language: str = ""
    business_line: str = ""
    counterparty: str = ""
    signed: date | None = None
    effective: date | None = None
    pages: int | None = Field(None, ge=1)
    appendix: YesNo | None = None
    order_form: YesNo | None = None
    risk: InventoryLevel | None = None
    termination_complexity: InventoryLevel | None = None
    units: int = Field(0, ge=0, description="measured")
    words: int = Field(0, ge=0, description="measured")
    exception_density: float = Field(0.0, ge=0, description="measured: share of units that state an exception")
    doubts: str = Field("", description="measured: what speaks against choosing it")
    selected: YesNo = "no"
    why: str = ""

    @model_validator(mode="after")
    def _reasons(self) -> InventoryEntry:
        if self.selected == "yes" and (not self.why or self.type is None):
            raise ValueError("a selected document needs its type, and in the column why the reason it was chosen")
        return self


class Quota(NamedTuple):
    """How many documents of a type are selected, and how many a pilot needs."""

    type: str
    chosen: int
    least: int
    most: int


def write_inventory(documents: Path, pilot: Path) -> list[InventoryEntry]:
    """Measure all Markdown and text files below a folder, and write the sheet for people to fill in."""
    refuse_existing(pilot / INVENTORY)
    files = {base_name(file.path): file.path for file in prose_files(documents)}
    parts = list(ingest([documents]))
    same: dict[str, list[str]] = defaultdict(list)
    for part in parts:
        same[part.sha256].append(part.id)
    entries = [_entry(part, files[part.id], pilot, same[part.sha256]) for part in parts]
    rows = [
        {name: "" if value is None else str(value) for name, value in entry.model_dump().items()} for entry in entries
    ]
    write_csv(pilot / INVENTORY, tuple(InventoryEntry.model_fields), rows)
    return entries


def read_inventory(pilot: Path) -> list[InventoryEntry]:
    """Read the documents of the sheet. Raises UserError for wrong cells and repeated documents."""
    file = pilot / INVENTORY
    if not file.is_file():
        raise UserError(
            f"{file}: there is no inventory. Make one with `csuite memory private init DOCUMENTS --out {pilot}`."
        )
    return [entry for _, entry in read_models(file, InventoryEntry, "document")]


def quotas(chosen: Sequence[InventoryEntry]) -> list[Quota]:
    """Compare the selected documents with the sample that a pilot needs."""
    counts = Counter(str(entry.type) for entry in chosen)
    return [Quota(kind, counts[kind], least, most) for kind, (least, most) in QUOTAS.items()]


def _entry(part: MemoryDocument, path: Path, pilot: Path, same: Sequence[str]) -> InventoryEntry:
    exceptions = sum("exception" in unit.roles for unit in part.units)
    return InventoryEntry(
        document=part.id,
        path=Path(os.path.relpath(path.resolve(), pilot.resolve())).as_posix(),
        units=len(part.units),
        words=sum(len(unit.text.split()) for unit in part.units),
        exception_density=round(exceptions / len(part.units), 3) if part.units else 0.0,
        doubts="; ".join(_doubts(part, same)),
    )


def _doubts(part: MemoryDocument, same: Sequence[str]) -> list[str]:
    """Find signs of bad scans, redaction and duplicates. Broken numbering is left to people."""
    text = "\n".join(unit.text for unit in part.units)
    letters = sum(character.isalpha() or character.isspace() for character in text)
    found = [f"same bytes as {other}" for other in same if other != part.id]
    if "\ufffd" in text or (text and letters < 0.7 * len(text)):
        found.append("many odd characters: a bad scan?")
    redacted = sum(text.lower().count(mark) for mark in ("[redacted]", "█", "[***]"))
    if redacted >= 3:
        found.append(f"redacted in {redacted} places")
    if len(part.units) < 5:
        found.append(f"only {len(part.units)} units")
    return found
