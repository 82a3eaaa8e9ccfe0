"""What a constraint has beyond the fields that all constraints share, as words for a page that knows no type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields

from constraintsuite.records.constraints import Constraint


def describe_type_fields(constraint: Constraint) -> Iterator[tuple[str, str]]:
    """Name and value of each field that the type of a constraint adds, where it holds anything."""
    shared = {field.name for field in fields(Constraint)}
    for field in fields(constraint):
        if field.name not in shared and (value := _in_words(getattr(constraint, field.name))):
            yield field.name.replace("_", " "), value


def _in_words(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, Mapping):
        parts = {name: _in_words(part) for name, part in value.items()}
        return "; ".join(f"{name}: {words}" for name, words in parts.items() if words)
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
