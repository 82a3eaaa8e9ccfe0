"""Public benchmark files: downloaded once, kept only if their hash is the pinned one."""

from __future__ import annotations

import hashlib
import urllib.request
from http.client import HTTPException
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter
from constraintsuite.memory.public.files import FILES, PublicFile
from constraintsuite.store.download import cache_folder
from constraintsuite.store.files import atomic_writer, sha256_of

_BLOCK = 1 << 20
_SECONDS = 60


def find_file(name: str) -> PublicFile:
    """The file that a name stands for."""
    if name not in FILES:
        raise UserError(f"No benchmark file is called {name!r}. There are: {', '.join(FILES)}.")
    return FILES[name]


def place_of(wanted: PublicFile) -> Path:
    """Where a file is kept, and where a copy can be put by hand."""
    return cache_folder() / "memory" / wanted.file


def fetch_file(wanted: PublicFile, reporter: Reporter) -> Path:
    """The file, downloaded if it is not there; a copy whose hash is wrong is a UserError, and so is a missing network."""
    place = place_of(wanted)
    if place.is_file():
        _refuse_other(place, wanted)
        return place
    if not wanted.sha256:
        raise UserError(
            f"{wanted.file} is not released as a plain file with a known hash. Get it from {wanted.page} ({wanted.licence}) "
            f"and put it at {place}, or name the file where it is."
        )
    try:
        _download(wanted, place, reporter)
    except (OSError, HTTPException) as error:
        raise UserError(
            f"{wanted.address} could not be downloaded: {error}. Get {wanted.file} from {wanted.page} by other means and put "
            f"it at {place}; its SHA-256 is {wanted.sha256}."
        ) from None
    return place


def _download(wanted: PublicFile, place: Path, reporter: Reporter) -> None:
    digest = hashlib.sha256()
    # The address is one of the table, never a user's.
    with urllib.request.urlopen(wanted.address, timeout=_SECONDS) as answer, atomic_writer(place) as file:
        length = answer.headers.get("Content-Length")
        with reporter.track(wanted.file, int(length) if length else None) as advance:
            while block := answer.read(_BLOCK):
                file.write(block)
                digest.update(block)
                advance(len(block))
        if digest.hexdigest() != wanted.sha256:
            raise UserError(
                f"{wanted.address}: the downloaded file has SHA-256 {digest.hexdigest()}, expected {wanted.sha256}. It was "
                "not kept."
            )


def _refuse_other(place: Path, wanted: PublicFile) -> None:
    found = sha256_of(place) if wanted.sha256 else ""
    if found != wanted.sha256:
        raise UserError(
            f"{place}: this file has SHA-256 {found}, expected {wanted.sha256}. Take it away, and fetch it again."
        )
