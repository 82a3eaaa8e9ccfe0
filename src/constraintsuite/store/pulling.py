"""From the store to the folder here: what is new there comes, what was done here stays, what is finished is checked."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from constraintsuite.errors import UserError
from constraintsuite.store import objects
from constraintsuite.store.files import sha256_of, temporary_for, write_text
from constraintsuite.store.objects import ListedObject, together
from constraintsuite.store.seen import Copy, SyncedObject, folder_of, folders_above, joined, travels

MANIFEST = "manifest.json"
STAGES = "stages"
"""Folders of this name hold work on the way: no content of the folder around them, and of use only to who goes on with it."""


class _MovingError(Exception):
    """Somebody is writing there: what was listed is not there any more."""


@dataclass(frozen=True)
class _Promise:
    """What a manifest says of a file."""

    sha256: str
    manifest: str
    version: str


@dataclass(frozen=True)
class _Plan:
    """What to fetch, and the manifests to write when all of it is here."""

    wanted: Mapping[str, ListedObject]
    promises: Mapping[str, _Promise]
    manifests: Mapping[str, bytes]
    entries: Mapping[str, ListedObject]


def pull(copy: Copy, name: str = "", apart: str | None = None, *, stages: bool = True) -> None:
    """Bring `name` and all under it up to date, but for what lies in the folder `apart`, and perhaps in folders of stages.

    A finished folder comes whole: its manifest is written when every file it names is here and has its hash. Where
    nothing is finished, a file that was changed or removed here since it last was equal stays as it is.
    """
    for wait in (*objects.WAITS, None):
        try:
            _carry_out(copy, _planned(copy, name, apart, stages))
            return
        except _MovingError:
            if wait is None:
                break
            time.sleep(wait)
    raise UserError(
        f"{copy.store.address(name)}: somebody keeps writing there. Wait until that is done, and try again."
    )


def freshen(copy: Copy, folder: str) -> None:
    """Pull a folder if what is finished there is not what was last seen; one question where nothing has changed.

    What is finished comes without its stages: each is a folder of its own to who reads it.
    """
    name = joined(folder, MANIFEST)
    entry, known = copy.store.look(name), copy.known(name)
    if (entry.version if entry else None) != (known.version if known else None):
        pull(copy, folder, stages=entry is None)


def named_files(manifest: str, data: bytes, address: str) -> dict[str, str]:
    """The files that belong to a finished folder and their hashes, by the name and the bytes of its manifest."""
    return {name: promise.sha256 for name, promise in _promises(manifest, "", data, address).items()}


def content_of(manifest: bytes, address: str) -> str:
    """The hash of all files that a manifest names."""
    return str(_fields(manifest, address).get("content"))


def _planned(copy: Copy, name: str, apart: str | None, stages: bool) -> _Plan:
    inside = f"{apart}/" if apart else None
    noted = copy.all_known(name)  # before the store is listed: what others note meanwhile must not look removed
    entries = {
        each: entry
        for each, entry in copy.store.entries(name).items()
        if travels(each) and not (inside and each.startswith(inside))
    }
    known = {each: record for each, record in noted.items() if not (inside and each.startswith(inside))}
    _drop_removed(copy, entries, known)
    promises = _promises_above(copy, name, entries)
    manifests: dict[str, bytes] = {}
    meant = entries if stages else {each for each in entries if not _is_staged(each, name)}
    for each in (each for each in entries if is_manifest(each) and each in meant):
        if _begun_anew(copy, each, entries[each], known.get(each)):
            continue
        in_step = copy.in_step(each, entries[each])
        standing = copy.file(each).read_bytes() if in_step else copy.store.read(each)
        if standing is None:
            raise _MovingError
        promises |= _promises(each, entries[each].version, standing, copy.store.address(each))
        if not in_step:
            manifests[each] = standing
    for each, promise in promises.items():
        if each not in entries and promise.manifest in entries:
            _refuse(copy, each, promise, "is not there")
    wanted = {
        each: entry
        for each, entry in entries.items()
        if each not in manifests
        and (each in meant or each in promises)
        and _is_wanted(copy, each, entry, known.get(each), promises.get(each))
    }
    return _Plan(wanted, promises, manifests, entries)


def _is_staged(name: str, folder: str) -> bool:
    """Whether a file lies in a folder of stages inside the folder."""
    return STAGES in name[len(folder) :].split("/")[:-1]


def _drop_removed(copy: Copy, entries: Mapping[str, ListedObject], known: Mapping[str, SyncedObject]) -> None:
    """What was removed there goes here too, unless it was changed here; manifests first."""
    for name in sorted(known.keys() - entries.keys(), key=lambda each: not is_manifest(each)):
        if copy.unchanged_here(name, known[name]):
            copy.file(name).unlink()
        copy.forget(name)


def _begun_anew(copy: Copy, manifest: str, entry: ListedObject, known: SyncedObject | None) -> bool:
    """Whether a finished folder was opened again here: its manifest was seen, and taken away."""
    return known is not None and known.version == entry.version and not copy.file(manifest).exists()


def _promises_above(copy: Copy, name: str, entries: Mapping[str, ListedObject]) -> dict[str, _Promise]:
    """What the manifest of the folder around `name` says, where `name` is only a part of that folder."""
    if not entries or joined(name, MANIFEST) in entries or is_manifest(name):
        return {}
    for folder in folders_above(name):
        manifest = joined(folder, MANIFEST)
        entry = copy.store.look(manifest)
        data = copy.store.read(manifest) if entry else None
        if entry and data is not None:
            if _begun_anew(copy, manifest, entry, copy.known(manifest)):
                return {}
            found = _promises(manifest, entry.version, data, copy.store.address(manifest))
            return {each: promise for each, promise in found.items() if each in entries}
    return {}


def _promises(manifest: str, version: str, data: bytes, address: str) -> dict[str, _Promise]:
    files = _fields(data, address).get("files", {})
    folder = folder_of(manifest)
    return {joined(folder, name): _Promise(entry["sha256"], manifest, version) for name, entry in files.items()}


def _fields(manifest: bytes, address: str) -> dict[str, dict[str, dict[str, str]]]:
    try:
        found = json.loads(manifest)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UserError(f"{address}: this is no manifest. Was it edited, or written by another program?")
    return found


def _is_wanted(
    copy: Copy, name: str, entry: ListedObject, known: SyncedObject | None, promise: _Promise | None
) -> bool:
    same_there = known is not None and known.version == entry.version
    if not copy.file(name).exists():
        return promise is not None or not same_there
    same_here = copy.unchanged_here(name, known)
    if promise is None:
        return same_here and not same_there
    if same_here and same_there:
        return False
    if copy.fits(name, promise.sha256):
        copy.note(name, entry.version, promise.sha256)
        return False
    return True


def _carry_out(copy: Copy, plan: _Plan) -> None:
    for name, data in plan.manifests.items():
        file = copy.file(name)
        if file.is_file() and file.read_bytes() != data:
            file.unlink()  # first: from now on the folder is unfinished here
    together(lambda name: _fetch(copy, name, plan.wanted[name], plan.promises.get(name)), list(plan.wanted))
    for name, data in sorted(plan.manifests.items(), reverse=True):  # those deep inside first
        write_text(copy.file(name), data.decode())
        copy.note(name, plan.entries[name].version)


def _fetch(copy: Copy, name: str, entry: ListedObject, promise: _Promise | None) -> None:
    file = copy.file(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_for(file)
    try:
        fault = _download(copy, name, entry, promise, temporary)
        if fault and promise is None:
            raise _MovingError  # it went away or changed while it was fetched
        if fault and promise is not None:
            _refuse(copy, name, promise, fault)
        _put_in_place(temporary, file)
        copy.note(name, entry.version, promise.sha256 if promise else "")
    finally:
        temporary.unlink(missing_ok=True)


def _download(copy: Copy, name: str, entry: ListedObject, promise: _Promise | None, file: Path) -> str:
    """Fetch an object, and say what is wrong with it."""
    for _ in range(2):  # bytes may be damaged on the way
        if not copy.store.fetch(name, entry, file):
            return "is not there"
        if promise is None or sha256_of(file) == promise.sha256:
            return ""
    return "does not have the SHA-256 that its manifest names"


def _put_in_place(temporary: Path, file: Path) -> None:
    with temporary.open("rb+") as handle:
        os.fsync(handle.fileno())
    temporary.replace(file)


def _refuse(copy: Copy, name: str, promise: _Promise, fault: str) -> NoReturn:
    """Say what is wrong with a finished folder, unless it is only being replaced."""
    standing = copy.store.look(promise.manifest)
    if standing is None or standing.version != promise.version:
        raise _MovingError
    raise UserError(
        f"{copy.store.address(name)}: this {fault}: it was damaged in the store. Make the folder again, or put a right copy "
        "there."
    )


def is_manifest(name: str) -> bool:
    """Whether a file is what makes its folder finished."""
    return name.rpartition("/")[2] == MANIFEST
