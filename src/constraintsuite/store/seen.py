"""What is known of a folder that is a copy of objects: which version of each was last equal to the file here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.store.files import sha256_of, temporary_for
from constraintsuite.store.objects import ListedObject, ObjectStore

CLAIM = ".claim"
_AT_HOME = (".lock", ".*.lock", ".*.tmp-*", CLAIM)  # of this machine or this moment: none of it travels


@dataclass(frozen=True)
class SyncedObject:
    """A file and an object that were equal."""

    version: str
    size: int
    changed: int
    """When the file was written, in nanoseconds."""
    sha256: str = ""


@dataclass(frozen=True)
class Copy:
    """A folder here, the objects it is a copy of, and what is known of both. Names are relative to both."""

    root: Path
    store: ObjectStore
    notes: Path

    def file(self, name: str) -> Path:
        """Where an object lies here; a name that would lead out of the folder is a UserError."""
        if any(part in ("", ".", "..") for part in name.split("/")):
            raise UserError(f"{self.store.address(name)}: this name cannot be that of a file. Remove the object.")
        return self.root / name

    def files(self, name: str) -> list[str]:
        """The names of the files here that are `name` or lie under it, and travel."""
        place = self.root / name
        found = [place] if place.is_file() else [path for path in sorted(place.rglob("*")) if path.is_file()]
        return [each for each in (path.relative_to(self.root).as_posix() for path in found) if travels(each)]

    def known(self, name: str) -> SyncedObject | None:
        """What is known of one name."""
        try:
            return SyncedObject(**json.loads((self.notes / name).read_bytes()))
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, ValueError, TypeError):
            return None  # never seen, or a note that a power cut left empty

    def all_known(self, name: str) -> dict[str, SyncedObject]:
        """What is known of `name` and all under it."""
        place = self.notes / name if name else self.notes
        found = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
        names = [each for each in (path.relative_to(self.notes).as_posix() for path in sorted(found)) if travels(each)]
        return {each: record for each in names if (record := self.known(each)) is not None}

    def note(self, name: str, version: str, sha256: str = "") -> None:
        """From now on the file here and that version of the object are known to be equal."""
        status = self.file(name).stat()
        place = self.notes / name
        place.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_for(place)
        temporary.write_text(json.dumps(asdict(SyncedObject(version, status.st_size, status.st_mtime_ns, sha256))))
        temporary.replace(place)

    def forget(self, name: str) -> None:
        """From now on nothing is known of it."""
        (self.notes / name).unlink(missing_ok=True)

    def unchanged_here(self, name: str, record: SyncedObject | None) -> bool:
        """Whether the file is there, and as it was when the record was made."""
        try:
            status = self.file(name).stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        return record is not None and (record.size, record.changed) == (status.st_size, status.st_mtime_ns)

    def in_step(self, name: str, entry: ListedObject | None, sha256: str = "") -> bool:
        """Whether file and object are known to be equal, and the file to have that hash if one is given."""
        record = self.known(name)
        if record is None or entry is None or record.version != entry.version:
            return False
        return self.unchanged_here(name, record) and (not sha256 or record.sha256 == sha256)

    def fits(self, name: str, sha256: str) -> bool:
        """Whether the file is there and has that hash."""
        file = self.file(name)
        return file.is_file() and sha256_of(file) == sha256


def travels(name: str) -> bool:
    """Whether a file belongs in the store: locks and what is being written do not."""
    return not any(fnmatchcase(part, pattern) for part in name.split("/") for pattern in _AT_HOME)


def joined(folder: str, name: str) -> str:
    """A name inside a folder; the folder may be the whole."""
    return f"{folder}/{name}" if folder else name


def folder_of(name: str) -> str:
    """The folder that a name lies in."""
    return name.rpartition("/")[0]


def folders_above(name: str) -> Iterator[str]:
    """The folders that a name lies in, the nearest first, the whole at last."""
    while name:
        name = folder_of(name)
        yield name
