"""Typed JSON and JSON lines: errors name file and line, and equal records give equal bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import atomic_writer

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


def write_json(path: Path, record: object, indent: int = 2) -> None:
    """Write one record to `path`, which appears only when it is complete."""
    with atomic_writer(path) as file:
        file.write(adapter(type(record)).dump_json(record, indent=indent) + b"\n")


def read_json(path: Path, kind: type[T]) -> T:
    """Read a record that `write_json` wrote. Raises UserError for any other content."""
    try:
        return adapter(kind).validate_json(path.read_bytes())
    except ValidationError as error:
        raise UserError(f"{path}: {describe(error)} Was it edited, or written by another version?") from None


@dataclass(frozen=True, slots=True)
class JsonLine(Generic[T]):
    """A line of a file: its record, or the fault in it."""

    number: int
    record: T | None
    fault: str = ""


def read_jsonl(path: Path, kind: type[T]) -> Iterator[T]:
    """The records of a file, in order. Raises UserError with the number of an invalid line."""
    for line in read_lines(path, kind):
        if line.record is None:
            raise UserError(f"{path}:{line.number}: {line.fault}")
        yield line.record


def read_lines(path: Path, kind: type[T]) -> Iterator[JsonLine[T]]:
    """Every line that is not empty, valid or not, for callers that report all faults at once."""
    reader = adapter(kind)
    if not path.is_file():
        raise UserError(f"{path}: there is no such file.")
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield JsonLine(number, reader.validate_json(line))
            except ValidationError as error:
                yield JsonLine(number, None, describe(error))


def describe(error: ValidationError) -> str:
    """What is wrong with a value, in one line: the first fault, where it is, and how many more there are."""
    first, *others = describe_all(error)
    return f"{first.removesuffix('.')} (and {len(others)} more)." if others else first


def describe_all(error: ValidationError) -> list[str]:
    """Everything that is wrong with a value: one sentence for each fault, with its place."""
    faults = error.errors(include_url=False, include_input=True)
    return [f"{'.'.join(map(str, fault['loc'])) or 'the record'}: {_message(fault)}." for fault in faults]


def _message(fault: ErrorDetails) -> str:
    if fault["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return "unknown key, perhaps misspelt"
    if fault["type"] == "value_error":  # from a check of our own, whose sentence needs no more
        return str(fault["ctx"]["error"])
    if fault["type"] == "union_tag_invalid":
        return (
            f"{fault['ctx']['tag']!r} is not a known {_discriminator(fault)}; there is {fault['ctx']['expected_tags']}"
        )
    if fault["type"] == "union_tag_not_found":
        return f"there is no {_discriminator(fault)}"
    value = repr(fault.get("input"))
    shown = fault["type"] != "json_invalid" and len(value) <= 80
    return f"{fault['msg']}, got {value}" if shown else fault["msg"]


def _discriminator(fault: ErrorDetails) -> str:
    """The name of the field that chooses between the types of a union."""
    return str(fault["ctx"]["discriminator"]).strip("'")
