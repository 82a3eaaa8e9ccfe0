"""Writes docs/cli.md from the program itself; the tests compare the two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from constraintsuite.cli.main import COMMANDS, cli

TARGET = Path(__file__).with_name("cli.md")


def reference() -> str:
    """The help text of every command."""
    context = click.Context(cli, info_name="csuite", max_content_width=100, terminal_width=100)
    parts = ["# All commands", "", "Made by `make docs`; do not edit.", ""]
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        parts += _sections(command, f"csuite {name}")
    return "\n".join(parts).rstrip() + "\n"


def _sections(command: click.Command, title: str) -> Iterator[str]:
    context = click.Context(command, info_name=title, max_content_width=100, terminal_width=100)
    yield from (f"## {title}", "", "```", command.get_help(context), "```", "")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None:
                yield from _sections(child, f"{title} {name}")


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
