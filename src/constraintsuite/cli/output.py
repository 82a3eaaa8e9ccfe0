"""How commands print: text for people, or one JSON document with `--json`."""

from __future__ import annotations

import json
from collections.abc import Iterable

import click


def emit(record: object, as_json: bool, text: str | Iterable[str]) -> None:
    """Print `record` as JSON if that is wanted, else `text`: one string, or lines, which are made one by one when needed."""
    if as_json:
        print_json(record)
    else:
        for line in [text] if isinstance(text, str) else text:
            click.echo(line)


def print_json(record: object) -> None:
    """Print a record as indented JSON. Dataclasses and models become objects, and a number that is undefined is null."""
    from pydantic_core import to_jsonable_python  # noqa: PLC0415 - so that --help stays under 0.3 s

    click.echo(json.dumps(to_jsonable_python(record, inf_nan_mode="null"), indent=2, ensure_ascii=False))
