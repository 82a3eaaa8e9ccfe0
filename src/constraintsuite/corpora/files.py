"""Reads files as bytes and lines, and the base class of sources that read records from files.

Files may be compressed with gzip and may have a byte order mark.
"""

from __future__ import annotations

import gzip
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, ClassVar, NamedTuple, cast

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.corpora.base import BadRows, Source, SourceSettings
from constraintsuite.corpora.fields import FileRecord, document_fields, read_documents

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class FileLine(NamedTuple):
    """A line with its place in the form `file:number`."""

    where: str
    data: bytes
    """The bytes, line end included."""


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, decompressed if its name ends in .gz. Raises UserError if the file cannot be read."""
    require_file(path)
    try:
        with path.open("rb") as plain:
            if path.suffix != ".gz":
                yield plain
                return
            with gzip.open(plain) as unpacked:
                yield cast(BinaryIO, unpacked)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UserError(f"{path}: damaged gzip file ({error}). Fetch or pack it again.") from None
    except PermissionError:
        raise UserError(f"{path}: no permission to read this file.") from None


def read_lines(path: Path) -> Iterator[FileLine]:
    """Every line of a file, without a byte order mark."""
    with open_bytes(path) as file:
        for number, data in enumerate(file, 1):
            yield FileLine(f"{path}:{number}", data.removeprefix(BYTE_ORDER_MARK) if number == 1 else data)


def decode(line: FileLine, bad: BadRows) -> str | None:
    """The text of a line without its line end; None if it is not UTF-8 and `bad` skips it."""
    try:
        return line.data.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        bad.add(line.where, "invalid_utf8", escape(line.data))
        return None


def escape(data: bytes) -> str:
    """The text, in which each byte that is not UTF-8 is a lone surrogate, so that it can be found and reported later."""
    return data.decode("utf-8", "surrogateescape")


def require_file(path: Path) -> None:
    """Refuse a path that is not a file, with a UserError."""
    if not path.exists():
        raise UserError(f"{path}: there is no such file.")
    if not path.is_file():
        raise UserError(f"{path}: this is not a file.")


def data_files(source: str, suffixes: Iterable[str]) -> list[Path]:
    """The file `source`, or the files in the folder `source` with one of these suffixes (and .gz), in order of names."""
    path = Path(source)
    if not path.is_dir():
        require_file(path)
        return [path]
    endings = tuple(ending for suffix in suffixes for ending in (suffix, f"{suffix}.gz"))
    files = sorted(file for file in path.iterdir() if file.name.lower().endswith(endings) and file.is_file())
    if not files:
        raise UserError(f"{path}: no file in this folder ends in {', '.join(endings)}.")
    return files


def ending(path: Path) -> str:
    """The ending of a file name in lower case, without .gz: `.jsonl` of `wiki.JSONL.gz`."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def base_name(path: Path) -> str:
    """The name of a file without its endings (`wiki` of `wiki.jsonl.gz`), or of a folder."""
    if path.is_dir():
        return path.resolve().name
    return Path(path.name.removesuffix(".gz")).stem


def fingerprint_files(files: Iterable[Path], *settings: object) -> str:
    """SHA-256 of the bytes of these files, and of the settings that decide how they are read."""
    return sha256_text(*(repr(setting) for setting in settings), *(sha256_of(file) for file in files))


class FileSource(Source, ABC):
    """The documents of a file, or of all files of one kind in a folder; a subclass reads the records of one file."""

    kind: ClassVar[str]
    endings: ClassVar[tuple[str, ...]] = ()

    def __init__(self, settings: SourceSettings) -> None:
        self.name = base_name(Path(settings.source))
        self._fields = document_fields(settings)
        self._files = self._find_files(settings.source)

    def fingerprint(self) -> str:
        """SHA-256 of the files and the names of the fields."""
        return fingerprint_files(self._files, self.kind, self._fields)

    def documents(self, bad: BadRows) -> Iterator[Document]:
        """The document of each record."""
        rows = (row for file in self._files for row in self._records(file, bad))
        return read_documents(rows, self._fields, bad)

    def _find_files(self, source: str) -> list[Path]:
        return data_files(source, self.endings)

    @abstractmethod
    def _records(self, path: Path, bad: BadRows) -> Iterator[FileRecord]:
        """The records of one file."""
