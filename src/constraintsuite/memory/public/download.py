"""Public benchmark files: downloaded once, and kept only if they have the expected hash."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.records.text import clip
from constraintsuite.core.store.download import cache_folder
from constraintsuite.core.store.files import atomic_writer, sha256_of
from constraintsuite.core.store.http.client import HttpClient
from constraintsuite.core.store.http.errors import PermanentError, TransientError
from constraintsuite.core.store.http.messages import HttpResponse, Limits
from constraintsuite.core.store.yaml_files import read_package_yaml

LIMITS = Limits(seconds=4 * 3_600, body_bytes=8 << 30, redirects=10, stall_seconds=30, bytes_per_second=1_000)
"""The largest file has about 3 GB. A server that sends almost nothing is given up after half a minute."""


@dataclass(frozen=True, slots=True)
class PublicFile:
    """One file as its authors release it; `data/files.yaml` explains the fields."""

    benchmark: str
    file: str
    licence: str
    page: str
    address: str = ""
    sha256: str = ""


@cache
def public_files() -> Mapping[str, PublicFile]:
    """Return all files, by the names that `csuite fetch` accepts."""
    return read_package_yaml(dict[str, PublicFile], "constraintsuite.memory.public", "data", "files.yaml")


def find_file(name: str) -> PublicFile:
    """Return the file of a name. Raises UserError if the name is unknown."""
    if name not in public_files():
        raise UserError(f"No benchmark file is called {name!r}. There are: {', '.join(public_files())}.")
    return public_files()[name]


def place_of(wanted: PublicFile) -> Path:
    """Return where a file is stored, and where a copy can be put by hand."""
    return cache_folder() / "memory" / wanted.file


def fetch_file(wanted: PublicFile, reporter: Reporter, limits: Limits = LIMITS) -> Path:
    """Return the path of a file, downloading it if needed.

    Raises UserError if the download fails or has the wrong hash.
    """
    place = place_of(wanted)
    if place.is_file():
        found = sha256_of(place) if wanted.sha256 else ""
        if found != wanted.sha256:
            raise UserError(
                f"{place}: this file has SHA-256 {found}, expected {wanted.sha256}. Take it away, and fetch it again."
            )
        return place
    if not wanted.sha256:
        raise UserError(
            f"{wanted.file} is not released as a plain file with a known hash. Get it from {wanted.page} ({wanted.licence}) "
            f"and put it at {place}, or name the file where it is."
        )
    client = HttpClient(limits, use_proxies=True)
    try:
        with atomic_writer(place) as file:
            digest = client.send(wanted.address, lambda response: _save(response, wanted, file, reporter))
            if digest != wanted.sha256:
                raise UserError(
                    f"{wanted.address}: the downloaded file has SHA-256 {digest}, expected {wanted.sha256}. It was not kept."
                )
    except (PermanentError, TransientError) as fault:
        raise UserError(
            f"{wanted.address} could not be downloaded: {clip(str(fault)).rstrip('.')}. Get {wanted.file} from {wanted.page} by "
            f"other means and put it at {place}; its SHA-256 is {wanted.sha256}."
        ) from None
    finally:
        client.close()
    return place


def _save(response: HttpResponse, wanted: PublicFile, file: BinaryIO, reporter: Reporter) -> str:
    """Write the body of an answer with status 200 to a file, and return its SHA-256."""
    if response.status != 200:
        raise PermanentError(f"the server answers {response.status} {response.reason}".strip())
    digest = hashlib.sha256()
    with reporter.track(wanted.file, response.length) as advance:
        for piece in response.chunks():
            file.write(piece)
            digest.update(piece)
            advance(len(piece))
    return digest.hexdigest()
