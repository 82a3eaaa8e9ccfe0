"""Pull from an object store into the mirror of its URL.

A folder is finished when its manifest is there. A finished folder comes whole and is checked against its manifest.
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
"""Folders of this name hold unfinished work: no content of the folder around them, and needed only to resume it."""
WAITS = (0.2, 0.4, 0.8, 1.6, 3.2, 6.4)
"""Seconds between attempts to pull a folder that others are writing."""


class _MismatchError(Exception):
    """An object is not what the list of objects, or its manifest, says."""


@dataclass(frozen=True)
class PulledMirror(SyncState):
    """The reading half of a `Mirror`: brings the folder here up to date. All paths are inside that folder."""

    def address(self, path: Path) -> str:
        """The URL of a path."""
        return self.store.address(self.name_of(path))

    def pull(self, path: Path | None = None, apart: Path | None = None, *, stages: bool = True) -> None:
        """Bring a file or folder here up to date with the store, all of it if no path is given; `apart` is left as it is.

        Folders called `stages` inside it come too, unless `stages` is False. A finished folder comes whole: its manifest is
        written when every file that it names is here and has its hash. Where nothing is finished, a file that was changed or
        removed here since it last was equal stays as it is.
        """
        name = self.name_of(path or self.root)
        skipped = f"{self.name_of(apart)}/" if apart else "/"  # no name begins with a slash
        before, fault = None, _MismatchError()
        for wait in WAITS:
            known = self.all_known(name)  # before the store is listed: what others note meanwhile must not look removed
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
        """Pull a folder if its manifest there is not the one last seen; only one request where nothing has changed.

        What is finished comes without its stages: who reads a stage pulls it as a folder of its own.
        """
        name = join(self.name_of(path), MANIFEST)
        entry, known = self.store.find(name), self.known(name)
        if (entry.version if entry else None) != (known.version if known else None):
            self.pull(path, stages=entry is None)

    def name_of(self, path: Path) -> str:
        """The name of a path inside the folder; empty for the folder itself."""
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
        # What was removed there goes here too, unless it was changed here; manifests first.
        for each in sorted(known.keys() - entries.keys(), key=lambda each: not is_manifest(each)):
            if not each.startswith(skipped):
                if self.is_unchanged(each, known[each]):
                    self.file(each).unlink()
                self.forget(each)
        hashes = self._hashes_above(name, listed)
        meant = {each for each in listed if stages or STAGES not in each[len(name) :].split("/")[:-1]}
        manifests: dict[str, bytes] = {}
        for each in filter(is_manifest, meant):
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
        content = (meant | hashes.keys()) & listed
        wanted = [
            each
            for each in content - manifests.keys()
            if self._is_wanted(each, entries[each], known.get(each), hashes.get(each))
        ]
        in_parallel(lambda each: self._fetch(each, entries[each], hashes.get(each, "")), wanted)
        for each, data in sorted(manifests.items(), reverse=True):  # those deep inside first
            write_text(self.file(each), data.decode())
            self.note(each, entries[each].version)

    def _is_reopened(self, manifest: str, entry: ListedObject) -> bool:
        """Whether a finished folder was opened again here: its manifest was seen, and taken away."""
        known = self.known(manifest)
        return known is not None and known.version == entry.version and not self.file(manifest).exists()

    def _hashes_above(self, name: str, listed: Collection[str]) -> dict[str, str]:
        """What the manifest of the nearest finished folder around `name` says, where `name` is only a part of it."""
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
        """The files that belong to a finished folder and their hashes, by the name and the bytes of its manifest."""
        files = read_fields(data, self.store.address(manifest)).get("files", {})
        return {join(folder_of(manifest), name): entry["sha256"] for name, entry in files.items()}

    def _is_wanted(self, name: str, entry: ListedObject, known: SyncedObject | None, sha256: str | None) -> bool:
        """Whether an object must be fetched; `sha256` is what a manifest promises."""
        same_there = known is not None and known.version == entry.version
        if not self.file(name).exists():
            return sha256 is not None or not same_there
        same_here = self.is_unchanged(name, known)
        if sha256 is None or (same_here and same_there):
            return same_here and not same_there
        if self.has_hash(name, sha256):
            self.note(name, entry.version, sha256)
            return False
        return True

    def _fetch(self, name: str, entry: ListedObject, sha256: str) -> None:
        def is_whole(got: Path) -> bool:
            return got.stat().st_size == entry.size and (not sha256 or sha256_of(got) == sha256)

        file = self.file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_for(file)
        try:
            if not self.store.fetch(name, temporary, is_whole):
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
    """The fields of a manifest; one that is no JSON object is a UserError."""
    try:
        found = json.loads(manifest)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UserError(f"{address}: this is not a manifest. Was it edited, or written by another program?")
    return found


def is_manifest(name: str) -> bool:
    """Whether a file is what makes its folder finished."""
    return name.rpartition("/")[2] == MANIFEST


def folder_of(name: str) -> str:
    """The folder that a name lies in."""
    return name.rpartition("/")[0]


def join(folder: str, name: str) -> str:
    """A name inside a folder; the folder may be the whole."""
    return f"{folder}/{name}" if folder else name
