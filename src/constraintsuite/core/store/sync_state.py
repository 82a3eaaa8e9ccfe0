"""The state of a mirror: for each object, the version that was last equal to the file on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_of, temporary_for
from constraintsuite.core.store.object_store import ListedObject, ObjectStore

CLAIM = ".claim"
_LOCAL_FILES = (".lock", ".*.lock", ".*.tmp-*", CLAIM)
_STATE = ".seen"


@dataclass(frozen=True)
class SyncedObject:
    """The version of an object, and its local file, when the two were equal."""

    version: str
    size: int
    changed: int
    """The modification time of the file, in nanoseconds."""
    sha256: str = ""


@cache
def connect(url: str) -> ObjectStore:
    """The object store of a URL; a process connects to it once."""
    return ObjectStore(url)


@dataclass(frozen=True)
class SyncState:
    """A local folder, the objects under a URL that it copies, and the state of both. Names are relative to both."""

    url: str
    root: Path

    @property
    def store(self) -> ObjectStore:
        """The object store of the URL."""
        return connect(self.url)

    def file(self, name: str) -> Path:
        """The local file of an object. Raises UserError if its name leads out of the folder."""
        if any(part in ("", ".", "..") for part in name.split("/")):
            raise UserError(
                f"{self.store.address(name)}: a local file cannot have this name. Rename or remove the object."
            )
        return self.root / name

    def files(self, name: str) -> list[str]:
        """The names of the local files that are `name` or in that folder, and belong in the store."""
        return list(_files_in(self.root, name))

    def known(self, name: str) -> SyncedObject | None:
        """The last state in which file and object were equal, None if they never were."""
        try:
            return SyncedObject(**json.loads(self._record_file(name).read_bytes()))
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, ValueError, TypeError):
            return None  # never equal, or a power cut left the file empty

    def all_known(self, name: str) -> dict[str, SyncedObject]:
        """As `known`, for `name` and all names under it."""
        found = ((each, self.known(each)) for each in _files_in(self._record_file(""), name))
        return {each: record for each, record in found if record is not None}

    def note(self, name: str, version: str, sha256: str = "") -> None:
        """Remember that the local file equals this version of the object."""
        status = self.file(name).stat()
        place = self._record_file(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_for(place)
        temporary.write_text(json.dumps(asdict(SyncedObject(version, status.st_size, status.st_mtime_ns, sha256))))
        temporary.replace(place)

    def forget(self, name: str) -> None:
        """Forget the state of a name."""
        self._record_file(name).unlink(missing_ok=True)

    def is_unchanged(self, name: str, record: SyncedObject | None) -> bool:
        """Whether the file exists and has not changed since the record was made."""
        try:
            status = self.file(name).stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        return record is not None and (record.size, record.changed) == (status.st_size, status.st_mtime_ns)

    def is_synced(self, name: str, entry: ListedObject | None, sha256: str = "") -> bool:
        """Whether file and object are known to be equal, and the file has the hash if one is given."""
        record = self.known(name)
        if record is None or entry is None or record.version != entry.version:
            return False
        return self.is_unchanged(name, record) and (not sha256 or record.sha256 == sha256)

    def has_hash(self, name: str, sha256: str) -> bool:
        """Whether the file exists and has this hash."""
        return self.file(name).is_file() and sha256_of(self.file(name)) == sha256

    def _record_file(self, name: str) -> Path:
        return self.root.parent / _STATE / name


def belongs_in_store(name: str) -> bool:
    """Whether a file is copied: not so locks, claims and temporary files."""
    return not any(fnmatchcase(part, pattern) for part in name.split("/") for pattern in _LOCAL_FILES)


def _files_in(root: Path, name: str) -> Iterator[str]:
    place = root / name
    for path in [place] if place.is_file() else sorted(place.rglob("*")):
        inside = path.relative_to(root).as_posix()
        if path.is_file() and belongs_in_store(inside):
            yield inside
