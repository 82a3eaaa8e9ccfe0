"""Files that are written completely or not at all, their hashes, and locks on folders."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import platform
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from constraintsuite.core.errors import UserError

_HOST_CHARACTERS = 32  # of a machine's name, since file names have a limit


@contextmanager
def atomic_writer(path: Path) -> Iterator[BinaryIO]:
    """A file to write to; it is renamed to `path` if the block ends without an error, else removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_for(path)
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder to write to; it is renamed to `path` (free, or an empty folder) if the block ends without an error."""
    temporary = temporary_for(path)
    temporary.mkdir(parents=True)
    try:
        yield temporary
        temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def temporary_for(path: Path) -> Path:
    """A unique hidden name in the folder of `path`; it holds the host, since machines that share a disk share process ids."""
    host = platform.node().partition(".")[0][:_HOST_CHARACTERS]
    return path.with_name(f".{path.name}.{host}-{secrets.token_hex(4)}.tmp-{os.getpid()}")


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files of killed processes; the caller must hold the folder's lock."""
    for path in list(folder.rglob(".*.tmp-*")):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a small text file atomically."""
    with atomic_writer(path) as file:
        file.write(text.encode())


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_known: dict[tuple[Path, int, int, int, int], str] = {}
_SETTLED_NS = 2_000_000_000


def known_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes; a file that this process has hashed before and that has not changed is not read again.

    A file counts as unchanged if its path, size, inode and both times of its last change are the same. Clocks of file systems
    are coarse, so a file that was written in the last two seconds is hashed each time.
    """
    found = path.stat()
    key = (path.absolute(), found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
    if key in _known:
        return _known[key]
    settled = time.time_ns() - max(found.st_mtime_ns, found.st_ctime_ns) > _SETTLED_NS
    digest = sha256_of(path)
    if settled:
        _known[key] = digest
    return digest


def sha256_text(*parts: str) -> str:
    """The SHA-256 of several strings; unlike the hash of their concatenation, it depends on where each ends."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


@contextmanager
def folder_lock(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """Keep every other process out of `folder` while the block runs; a `shared` lock keeps out only writers.

    A folder that this user may only read gets no shared lock.
    """
    if not shared:
        folder.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(folder / ".lock", os.O_CREAT | (os.O_RDONLY if shared else os.O_RDWR), 0o666)
    except OSError as error:
        if not (shared and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)):
            raise
        yield
        return
    try:
        _lock(handle, folder, shared)
        yield
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)
        os.close(handle)


def _lock(handle: int, folder: Path, shared: bool) -> None:
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        advice = "Wait for it." if shared else "Wait for it (or for one that reads), or choose another --out."
        raise UserError(f"{folder}: another csuite command is writing here. {advice}") from None
