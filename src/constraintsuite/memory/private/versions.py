"""Frozen versions of a pilot: copies of the selected documents, split into units with fixed ids."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, read_manifest
from constraintsuite.core.store.files import folder_lock, sha256_of, sha256_text
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Replace, claim
from constraintsuite.corpora.files import base_name
from constraintsuite.memory.ingest.collection import collection_version, ingest
from constraintsuite.memory.private.inventory import InventoryEntry, read_inventory
from constraintsuite.memory.records import MemoryDocument

KIND = "snapshot"
VERSIONS = "versions"
DOCUMENTS = "documents"
UNITS = "units.jsonl"


@dataclass(frozen=True)
class FrozenUnit:
    """A unit of a document at the time when the version was frozen."""

    id: str
    document: str
    headings: tuple[str, ...]
    text: str
    sha256: str


@dataclass(frozen=True)
class Version:
    """A finished copy of the selected documents, split into units."""

    number: int
    artifact: Artifact
    units: tuple[FrozenUnit, ...]

    @property
    def pilot(self) -> Path:
        """The folder of the pilot."""
        return self.artifact.path.parents[1]

    @property
    def documents(self) -> Path:
        """The folder of its documents."""
        return self.artifact.path / DOCUMENTS

    @cached_property
    def by_document(self) -> Mapping[str, tuple[FrozenUnit, ...]]:
        """The units of each document, in order."""
        return {document: tuple(units) for document, units in groupby(self.units, lambda unit: unit.document)}


def freeze(pilot: Path, *, new_version: bool = False) -> Version:
    """Freeze the selected documents. If they are the same as in the last version, return that version.

    Raises UserError that names each difference from it, unless `new_version` is given. With it, unchanged
    documents are frozen again, too: that is the only way to change cases that people have judged.
    """
    chosen = [entry for entry in read_inventory(pilot) if entry.selected == "yes"]
    if not chosen:
        raise UserError(
            f"{pilot}: no document of the inventory is selected. Write yes into the column selected, and why."
        )
    sources = {entry.document: _source(pilot, entry) for entry in chosen}
    parts = list(ingest(list(sources.values())))
    with folder_lock(pilot):
        last = _latest_version(pilot)
        if last is not None and not new_version:
            changes = "".join(f"  {change}\n" for change in _changes(last, parts))
            if not changes:
                return last
            raise UserError(
                f"{pilot}: since version {last.number} was frozen\n{changes}Labels are of the old texts. Bring the documents "
                "back, or make a new version with --new-version; the old one stays."
            )
        return _write(pilot, 1 if last is None else last.number + 1, sources, parts)


def _latest_version(pilot: Path) -> Version | None:
    """The newest finished version; None if nothing has been frozen yet."""
    folders = (pilot / VERSIONS).glob("*")
    numbers = [int(folder.name) for folder in folders if folder.name.isdecimal() and read_manifest(folder)]
    return open_version(pilot / VERSIONS / str(max(numbers))) if numbers else None


def require_version(pilot: Path) -> Version:
    """The newest finished version. Raises UserError if nothing has been frozen yet."""
    found = _latest_version(pilot)
    if found is None:
        raise UserError(
            f"{pilot}: nothing is frozen yet. Select documents in the inventory, then `csuite memory private freeze {pilot}`."
        )
    return found


def open_version(path: Path) -> Version:
    """Open the version in a folder. Raises UserError if one of its files was changed."""
    artifact = Artifact.open(path, KIND)
    artifact.refuse_foreign()  # all documents in the folder are read
    return Version(artifact.manifest.settings["version"], artifact, tuple(read_jsonl(path / UNITS, FrozenUnit)))


def _frozen_units(parts: Sequence[MemoryDocument]) -> Iterator[FrozenUnit]:
    """The units of documents, each with a hash of its headings and text."""
    for part in parts:
        for unit in part.units:
            yield FrozenUnit(unit.id, part.id, unit.headings, unit.text, sha256_text(*unit.headings, unit.text))


def _source(pilot: Path, entry: InventoryEntry) -> Path:
    path = pilot / entry.path
    if not path.is_file():
        raise UserError(f"{path}: the document {entry.document!r} of the inventory is not there.")
    if (base_name(path), path.suffix) != (entry.document, ".md"):
        raise UserError(
            f"{path}: the document {entry.document!r} must be Markdown, and its file must have that name, since ids begin with "
            f"it. Save it as {entry.document}.md, and write that into the column path."
        )
    return path


def _changes(last: Version, parts: Sequence[MemoryDocument]) -> Iterator[str]:
    """Name each document that differs from the last version, and how."""
    before, after = last.by_document, {part.id: part for part in parts}
    hashes = last.artifact.manifest.inputs
    for document in sorted({*before, *after, *hashes}):
        if document not in hashes:
            yield f"{document}: was selected"
        elif document not in after:
            yield f"{document}: is no longer selected"
        elif after[document].sha256 != hashes[document]:
            yield f"{document}: its text was changed"
        else:
            old = {unit.id: unit.sha256 for unit in before.get(document, ())}
            new = {unit.id: unit.sha256 for unit in _frozen_units([after[document]])}
            moved = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
            if moved:
                yield f"{document}: the same text is cut into other units now ({len(moved)} ids, such as {moved[0]})"


def _write(pilot: Path, number: int, sources: Mapping[str, Path], parts: Sequence[MemoryDocument]) -> Version:
    path = pilot / VERSIONS / str(number)
    settings = {"version": number, "documents": collection_version(parts)}
    origin = ArtifactOrigin(
        KIND, pilot.resolve().name, {part.id: part.sha256 for part in parts}, settings, 0, REVISIONS[KIND]
    )
    units = tuple(_frozen_units(parts))
    with claim(path, origin, (UNITS, f"{DOCUMENTS}/*"), replace=Replace.UNFINISHED) as space:
        new = space.empty_new()
        (new / DOCUMENTS).mkdir()
        for part in parts:
            copy = new / DOCUMENTS / sources[part.id].name
            shutil.copyfile(sources[part.id], copy)
            if sha256_of(copy) != part.sha256:
                raise UserError(f"{sources[part.id]}: was changed while it was being frozen. Run the command again.")
        write_jsonl(new / UNITS, units)
        return Version(number, space.finish({"documents": len(parts), "units": len(units)}), units)
