"""Typed JSON lines: one record a line, errors with file and line number, the same bytes each time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from constraintsuite.errors import UserError
from constraintsuite.store.files import atomic_writer

T = TypeVar("T")


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


def adapter(kind: type[T]) -> TypeAdapter[T]:
    """The reader and writer of records of type `kind`, made once."""
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def encode(record: object) -> bytes:
    """One line of JSON without its line end: fields in the order of the record, no spaces."""
    return adapter(type(record)).dump_json(record)


def write_jsonl(path: Path, records: Iterable[object]) -> int:
    """Write records to `path`, which appears only when all are written; returns how many there were."""
    count = 0
    with atomic_writer(path) as file:
        for record in records:
            file.write(encode(record) + b"\n")
            count += 1
    return count


def read_jsonl(path: Path, kind: type[T]) -> Iterator[T]:
    """The records of a file, in order; a line that does not fit is a UserError naming it."""
    reader = adapter(kind)
    if not path.is_file():
        raise UserError(f"{path}: there is no such file.")
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield reader.validate_json(line)
            except ValidationError as error:
                raise UserError(f"{path}:{number}: {describe(error)}") from None


def describe(error: ValidationError) -> str:
    """What is wrong with a value, in one line: the first fault, where it is, and how many more there are."""
    faults = error.errors(include_url=False, include_input=True)
    first = faults[0]
    where = ".".join(str(part) for part in first["loc"]) or "the record"
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    said = "unknown key; is it misspelt?" if first["type"] == "extra_forbidden" else f"{first['msg']}{_got(first)}"
    return f"{where}: {said}{more}."


def _got(fault: ErrorDetails) -> str:
    value = repr(fault.get("input"))
    return "" if fault["type"] == "json_invalid" or len(value) > 80 else f", got {value}"
