"""How commands print: text for people, or one JSON document with `--json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import click

_WIDTH = 10


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


def count_lines(counts: Mapping[str, float]) -> list[str]:
    """One line for each count: the number, and what was counted. All numbers end in the same column."""
    numbers = {name: f"{count:,.0f}" for name, count in counts.items()}
    width = max((_WIDTH, *map(len, numbers.values())))
    return [f"{number:>{width}} {name}" for name, number in numbers.items()]
