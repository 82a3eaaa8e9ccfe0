"""An object store at a URL, through fsspec.

The drivers of fsspec read credentials from their own environment variables. They also retry dropped connections, timeouts and
requests to busy servers.
"""

# ruff: noqa: PLC0415 - fsspec and its drivers are imported only for URLs

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from constraintsuite.core.errors import UserError

Result = TypeVar("Result")
_THREADS = 8
_DOWNLOADS = 3  # attempts to receive a complete file
_VERSIONS = ("ETag", "etag", "generation", "created", "mtime", "last_modified")
_DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENAMETOOLONG}
_S3, _GCS, _AZURE = ("s3", "s3fs"), ("gcs", "gcsfs"), ("azure", "adlfs")
DRIVERS: Mapping[str, tuple[str, str]] = {
    "s3": _S3,
    "s3a": _S3,
    "gs": _GCS,
    "gcs": _GCS,
    "abfs": _AZURE,
    "abfss": _AZURE,
    "az": _AZURE,
    "memory": ("", "fsspec"),
}
"""By scheme of the URL: the extra to install, and the package of the driver."""


class UnsupportedError(UserError):
    """The store does not support a request."""


@dataclass(frozen=True)
class ListedObject:
    """The size of an object, and a version that changes whenever the object is written."""

    size: int
    version: str


class ObjectStore:
    """The objects under a URL, by their names relative to it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._files, self._base = _connect(url)

    def address(self, name: str) -> str:
        """The URL of an object."""
        return f"{self.url}/{name}" if name else self.url

    def entries(self, name: str = "") -> dict[str, ListedObject]:
        """The object `name` and every object under it. Raises UserError if the bucket does not exist."""
        try:
            found = self._call(name, self._files.find, detail=True)
        except FileNotFoundError:
            bucket = self._base.lstrip("/").split("/")[0]
            if not self._files.exists(bucket):
                raise UserError(
                    f"{self.url}: there is no bucket or container named {bucket!r}. Create it first."
                ) from None
            return {}
        files = {path[len(self._base) + 1 :]: info for path, info in found.items() if info.get("type") == "file"}
        # Web consoles of stores create empty objects as folders.
        return {each: _entry(info) for each, info in sorted(files.items()) if each and not each.endswith("/")}

    def find(self, name: str) -> ListedObject | None:
        """Size and version of an object, None if it does not exist."""
        try:
            info = self._call(name, self._files.info)
        except FileNotFoundError:
            return None
        return _entry(info) if info.get("type") == "file" else None

    def read(self, name: str) -> bytes | None:
        """The bytes of a small object, None if it does not exist."""
        try:
            return bytes(self._call(name, self._files.cat_file))
        except FileNotFoundError:
            return None

    def download(self, name: str, file: Path, is_complete: Callable[[Path], bool]) -> bool:
        """Write an object to `file`; False if it does not exist, or is not complete after several attempts."""
        try:
            for _ in range(_DOWNLOADS):
                self._call(name, self._files.get_file, str(file))
                if is_complete(file):
                    return True
        except FileNotFoundError:
            pass
        return False

    def put(self, name: str, file: Path) -> None:
        """Write a file to an object, and replace an earlier one."""
        self._call(name, lambda path: self._files.put_file(str(file), path))

    def create(self, name: str, data: bytes) -> bool:
        """Write a small object unless it exists already; False if it does.

        Most stores check this condition themselves. Some refuse or ignore it, so the object is also looked for first; on those
        stores another writer can come in between.
        """
        if self.find(name) is not None:
            return False
        try:
            self._call(name, self._files.pipe_file, data, mode="create")
        except FileExistsError:
            return False
        except UnsupportedError:
            self._call(name, self._files.pipe_file, data)
        except UserError:  # some stores report an unmet condition only as a failed request
            if self.find(name) is None:
                raise
            return False
        return True

    def delete(self, names: Iterable[str]) -> None:
        """Remove objects, as far as they exist."""
        in_parallel(self._delete, names)

    def _delete(self, name: str) -> None:
        try:
            self._call(name, self._files.rm_file)
        except FileNotFoundError:
            return

    def _call(self, name: str, call: Callable[..., Any], *arguments: object, **options: object) -> Any:  # noqa: ANN401 - fsspec has no types
        """The driver's result for an object; errors that callers handle are raised as they are, others as a UserError."""
        try:
            return call(f"{self._base}/{name}" if name else self._base, *arguments, **options)
        except (FileNotFoundError, FileExistsError):
            raise
        except Exception as error:  # drivers share no class of errors
            number = error.errno if isinstance(error, OSError) else None
            if number in _DISK_ERRORS:
                raise
            if number == errno.ENOSYS or isinstance(error, NotImplementedError):
                raise UnsupportedError(
                    f"{self.address(name)}: the object store does not support this request: {_first_line(error)}. Use another "
                    "store, or a folder."
                ) from error
            raise UserError(
                f"{self.address(name)}: the object store failed: {_first_line(error)}. Check the address, the credentials and "
                "their rights, or try again later: the same command resumes, and what was transferred is kept."
            ) from error


def in_parallel(work: Callable[[str], Result], names: Iterable[str]) -> list[Result]:
    """The results of `work` for the sorted names, computed by several threads; the first error ends the work."""
    with ThreadPoolExecutor(_THREADS) as pool:
        try:
            return list(pool.map(work, sorted(names)))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _connect(url: str) -> tuple[Any, str]:
    scheme = url.partition("://")[0]
    if scheme not in DRIVERS:
        raise UserError(f"{url}: {scheme}:// is not a known kind of store. There are: {', '.join(DRIVERS)}.")
    extra, package = DRIVERS[scheme]
    if find_spec(package) is None:
        raise UserError(f'{url} needs the package {package}: pip install "constraintsuite[{extra}]"')
    from fsspec.core import url_to_fs

    try:
        files, base = url_to_fs(url, use_listings_cache=False)
    except Exception as error:  # each driver has its own error for missing credentials
        raise UserError(f"{url}: {_first_line(error)}") from error
    return files, str(base).rstrip("/")


def _entry(info: Mapping[str, Any]) -> ListedObject:
    version = next((str(info[key]) for key in _VERSIONS if info.get(key)), "")
    return ListedObject(int(info["size"]), version.strip('"'))


def _first_line(error: Exception) -> str:
    """The message of a driver's error, in one line."""
    message = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(message).strip().splitlines()[0].rstrip(".")
