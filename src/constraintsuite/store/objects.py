"""An object store as five calls with patience: what may pass is tried again, what will not is said at once.

Storage goes through fsspec; which store it is, and who may use it, is settled by its driver and the driver's own
environment variables.
"""

# ruff: noqa: PLC0415 - fsspec and the drivers are needed only where a URL is given

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from constraintsuite.errors import UserError
from constraintsuite.store.faults import IncompleteError, Refused, is_there_already, knows_no_condition, may_pass, said

Result = TypeVar("Result")
WAITS = (0.2, 0.4, 0.8, 1.6, 3.2, 6.4)  # seconds between attempts: one more attempt than there are waits
_AT_ONCE = 8
_VERSIONS = ("ETag", "etag", "generation", "created", "mtime", "last_modified")


@dataclass(frozen=True)
class Driver:
    """The package that speaks with a kind of store."""

    extra: str = ""
    package: str = "fsspec"
    options: Mapping[str, Any] = field(default_factory=dict)


# The retries of botocore would multiply with ours.
_S3 = Driver("s3", "s3fs", {"config_kwargs": {"retries": {"total_max_attempts": 1}}})
_GCS, _AZURE = Driver("gcs", "gcsfs"), Driver("azure", "adlfs")
DRIVERS: Mapping[str, Driver] = {
    "s3": _S3,
    "s3a": _S3,
    "gs": _GCS,
    "gcs": _GCS,
    "abfs": _AZURE,
    "abfss": _AZURE,
    "az": _AZURE,
    "memory": Driver(),
}


@dataclass(frozen=True)
class ListedObject:
    """An object as the store lists it."""

    size: int
    version: str
    """Changes whenever the object is written."""


class ObjectStore:
    """The objects under a URL, by their names relative to it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._files, self._base = _connect(url)

    def address(self, name: str) -> str:
        """The URL of an object."""
        return f"{self.url}/{name}" if name else self.url

    def entries(self, name: str = "") -> dict[str, ListedObject]:
        """Every object that is `name` or lies under it; none is no error, a store that cannot be listed is."""
        try:
            found = self._patiently(name, partial(self._files.find, self._path(name), detail=True))
        except FileNotFoundError:
            self._require_bucket()
            return {}
        files = {path[len(self._base) + 1 :]: info for path, info in found.items() if info.get("type") == "file"}
        # Consoles of stores make empty objects that stand for folders.
        return {each: _entry(info) for each, info in sorted(files.items()) if each and not each.endswith("/")}

    def look(self, name: str) -> ListedObject | None:
        """What the store says of an object, None if it is not there."""
        try:
            info = self._patiently(name, partial(self._files.info, self._path(name)))
        except FileNotFoundError:
            return None
        return _entry(info) if info.get("type") == "file" else None

    def read(self, name: str) -> bytes | None:
        """A small object, None if it is not there."""
        try:
            return bytes(self._patiently(name, partial(self._files.cat_file, self._path(name))))
        except FileNotFoundError:
            return None

    def fetch(self, name: str, entry: ListedObject, file: Path) -> bool:
        """Write an object to `file`; False if it is gone, or is of another size by now."""

        def once() -> bool:
            self._files.get_file(self._path(name), str(file))
            if file.stat().st_size != entry.size:
                if self.look(name) != entry:
                    return False
                raise IncompleteError(f"{file.stat().st_size:,} of {entry.size:,} bytes came")
            return True

        try:
            return self._patiently(name, once)
        except FileNotFoundError:
            return False

    def put(self, name: str, file: Path) -> None:
        """Write a file to an object, in the place of what is there."""
        self._write(name, partial(self._files.put_file, str(file), self._path(name)))

    def create(self, name: str, data: bytes) -> bool:
        """Write a small object only if there is none of that name; False if there is one.

        The store decides, where it knows such a condition. Some say that they do not, and some pass over it in silence:
        for those there is a look before, which leaves a moment for others.
        """
        if self.look(name) is not None:
            return False
        put = partial(self._files.pipe_file, self._path(name), data)
        try:
            self._write(name, partial(put, mode="create"))
        except FileExistsError:
            return False
        except NotImplementedError:
            self._write(name, put)
        return True

    def delete(self, names: Iterable[str]) -> None:
        """Remove objects; those that are not there are no error."""
        together(self._delete, sorted(names))

    def _delete(self, name: str) -> None:
        try:
            self._patiently(name, partial(self._files.rm_file, self._path(name)))
        except FileNotFoundError:
            return

    def _write(self, name: str, call: Callable[[], object]) -> None:
        try:
            self._patiently(name, call)
        except FileNotFoundError:
            self._require_bucket()
            raise UserError(f"{self.address(name)}: the store does not find where to put it.") from None

    def _require_bucket(self) -> None:
        bucket = self._base.lstrip("/").split("/")[0]
        try:
            there = self._patiently("", partial(self._files.exists, bucket))
        except Refused:  # who may only use a part of a bucket cannot ask for it
            return
        if not there:
            raise UserError(f"{self.url}: there is no bucket or container named {bucket!r}. Make it first.")

    def _path(self, name: str) -> str:
        return f"{self._base}/{name}" if name else self._base

    def _patiently(self, name: str, call: Callable[[], Result]) -> Result:
        """The result of a call; FileNotFoundError, FileExistsError and NotImplementedError are the callers' to answer."""
        for wait in (*WAITS, None):
            try:
                return call()
            except (UserError, FileNotFoundError):
                raise
            except Exception as error:  # drivers share no class of errors: faults.py looks at what each one says
                if is_there_already(error):
                    raise FileExistsError(self.address(name)) from None
                if knows_no_condition(error):
                    raise NotImplementedError(self.address(name)) from None
                if not may_pass(error):
                    raise Refused.of(error, self.address(name)) from error
                if wait is None:
                    raise UserError(
                        f"{self.address(name)}: the store failed {len(WAITS) + 1} times, at last with: {said(error)}. "
                        "What was transferred is kept; the same command goes on."
                    ) from error
                time.sleep(wait * random.uniform(0.5, 1.0))  # so that many workers do not come back at once
        raise AssertionError("the last attempt returns or raises")


def together(work: Callable[[str], Result], names: Sequence[str]) -> list[Result]:
    """`work` of each name, several at once, in order; the first error ends it."""
    if len(names) <= 1:
        return [work(name) for name in names]
    with ThreadPoolExecutor(min(_AT_ONCE, len(names))) as pool:
        try:
            return list(pool.map(work, names))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _connect(url: str) -> tuple[Any, str]:
    scheme = url.partition("://")[0]
    driver = DRIVERS.get(scheme)
    if driver is None:
        raise UserError(f"{url}: no store is known by {scheme}://. There are: {', '.join(DRIVERS)}.")
    if find_spec(driver.package) is None:
        raise UserError(f'{url} needs the package {driver.package}: pip install "constraintsuite[{driver.extra}]"')
    from fsspec.core import url_to_fs

    try:
        files, base = url_to_fs(url, use_listings_cache=False, **driver.options)
    except Exception as error:  # a driver that finds no credentials says so here, each in its own class
        raise UserError(f"{url}: {said(error)}") from error
    return files, str(base).rstrip("/")


def _entry(info: Mapping[str, Any]) -> ListedObject:
    version = next((str(info[key]) for key in _VERSIONS if info.get(key)), "")
    return ListedObject(int(info["size"]), version.strip('"'))
