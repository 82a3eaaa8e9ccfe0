"""Pull from an object store into the mirror of its URL.

A folder is finished when its manifest exists. A finished folder is downloaded completely and checked against its manifest.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_of, temporary_for, write_text
from constraintsuite.core.store.object_store import ListedObject, in_parallel
from constraintsuite.core.store.sync_state import SyncedObject, SyncState, belongs_in_store

MANIFEST = "manifest.json"
STAGES = "stages"
"""The name of folders with unfinished work, which are needed only to resume it and do not belong to the artifact."""
WAITS = (0.2, 0.4, 0.8, 1.6, 3.2, 6.4)
"""Seconds between attempts to pull a folder while others write to it."""


class _MismatchError(Exception):
    """An object is missing or differs from what its manifest says."""


@dataclass(frozen=True)
class PulledMirror(SyncState):
    """The reading half of a `Mirror`: updates the local folder. All paths are inside that folder."""

    def address(self, path: Path) -> str:
        """The URL of a path."""
        return self.store.address(self.name_of(path))

    def pull(self, path: Path | None = None, skip: Path | None = None, *, stages: bool = True) -> None:
        """Update a local file or folder from the store, by default everything; the folder `skip` inside it stays as it is.

        Folders called `stages` inside it are pulled too, unless `stages` is False. The manifest of a finished folder is
        written last, when every file that it names is downloaded and has its hash. In an unfinished folder, a file that was
        changed or removed on this machine since the last pull or push stays as it is.
        """
        name = self.name_of(path or self.root)
        skipped = f"{self.name_of(skip)}/" if skip else "/"  # no name begins with a slash
        before, fault = None, _MismatchError()
        for wait in WAITS:
            known = self.all_known(
                name
            )  # before the store is listed: otherwise objects added in the meantime would look deleted
            entries = self.store.entries(name)
            if entries == before:
                raise UserError(
                    f"{fault}: the copy in the store is damaged. Make the folder again, or put a good copy there."
                )
            try:
                self._update(name, entries, known, skipped, stages)
            except _MismatchError as error:
                before, fault = entries, error
                time.sleep(wait)
            else:
                return
        raise UserError(
            f"{self.store.address(name)}: somebody keeps writing there. Wait until that is done, and try again."
        )

    def refresh(self, path: Path) -> None:
        """Pull a folder if its manifest in the store has changed; if it has not, this takes one request.

        A finished folder is pulled without its stages, which are folders of their own.
        """
        name = join(self.name_of(path), MANIFEST)
        entry, known = self.store.find(name), self.known(name)
        if (entry.version if entry else None) != (known.version if known else None):
            self.pull(path, stages=entry is None)

    def name_of(self, path: Path) -> str:
        """The name of a path relative to the folder; empty for the folder itself."""
        name = Path(os.path.abspath(path)).relative_to(self.root).as_posix()  # noqa: PTH100 - links stay as they are
        return "" if name == "." else name

    def _update(
        self,
        name: str,
        entries: Mapping[str, ListedObject],
        known: Mapping[str, SyncedObject],
        skipped: str,
        stages: bool,
    ) -> None:
        listed = {each for each in entries if belongs_in_store(each) and not each.startswith(skipped)}
        # Files whose objects were removed are removed here too, unless they were changed here; manifests first.
        for each in sorted(known.keys() - entries.keys(), key=lambda each: not is_manifest(each)):
            if not each.startswith(skipped):
                if self.is_unchanged(each, known[each]):
                    self.file(each).unlink()
                self.forget(each)
        hashes = self._hashes_above(name, listed)
        chosen = {each for each in listed if stages or STAGES not in each[len(name) :].split("/")[:-1]}
        manifests: dict[str, bytes] = {}
        for each in filter(is_manifest, chosen):
            if self._is_reopened(each, entries[each]):
                continue
            synced = self.is_synced(each, entries[each])
            data = self.file(each).read_bytes() if synced else self.store.read(each)
            if data is None:
                raise _MismatchError(f"{self.store.address(each)}: this is not there")
            hashes |= self.hashes_in(each, data)
            if not synced:
                manifests[each] = data
        for each in sorted(hashes.keys() - entries.keys()):
            raise _MismatchError(f"{self.store.address(each)}: this is not there")
        for each, data in manifests.items():
            file = self.file(each)
            if file.is_file() and file.read_bytes() != data:
                file.unlink()  # first: from now on the folder is unfinished here
        content = (chosen | hashes.keys()) & listed
        wanted = [
            each
            for each in content - manifests.keys()
            if self._is_wanted(each, entries[each], known.get(each), hashes.get(each))
        ]
        in_parallel(lambda each: self._download(each, entries[each], hashes.get(each, "")), wanted)
        for each, data in sorted(manifests.items(), reverse=True):  # those deep inside first
            write_text(self.file(each), data.decode())
            self.note(each, entries[each].version)

    def _is_reopened(self, manifest: str, entry: ListedObject) -> bool:
        """Whether a finished folder was reopened on this machine: its manifest was pulled and then removed."""
        known = self.known(manifest)
        return known is not None and known.version == entry.version and not self.file(manifest).exists()

    def _hashes_above(self, name: str, listed: Collection[str]) -> dict[str, str]:
        """The hashes of listed files from the manifest of the nearest finished folder around `name`, if `name` is a part of one."""
        folder = name
        while folder and listed and join(name, MANIFEST) not in listed and not is_manifest(name):
            folder = folder_of(folder)
            manifest = join(folder, MANIFEST)
            entry = self.store.find(manifest)
            data = self.store.read(manifest) if entry else None
            if entry is not None and data is not None:
                reopened = self._is_reopened(manifest, entry)
                return {} if reopened else {e: h for e, h in self.hashes_in(manifest, data).items() if e in listed}
        return {}

    def hashes_in(self, manifest: str, data: bytes) -> dict[str, str]:
        """The files of a finished folder with their hashes, from the bytes of its manifest."""
        files = read_fields(data, self.store.address(manifest)).get("files", {})
        return {join(folder_of(manifest), name): entry["sha256"] for name, entry in files.items()}

    def _is_wanted(self, name: str, entry: ListedObject, known: SyncedObject | None, sha256: str | None) -> bool:
        """Whether an object must be downloaded; `sha256` is its hash in a manifest."""
        same_object = known is not None and known.version == entry.version
        if not self.file(name).exists():
            return sha256 is not None or not same_object
        same_file = self.is_unchanged(name, known)
        if sha256 is None or (same_file and same_object):
            return same_file and not same_object
        if self.has_hash(name, sha256):
            self.note(name, entry.version, sha256)
            return False
        return True

    def _download(self, name: str, entry: ListedObject, sha256: str) -> None:
        def is_complete(got: Path) -> bool:
            return got.stat().st_size == entry.size and (not sha256 or sha256_of(got) == sha256)

        file = self.file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_for(file)
        try:
            if not self.store.download(name, temporary, is_complete):
                found = self.store.find(name) is not None
                fault = "does not have the size and SHA-256 that it should have" if found else "is not there"
                raise _MismatchError(f"{self.store.address(name)}: this {fault}")
            with temporary.open("rb+") as handle:
                os.fsync(handle.fileno())
            temporary.replace(file)
            self.note(name, entry.version, sha256)
        finally:
            temporary.unlink(missing_ok=True)


def read_fields(manifest: bytes, address: str) -> dict[str, Any]:
    """The fields of a manifest. Raises UserError if it is not a JSON object."""
    try:
        found = json.loads(manifest)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UserError(f"{address}: this is not a manifest. Was it edited, or written by another program?")
    return found


def is_manifest(name: str) -> bool:
    """Whether a name is the name of a manifest."""
    return name.rpartition("/")[2] == MANIFEST


def folder_of(name: str) -> str:
    """The folder that contains a name."""
    return name.rpartition("/")[0]


def join(folder: str, name: str) -> str:
    """The name of a file in a folder; the folder may be empty, for the complete mirror."""
    return f"{folder}/{name}" if folder else name
