"""Writes docs/cli.md and docs/example.schema.json from the program itself; the tests compare them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click

from constraintsuite.build.schema import example_schema
from constraintsuite.cli.main import COMMANDS, cli

COMMANDS_PAGE = Path(__file__).with_name("cli.md")
SCHEMA = Path(__file__).with_name("example.schema.json")


def reference() -> str:
    """The help text of every command."""
    context = click.Context(cli, info_name="csuite", max_content_width=100, terminal_width=100)
    parts = ["# All commands", "", "Made by `make docs`; do not edit.", ""]
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        parts += _sections(command, f"csuite {name}")
    return "\n".join(parts).rstrip() + "\n"


def schema() -> str:
    """The JSON Schema of one example."""
    return json.dumps(example_schema(), indent=2, ensure_ascii=False) + "\n"


def _sections(command: click.Command, title: str) -> Iterator[str]:
    context = click.Context(command, info_name=title, max_content_width=100, terminal_width=100)
    yield from (f"## {title}", "", "```", command.get_help(context), "```", "")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None:
                yield from _sections(child, f"{title} {name}")


if __name__ == "__main__":
    COMMANDS_PAGE.write_text(reference(), encoding="utf-8")
    SCHEMA.write_text(schema(), encoding="utf-8")
